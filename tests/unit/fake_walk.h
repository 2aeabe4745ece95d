/* SPDX-License-Identifier: MIT */
/*
 * fake_walk.h - shared by fake_walk.c and fake_jvmti.c.
 */
#ifndef FAKE_WALK_H
#define FAKE_WALK_H

#include <stddef.h>

#include "fake_jvmti.h"

static inline struct fake_jvm *fake_jvm_of(jvmtiEnv *jvmti)
{
	return (struct fake_jvm *)((char *)jvmti -
				   offsetof(struct fake_jvm, jvmti));
}

static inline struct fake_jvm *fake_jvm_of_jni(JNIEnv *jni)
{
	return (struct fake_jvm *)((char *)jni -
				   offsetof(struct fake_jvm, jni));
}

static inline jlong fake_size(const struct fake_object *o)
{
	return o->size ? o->size : 16;
}

/* Is it this call's turn to fail? */
static inline bool fake_fails(jvmtiEnv *jvmti)
{
	struct fake_jvm *jvm = fake_jvm_of(jvmti);

	return ++jvm->calls == jvm->fail_in;
}

#define FAKE_CALL(jvmti)                                                       \
	do {                                                                   \
		if (fake_fails(jvmti))                                         \
			return JVMTI_ERROR_OUT_OF_MEMORY;                      \
	} while (0)

jvmtiError JNICALL fake_follow(jvmtiEnv *jvmti, jint filter, jclass class,
			       jobject initial,
			       const jvmtiHeapCallbacks *callbacks,
			       const void *user);
jvmtiError JNICALL fake_iterate(jvmtiEnv *jvmti, jint filter, jclass class,
				const jvmtiHeapCallbacks *callbacks,
				const void *user);

#endif
