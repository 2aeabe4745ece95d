/* SPDX-License-Identifier: MIT */
/*
 * class_mirrors.h - the fields of the java.lang.Class objects, which JVMTI does
 * not report, and the mirrors of primitive types (int.class), which it does not
 * visit.
 *
 * Their values are read before the walk and put into one Java array, behind
 * all classes. The walk over the classes begins with this array and so learns
 * the ids; the great walk meets it as a global reference, and so finds what is
 * reached only through these fields. A local one would not do: where the heap
 * is exhausted, HotSpot does not report those of the thread that we are in.
 * The array is hidden from the dump.
 */
#ifndef AG_CLASS_MIRRORS_H
#define AG_CLASS_MIRRORS_H

#include "agent/dump/walk.h"

struct ag_mirrors;

/*
 * Reads the fields. All classes in the table must have their references. Not
 * everything may be there when the JVM has no memory. NULL without memory of
 * our own.
 */
struct ag_mirrors *ag_mirrors_read(struct ag_classes *classes, jvmtiEnv *jvmti,
				   JNIEnv *jni);
void ag_mirrors_free(struct ag_mirrors *mirrors); /* NULL is fine */

/* Was there memory in the JVM for the values? Else all of them are 0. */
bool ag_mirrors_are_known(const struct ag_mirrors *mirrors);

/* Lets go of the array, after the walk over everything, or before the end. */
void ag_mirrors_drop(struct ag_mirrors *mirrors, JNIEnv *jni);

/*
 * Empties an array of ours: it will be garbage, and a later dump of
 * unreachable objects shall not find more behind it.
 */
void ag_array_clear(JNIEnv *jni, jobjectArray array);

/*
 * The walk over the classes, with the array, or without it class by class;
 * then the values are known. The references in the table are gone afterwards,
 * all but the array.
 */
enum hprof_status ag_mirrors_walk(struct ag_mirrors *mirrors,
				  struct ag_walk *walk, jvmtiEnv *jvmti,
				  JNIEnv *jni);

/* Fields of the mirror of the class with a serial. */
struct ag_mirror_field {
	uint64_t name; /* "$class$classLoader" */
	uint64_t value;
	uint8_t type;
};
unsigned ag_mirrors_field_count(const struct ag_mirrors *mirrors);
struct ag_mirror_field ag_mirrors_field(const struct ag_mirrors *mirrors,
					uint32_t serial, unsigned index);

/* The value of the field of java.lang.Class called NAME; 0 if there is none. */
uint64_t ag_mirrors_value(const struct ag_mirrors *mirrors, uint32_t serial,
			  const char *name);

/*
 * INSTANCE_DUMPs of the mirrors of primitive types, and of the mirrors that
 * were met and belong to no class: those of classes that are in the JVM's
 * archive and not loaded. Of the latter nothing can be asked, all is 0.
 */
bool ag_mirrors_put_primitives(struct ag_mirrors *mirrors,
			       struct ag_walk *walk);
bool ag_mirrors_put_unloaded(const struct ag_mirrors *mirrors,
			     struct ag_walk *walk);

#endif
