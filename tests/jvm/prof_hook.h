/* SPDX-License-Identifier: MIT */
/*
 * prof_hook.h - a hook that a program in Java asks its agent for.
 */
#ifndef PROF_HOOK_H
#define PROF_HOOK_H

#include "prof_errors.h"

/* Its number; -1, and a BAD on standard error, if it cannot be set. */
static inline jint set_hook(jvmtiProfEnv *e, JNIEnv *jni, jstring class_name,
			    jstring method, jstring signature, jint flags,
			    jboolean on)
{
	const char *c = (*jni)->GetStringUTFChars(jni, class_name, NULL);
	const char *m = (*jni)->GetStringUTFChars(jni, method, NULL);
	const char *s =
		signature ? (*jni)->GetStringUTFChars(jni, signature, NULL)
			  : NULL;
	jint hook = -1;

	IS((*e)->SetMethodEventFlag(e, c, m, s, (jvmtiProfMethodEventFlag)flags,
				    on, &hook),
	   NONE);
	(*jni)->ReleaseStringUTFChars(jni, class_name, c);
	(*jni)->ReleaseStringUTFChars(jni, method, m);
	if (s)
		(*jni)->ReleaseStringUTFChars(jni, signature, s);
	return hook;
}

#endif
