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
 * Starts sampling, once the JVM is initialized; SINK is used until
 * ag_thread_sampler_stop. There is one in a process. Returns NULL, or why not.
 */
const char *ag_thread_sampler_start(JavaVM *vm, JNIEnv *jni,
				    const struct ag_sample_sink *sink);

/* Events of the calling thread, which have an effect while it samples. */
void ag_thread_sampler_thread_start(JNIEnv *jni, jthread thread);
void ag_thread_sampler_thread_end(JNIEnv *jni, jthread thread);

/* Hands on what is known of threads that have ended. */
void ag_thread_sampler_flush(void);

/* Ends it; afterwards nothing uses the sink. May be called without start. */
void ag_thread_sampler_stop(JNIEnv *jni);

#endif
