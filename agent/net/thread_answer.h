/* SPDX-License-Identifier: MIT */
/*
 * thread_answer.h - one thread, or all, and the monitor of one object.
 */
#ifndef AG_THREAD_ANSWER_H
#define AG_THREAD_ANSWER_H

#include "agent/net/known_objects.h"

/* Its state, stack and monitors; BRIEF: without the stack. */
void ag_answer_thread(struct ag_known *known, JNIEnv *jni,
		      struct ag_answer *answer, const char *name,
		      jthread thread, bool brief);
void ag_answer_threads(struct ag_known *known, JNIEnv *jni,
		       struct ag_answer *answer);

/* Owner, entry count, and who waits to enter or to be notified. */
void ag_answer_monitor(struct ag_known *known, JNIEnv *jni,
		       struct ag_answer *answer, jobject object);

#endif
