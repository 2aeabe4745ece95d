/* SPDX-License-Identifier: MIT */
/*
 * late_objects.h - what the main walk missed: unreachable objects, classes that
 * were loaded meanwhile, and instances of classes without layout.
 */
#ifndef AG_LATE_OBJECTS_H
#define AG_LATE_OBJECTS_H

#include "agent/dump/class_mirrors.h"

/*
 * Finds the objects in the whole heap that have no tag, and walks from them,
 * without visiting any object that has a record. False if memory ran out or the
 * walk failed.
 */
bool ag_leftovers_walk(struct ag_walk *walk, jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Links the classes without layout whose instances were met, and adds the
 * classes that were loaded during the walk.
 */
bool ag_leftovers_find(struct ag_walk *walk, jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * For a walk after which the JVM cannot be asked: adds the classes that were
 * loaded since the table was made.
 */
bool ag_leftovers_foresee(struct ag_walk *walk, jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Writes the classes that are not written yet and the instances that waited for
 * them. LOAD_CLASS records are there for the first KNOWN classes.
 */
bool ag_leftovers_put(struct ag_walk *walk, const struct ag_mirrors *mirrors,
		      bool constants, uint32_t known);

#endif
