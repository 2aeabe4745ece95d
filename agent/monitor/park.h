/* SPDX-License-Identifier: MIT */
/*
 * park.h - threads that wait for locks of java.util.concurrent. JVMTI has no
 * event for them; but all of them wait in Unsafe.park, a native method, which
 * can be wrapped when the JVM binds it, early in its life.
 */
#ifndef AG_PARK_H
#define AG_PARK_H

#include <jvmti.h>

#include "agent/monitor/monitor_times.h"
#include "agent/profile/session.h"

/*
 * In Agent_OnLoad: wraps the method, once in a process. Returns NULL, or why
 * not.
 */
const char *ag_park_load(JavaVM *vm);

/* From now on waits are added to TIMES. Returns NULL, or why not. */
const char *ag_park_begin(JNIEnv *jni, const struct ag_session *session,
			  struct ag_monitor_times *times);
void ag_park_stop(void);

#endif
