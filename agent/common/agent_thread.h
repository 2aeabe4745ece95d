/* SPDX-License-Identifier: MIT */
/* agent_thread.h - threads of the agent that may call the JVM. */
#ifndef AG_AGENT_THREAD_H
#define AG_AGENT_THREAD_H

#include <stdbool.h>

#include <jvmti.h>

/*
 * Starts a daemon thread called hprof-agent that runs RUN with ARGUMENT. The
 * JVM must be initialized. False, with a message logged, on failure.
 */
bool ag_thread_run(jvmtiEnv *jvmti, JNIEnv *jni, jvmtiStartFunction run,
		   void *argument);

#endif
