/* SPDX-License-Identifier: MIT */
/*
 * samples_async.h - sampler=async: each thread is interrupted when it has used
 * so much CPU time, and its stack is taken where it is, not where the JVM can
 * stop it.
 */
#ifndef AG_SAMPLES_ASYNC_H
#define AG_SAMPLES_ASYNC_H

#include <stdbool.h>

#include "agent/sampling/sample_sink.h"

/*
 * To be called while the agent is loaded: AsyncGetCallTrace works only if the
 * JVM announces classes from early on. Returns NULL, or why there will be no
 * samples.
 */
const char *ag_async_load(JavaVM *vm);

/*
 * Starts sampling, once the JVM is initialized; SINK is used until
 * ag_async_stop, by one thread at a time. Returns NULL, or why not.
 */
const char *ag_async_start(JNIEnv *jni, const struct ag_sample_sink *sink);

/* Events of the calling thread, which have an effect while it samples. */
void ag_async_thread_start(jthread thread);
void ag_async_thread_end(JNIEnv *jni);

/* Hands on what was sampled so far. Any thread. */
void ag_async_flush(JNIEnv *jni);

/* Ends it; afterwards nothing uses the sink. May be called without start. */
void ag_async_stop(JNIEnv *jni);

#endif
