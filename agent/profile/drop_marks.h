/* SPDX-License-Identifier: MIT */
/*
 * drop_marks.h - frees the JVM's memory for the tags of an environment. That itself
 * is not disposed of: a thread may still be in a callback that uses it.
 */
#ifndef AG_DROP_MARKS_H
#define AG_DROP_MARKS_H

#include <jvmti.h>

/* Removes all tags of MARKS. Live phase; stops the JVM for a walk of the heap. */
void ag_drop_marks(jvmtiEnv *marks);

#endif
