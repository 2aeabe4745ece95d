/* SPDX-License-Identifier: MIT */
/*
 * loaded_classes.h - classes that are loaded already are given to
 * ClassFileLoadHook once more, to be changed or changed back.
 */
#ifndef AG_LOADED_CLASSES_H
#define AG_LOADED_CLASSES_H

#include <stdbool.h>

#include <jvmti.h>

/* Which ones, and how many at a time: each batch is a pause of the JVM. */
struct ag_loaded_choice {
	bool (*wanted)(jvmtiEnv *jvmti, jclass class, const void *user);
	const void *user;
	jint batch; /* at least 1 */
};

/* Can this class be changed? Arrays cannot. */
bool ag_class_is_modifiable(jvmtiEnv *jvmti, jclass class);

/* Those of a batch; if one of them cannot be had, the others still can. */
void ag_classes_retransform(jvmtiEnv *jvmti, const jclass *classes, jint count);

/* All that can be changed and are wanted. *RET_COUNT: how many they are. */
jvmtiError ag_loaded_retransform(jvmtiEnv *jvmti, JNIEnv *jni,
				 const struct ag_loaded_choice *choice,
				 jint *ret_count);

#endif
