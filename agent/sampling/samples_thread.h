/* SPDX-License-Identifier: MIT */
/*
 * samples_thread.h - sampler=thread: a thread of the agent looks now and then
 * which threads have used CPU time, and asks the JVM for their stacks.
 *
 * The JVM stops a thread for that at its next safepoint, so that the stack is
 * the one of a call or loop a little later than where the time was used.
 */
#ifndef AG_SAMPLES_THREAD_H
#define AG_SAMPLES_THREAD_H

#include "agent/sampling/sample_sink.h"

/*
 * Starts sampling, once the JVM is initialized; SAMPLER is used until
 * ag_thread_sampler_stop. There is one in a process. Returns NULL, or why not.
 */
const char *ag_thread_sampler_start(JavaVM *vm, JNIEnv *jni,
				    const struct ag_sample_sink *sampler);

/* Ends it; afterwards nothing uses the sampler. May be called without start. */
void ag_thread_sampler_stop(JNIEnv *jni);

#endif
