/* SPDX-License-Identifier: MIT */
/*
 * held_objects.h - global references of our own.
 *
 * JVMTI neither reports the fields of java.lang.Class objects nor follows
 * them. What they refer to gets its tag before the walk, and a global
 * reference, so that the walk finds it although nothing else may lead there.
 * The walk reports these references as roots, and they are none of the
 * program's: as many reports are passed over as there are references of ours.
 * Nothing is allocated in the Java heap, which may be full.
 */
#ifndef AG_HELD_OBJECTS_H
#define AG_HELD_OBJECTS_H

#include "agent/dump/class_table.h"

struct ag_held {
	jobject *refs;
	size_t ref_count, ref_room;

	/* Without classes, which count for themselves; by place. */
	struct ag_held_object {
		uint32_t place;
		uint32_t refs; /* that were not reported yet */
	} *objects;
	size_t object_count, object_room;
};

/*
 * Holds OBJECT, which gets a tag if it has none. KEPT more global references
 * to it are ours as well, but not to be dropped here. NULL, and its
 * identifier, or why it failed.
 */
const char *ag_hold(struct ag_held *held, struct ag_classes *classes,
		    jvmtiEnv *jvmti, JNIEnv *jni, jobject object, uint32_t kept,
		    uint64_t *ret_id);

/* A class in the table, by its serial. */
const char *ag_hold_class(struct ag_held *held, struct ag_classes *classes,
			  JNIEnv *jni, uint32_t serial);

/*
 * In a heap callback: is this report of a global reference to the object with
 * TAG to be passed over?
 */
bool ag_held_is_ours(struct ag_held *held, struct ag_classes *classes,
		     uint64_t tag);

/* Drops the references; again is fine. */
void ag_held_drop(struct ag_held *held, JNIEnv *jni);

void ag_held_free(struct ag_held *held); /* the memory alone */

#endif
