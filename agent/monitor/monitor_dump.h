/* SPDX-License-Identifier: MIT */
/*
 * monitor_dump.h - all threads with their states, and the monitors that they
 * have or want, at this moment.
 */
#ifndef AG_MONITOR_DUMP_H
#define AG_MONITOR_DUMP_H

#include "agent/profile/session.h"

/*
 * What it needs of JVMTI: an environment of its own, made while the agent is
 * loaded. Late, a JVM may know less of its monitors. NULL without it.
 */
jvmtiEnv *ag_monitor_dump_load(JavaVM *vm);

/* Fills in the threads and monitors of RET. False, if memory ran out. */
bool ag_monitor_dump(jvmtiEnv *jvmti, JNIEnv *jni,
		     const struct ag_session *session,
		     struct ag_monitor_report *ret);

#endif
