/* SPDX-License-Identifier: MIT */
/*
 * object_answer.h - what is in one object: its fields, or its elements.
 */
#ifndef AG_OBJECT_ANSWER_H
#define AG_OBJECT_ANSWER_H

#include "agent/net/known_objects.h"

/* LEVEL: as of a dump, 1 without primitive values, 0 without references. */
void ag_answer_object(struct ag_known *known, JNIEnv *jni,
		      struct ag_answer *answer, jobject object, unsigned level);

#endif
