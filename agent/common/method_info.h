/* SPDX-License-Identifier: MIT */
/*
 * method_info.h - what a JVM knows of a method: its names and its lines.
 */
#ifndef AG_METHOD_INFO_H
#define AG_METHOD_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include <jvmti.h>

/* What is not known is NULL, 0 or false. */
struct ag_method {
	char *name, *signature, *source;
	jvmtiLineNumberEntry *lines; /* unsorted */
	jint line_count;
	bool native;
	uint32_t class_serial; /* set by the caller */
};

/*
 * Asks the JVM. RET is freed by ag_method_release. *RET_CLASS, if not NULL, is
 * a local reference for the caller to delete. If the method's class was
 * unloaded, nothing is known. No Java object is allocated.
 */
void ag_method_read(jvmtiEnv *jvmti, jmethodID id, struct ag_method *ret,
		    jclass *ret_class);
void ag_method_release(struct ag_method *method, jvmtiEnv *jvmti);

/* The line at LOCATION, or as in FRAME records: -1 unknown, -3 native. */
int32_t ag_method_line(const struct ag_method *method, jlocation location);

#endif
