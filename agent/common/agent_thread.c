/* SPDX-License-Identifier: MIT */
/*
 * agent_thread.c - see agent_thread.h.
 */
#include "agent/common/agent_thread.h"

#include "agent/common/log.h"
#include "agent/common/thread_start.h"

bool ag_thread_run(jvmtiEnv *jvmti, JNIEnv *jni, jvmtiStartFunction run,
		   void *argument)
{
	const bool done =
		ag_thread_start(jvmti, jni, "hprof-agent", run, argument);

	if (!done)
		ag_log("the JVM starts no thread for the agent");
	return done;
}
