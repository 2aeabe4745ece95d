/* SPDX-License-Identifier: MIT */
/*
 * jvm_dump.h - a dump that the JVM itself writes: much faster than a walk, since
 * the JVM need not keep a tag for each object.
 *
 * What such a dump needs in the Java heap is reserved beforehand, so that it can
 * be taken when the heap is full.
 */
#ifndef AG_JVM_DUMP_H
#define AG_JVM_DUMP_H

#include <jvmti.h>

#include "agent/common/output.h"

/*
 * Finds the JVM's dumper and reserves what it needs, unless that is done
 * already. NULL, or a constant string that says why this JVM cannot be asked
 * for a dump.
 */
const char *ag_jvm_dump_prepare(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni);

enum ag_jvm_dumped {
	AG_JVM_DUMPED,
	AG_JVM_FAILED,	/* it began to write, but did not succeed */
	AG_JVM_UNUSABLE /* nothing was written; a walk may succeed */
};

struct ag_jvm_result {
	uint64_t bytes;
	char error[1024];
};

/*
 * Lets the JVM write a dump and completes OUTPUT, a claim. With LIVE, the JVM
 * collects garbage first; without, nothing is allocated in the Java heap. Only
 * one thread at a time may do that.
 */
enum ag_jvm_dumped ag_jvm_dump(JNIEnv *jni, struct ag_output *output, bool live,
			       struct ag_jvm_result *ret);

#endif
