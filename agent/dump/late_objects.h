/* SPDX-License-Identifier: MIT */
/*
 * late_objects.h - what the great walk left: objects that it did not reach,
 * classes that were loaded meanwhile, instances of classes without layout.
 */
#ifndef AG_LATE_OBJECTS_H
#define AG_LATE_OBJECTS_H

#include "agent/dump/class_mirrors.h"

/*
 * Finds the objects that have no tag, in the whole heap, and walks from these;
 * none is visited that has a record. False: there was no memory for that, or
 * the walk failed.
 */
bool ag_leftovers_walk(struct ag_walk *walk, jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Links the classes that instances were met of, adds those that came while
 * the heap was walked, and writes them, and their instances.
 */
bool ag_leftovers_classes(struct ag_walk *walk,
			  const struct ag_mirrors *mirrors, bool constants,
			  jvmtiEnv *jvmti, JNIEnv *jni);

#endif
