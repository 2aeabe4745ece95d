/* SPDX-License-Identifier: MIT */
/*
 * code_events.h - what a JVM must tell, from early on, so that stacks can be had
 * in signal handlers: AsyncGetCallTrace works only if classes are announced and
 * the ids of all methods are made, since it cannot make them; and async_stack.h
 * and code_map.h want to know where code is.
 */
#ifndef AG_CODE_EVENTS_H
#define AG_CODE_EVENTS_H

#include <jvmti.h>

/*
 * Takes the environment for these events alone: its callbacks are set. To be
 * called while the agent is loaded. Returns NULL, or why it failed.
 */
const char *ag_code_events_enable(jvmtiEnv *jvmti);

/* What was there before, once the JVM is initialized. */
void ag_code_events_catch_up(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
