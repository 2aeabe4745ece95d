/* SPDX-License-Identifier: MIT */
/* monitor_trace.c - see monitor_trace.h. */
#include "agent/monitor/monitor_trace.h"

#include "base/mem.h"

enum { USUAL_DEPTH = 32 };

static uint32_t trace_into(const struct ag_session *s, JNIEnv *jni,
			   jthread thread, jvmtiFrameInfo *frames)
{
	jint count;
	uint32_t trace;

	if ((*s->jvmti)->GetStackTrace(s->jvmti, thread, 0,
				       (jint)s->options->depth, frames, &count))
		return AG_TRACE_EMPTY;
	trace = ag_traces_add(s->traces, jni, frames, (uint32_t)count,
			      ag_session_thread(s, thread));
	return trace ? trace : AG_TRACE_EMPTY;
}

uint32_t ag_monitor_trace(const struct ag_session *s, JNIEnv *jni,
			  jthread thread)
{
	jvmtiFrameInfo usual[USUAL_DEPTH], *frames;
	uint32_t trace;

	if (s->options->depth <= USUAL_DEPTH)
		return trace_into(s, jni, thread, usual);
	frames = hp_calloc(s->options->depth, sizeof *frames);
	if (!frames)
		return AG_TRACE_EMPTY;
	trace = trace_into(s, jni, thread, frames);
	hp_free(frames);
	return trace;
}
