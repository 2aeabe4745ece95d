/* SPDX-License-Identifier: MIT */
/*
 * sample_sink.h - what the two samplers have in common: what they are asked, and
 * where their samples go.
 */
#ifndef AG_SAMPLE_SINK_H
#define AG_SAMPLE_SINK_H

#include <stdint.h>

#include <jvmti.h>

struct ag_sample_sink {
	uint64_t interval_ns; /* of CPU time, that a sample stands for */
	jint depth;	      /* frames of a stack at most */

	/* The serial of a thread for traces; 0: they are of any thread. */
	uint32_t (*thread)(void *user, jthread thread);
	/* WEIGHT samples of a stack; COUNT is at least 1. */
	void (*stack)(void *user, JNIEnv *jni, const jvmtiFrameInfo *frames,
		      jint count, uint32_t thread, uint64_t weight);
	/* WEIGHT samples without one; WHY is a static string. */
	void (*unknown)(void *user, const char *why, uint64_t weight);
	void *user;
};

#endif
