/* SPDX-License-Identifier: MIT */
/*
 * check.h - whether this JVM may be forked now.
 */
#ifndef AG_CHECK_H
#define AG_CHECK_H

#include <jvmti.h>

#include "agent/fork/guard.h"

struct ag_check {
	enum ag_refusal refusal;
	uint64_t needed, room; /* bytes, if there is too little memory */
	uint64_t counters, counters_end; /* as in struct ag_maps */
};

/* Reads /proc and the control groups. Nothing is allocated in the Java heap. */
void ag_check_fork(jvmtiEnv *jvmti, JNIEnv *jni, struct ag_check *ret);

#endif
