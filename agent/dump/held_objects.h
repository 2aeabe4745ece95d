/* SPDX-License-Identifier: MIT */
/*
 * held_objects.h - global references that the agent creates.
 *
 * JVMTI neither reports the fields of java.lang.Class objects nor follows them.
 * So the objects that they refer to get a tag and a global reference before the
 * walk, which then finds them even if nothing else leads there. The walk
 * reports these references as roots, but they are not the program's: for each
 * reference of ours one report is skipped. Nothing is allocated in the Java
 * heap, which may be full.
 */
#ifndef AG_HELD_OBJECTS_H
#define AG_HELD_OBJECTS_H

#include "agent/dump/class_table.h"

struct ag_held {
	jobject *refs;
	size_t ref_count, ref_room;

	/*
	 * By place. Classes are not listed here; they have a flag in their
	 * table.
	 */
	struct ag_held_object {
		uint32_t place;
		uint32_t refs; /* global references not yet reported */
	} *objects;
	size_t object_count, object_room;
};

/*
 * Holds OBJECT, which gets a tag if it has none. KEPT more global references to
 * it are ours as well, but are not dropped here. Returns NULL and sets the
 * object's identifier, or says why it failed.
 */
const char *ag_hold(struct ag_held *held, struct ag_classes *classes,
		    jvmtiEnv *jvmti, JNIEnv *jni, jobject object, uint32_t kept,
		    uint64_t *ret_id);

/* Holds a class of the table, by its serial. */
const char *ag_hold_class(struct ag_held *held, struct ag_classes *classes,
			  JNIEnv *jni, uint32_t serial);

/*
 * For heap callbacks: is this report of a global reference to the object with
 * TAG to be skipped?
 */
bool ag_held_is_ours(struct ag_held *held, struct ag_classes *classes,
		     uint64_t tag);

/* Drops the references. It may be called more than once. */
void ag_held_drop(struct ag_held *held, JNIEnv *jni);

void ag_held_free(struct ag_held *held); /* not the references */

#endif
