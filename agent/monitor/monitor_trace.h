/* SPDX-License-Identifier: MIT */
/* monitor_trace.h - where a thread is, as a trace of the session. */
#ifndef AG_MONITOR_TRACE_H
#define AG_MONITOR_TRACE_H

#include "agent/profile/session.h"

/* THREAD NULL: the current one. AG_TRACE_EMPTY if it cannot be had. */
uint32_t ag_monitor_trace(const struct ag_session *session, JNIEnv *jni,
			  jthread thread);

#endif
