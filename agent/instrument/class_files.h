/* SPDX-License-Identifier: MIT */
/*
 * class_files.h - class files for the running JVM: classes that instrumented
 * methods call, which were compiled when the library was built and are defined
 * in the boot loader, where every other class finds them; and rewritten ones.
 */
#ifndef AG_CLASS_FILES_H
#define AG_CLASS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "agent/instrument/class_rewrite.h"

struct ag_class_file {
	const char *name; /* java/lang/String */
	const unsigned char *bytes;
	size_t size;
};

/* Each class before those that refer to it; written by embed. */
struct ag_class_files {
	const struct ag_class_file *list;
	size_t count;
};

/*
 * What ClassFileLoadHook gives for a class: the rewritten one, unless there is
 * none or no memory for it. Ends REWRITTEN.
 */
void ag_rewritten_give(struct ag_rewritten *rewritten, jvmtiEnv *jvmti,
		       jint *ret_size, unsigned char **ret_bytes);

/* False if one of them cannot be defined. No exception is left pending. */
bool ag_class_files_define(JNIEnv *jni, const struct ag_class_files *files);

/*
 * Did the last call of JNI give a RESULT? A pending exception, which is cleared,
 * means that something of the JDK is missing.
 */
bool ag_jni_went_well(JNIEnv *jni, const void *result);

#endif
