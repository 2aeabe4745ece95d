/* SPDX-License-Identifier: MIT */
/*
 * management.h - what the JVM's beans, java.lang.management, say of its memory.
 *
 * The calling thread runs Java for it: never in a pause, and not in an event that
 * forbids JNI. Local references and exceptions are the callee's matter.
 */
#ifndef PF_MANAGEMENT_H
#define PF_MANAGEMENT_H

#include "prof/environment.h"

/* What is known of collectors, by their place in the JVM's list. */
enum { PF_MOST_COLLECTORS = 8 };
struct pf_collectors {
	jlong ids[PF_MOST_COLLECTORS]; /* of their last collection */
};

/*
 * Sets the bytes in RET, -1 if the JVM does not say: of the last collection that
 * has ended since the last call. If there is none, RET is untouched.
 */
void pf_management_last_collection(JNIEnv *jni,
				   struct pf_collectors *collectors,
				   jvmtiProfCollection *ret);

/* As GetMemoryPools; E's environment of JVMTI allocates. */
jvmtiProfError pf_management_pools(const struct pf_env *e, JNIEnv *jni,
				   jint *ret_count,
				   jvmtiProfMemoryPool **ret_pools);

#endif
