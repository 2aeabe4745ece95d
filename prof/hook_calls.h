/* SPDX-License-Identifier: MIT */
/*
 * hook_calls.h - the calls that intercepted methods make.
 */
#ifndef PF_HOOK_CALLS_H
#define PF_HOOK_CALLS_H

#include <stdbool.h>

#include <jvmti.h>

/*
 * Defines the class that they go to, if it is not there yet. Until then no
 * method may call it.
 */
bool pf_hook_calls_define(JNIEnv *jni);

/* Is this a method of ours, which users of stacks need not see? */
bool pf_hook_calls_own(jmethodID method);

#endif
