/* SPDX-License-Identifier: MIT */
/*
 * class_reader.h - fills the table of classes with what JVMTI reports. Each
 * function returns NULL, or a constant string that says why it failed.
 */
#ifndef AG_CLASS_READER_H
#define AG_CLASS_READER_H

#include "agent/dump/class_table.h"

/*
 * Adds the loaded classes that are not in the table, and tags them; call it
 * again until *RET_NEW is 0. The local references stay in the current frame. To
 * be called before any object gets an id.
 */
const char *ag_classes_collect(struct ag_classes *classes, jvmtiEnv *jvmti,
			       JNIEnv *jni, uint32_t *ret_new);

/*
 * Adds a class that the walk met and that is not in the table, with the place
 * that the walk gave it. The table takes over the reference CLASS. Read such
 * classes only when all are added: one may be the superclass of another.
 */
const char *ag_classes_add_late(struct ag_classes *classes, jvmtiEnv *jvmti,
				jclass class, uint32_t place);
const char *ag_classes_read_late(struct ag_classes *classes, struct ag_class *c,
				 jvmtiEnv *jvmti, JNIEnv *jni);

/* Tries to link a class; failures are ignored. */
void ag_class_link(JNIEnv *jni, jclass class);

/* Reads the fields of a class that was AG_UNLINKED, if they are known now. */
const char *ag_classes_read_again(struct ag_classes *classes,
				  struct ag_class *c, jvmtiEnv *jvmti,
				  JNIEnv *jni, jclass class);

#endif
