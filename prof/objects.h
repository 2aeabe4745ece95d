/* SPDX-License-Identifier: MIT */
/*
 * objects.h - allocations and releases, told to the environments. All of them
 * follow the same objects: by the shortest interval and the deepest stacks that
 * one of them asks for.
 */
#ifndef PF_OBJECTS_H
#define PF_OBJECTS_H

#include "prof/environment.h"

/* Once; later calls say whether that went well. Under pf_lock. */
bool pf_objects_prepare(void);

/* Under pf_lock, and after pf_objects_prepare went well, or without effect. */
bool pf_objects_update(void);

void pf_objects_begin(JNIEnv *jni); /* VMInit */
void pf_objects_thread_end(JNIEnv *jni);

/*
 * Objects that are followed: those that live, and those that ever did. False if
 * none are. With JNI, all ends are told first.
 */
bool pf_objects_count(JNIEnv *jni, double *ret_live, double *ret_made);

/* As GetAllocationSites. */
jvmtiProfError pf_objects_sites(const struct pf_env *e, JNIEnv *jni,
				jint *ret_count, jvmtiProfSite **ret_sites);

#endif
