/* SPDX-License-Identifier: MIT */
/*
 * intercept.h - changes the classes of the JVM as the hooks ask for.
 */
#ifndef PF_INTERCEPT_H
#define PF_INTERCEPT_H

#include "prof/environment.h"

/* Asks for the capability, before there are hooks. False: the JVM has it not. */
bool pf_intercept_prepare(void);

/* From VMInit on, once. What hooks are on by then takes effect. */
void pf_intercept_begin(JNIEnv *jni);

/*
 * Changes all classes that are loaded and match CLASS_NAME, a pattern: as the
 * hooks are now, they have calls or not. Nothing before pf_intercept_begin.
 * E is told about it. JVMTIPROF_ERROR_INTERNAL: the class with the calls cannot
 * be defined.
 */
jvmtiProfError pf_intercept_update(const struct pf_env *e, JNIEnv *jni,
				   const char *class_name);

/* Callbacks of the events ClassPrepare and ClassFileLoadHook. */
void JNICALL pf_intercept_prepared(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
				   jclass class);
void JNICALL pf_intercept_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
				jobject loader, const char *name,
				jobject protection_domain, jint size,
				const unsigned char *bytes, jint *ret_size,
				unsigned char **ret_bytes);

#endif
