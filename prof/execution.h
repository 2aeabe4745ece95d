/* SPDX-License-Identifier: MIT */
/*
 * execution.h - samples of the threads that use the CPU.
 */
#ifndef PF_EXECUTION_H
#define PF_EXECUTION_H

#include "prof/environment.h"

/*
 * What samples and stacks need, each asked for once, before VMInit if that is
 * possible. NULL, or why this JVM or machine has it not.
 */
const char *pf_execution_prepare(void);

/*
 * Sets or ends the timers as the environments want them now: whose event is
 * enabled, and how often. NULL, or why there are no samples.
 */
const char *pf_execution_update(void);

/* Events. The thread is the calling one. */
void pf_execution_begin(JNIEnv *jni, jthread main_thread); /* VMInit, once */
void pf_execution_thread_start(JNIEnv *jni, jthread thread);
void pf_execution_thread_end(JNIEnv *jni);
void pf_execution_end(void); /* VMDeath */

/*
 * The stack of the calling thread, as GetStackTraceAsync has it: of what was
 * interrupted, if this is in a handler of a sample. The number of frames;
 * negative: AG_ASYNC_... of agent/sampling/async_stack.h. 0: no Java, or not
 * between pf_execution_begin and pf_execution_end.
 */
jint pf_execution_stack(jvmtiProfFrameInfo *frames, jint depth);

/* Is the JVM between pf_execution_begin and pf_execution_end? Handlers may ask. */
bool pf_execution_is_live(void);

#endif
