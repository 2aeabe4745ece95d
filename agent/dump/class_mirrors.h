/* SPDX-License-Identifier: MIT */
/*
 * class_mirrors.h - the fields of the java.lang.Class objects, which JVMTI does
 * not report, and the mirrors of primitive types (int.class), which it does not
 * visit.
 *
 * Their values are read before the walk and held (see held_objects.h), so that
 * the walk finds objects that are reachable only through these fields. The
 * classes are held, too. Local references would not do: when the heap is
 * exhausted, HotSpot does not report those of the current thread.
 */
#ifndef AG_CLASS_MIRRORS_H
#define AG_CLASS_MIRRORS_H

#include "agent/dump/held_objects.h"
#include "agent/dump/walk.h"

struct ag_mirrors;

/*
 * Reads the fields. All classes in the table must have their local references,
 * which are deleted by this. NULL and *RET_WHY, a constant string, on failure.
 */
struct ag_mirrors *ag_mirrors_read(struct ag_classes *classes, jvmtiEnv *jvmti,
				   JNIEnv *jni, const char **ret_why);
void ag_mirrors_free(struct ag_mirrors *mirrors); /* NULL is fine */

/* Drops all references: after the walk over all objects, or on failure. */
void ag_mirrors_drop(struct ag_mirrors *mirrors, JNIEnv *jni);

/* The held objects, for the walk. They belong to MIRRORS. */
struct ag_held *ag_mirrors_held(struct ag_mirrors *mirrors);

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
 * Write INSTANCE_DUMPs of the mirrors of primitive types, and of the mirrors
 * that the walk met but that belong to no class in the table: their classes are
 * in the JVM's CDS archive and not loaded. The fields of these cannot be read,
 * so they are all 0.
 */
bool ag_mirrors_put_primitives(struct ag_mirrors *mirrors,
			       struct ag_walk *walk);
bool ag_mirrors_put_unloaded(const struct ag_mirrors *mirrors,
			     struct ag_walk *walk);

#endif
