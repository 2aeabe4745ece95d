/* SPDX-License-Identifier: MIT */
/*
 * inputs.h - struct hprof_input in the place where it is used.
 */
#ifndef TESTS_INPUTS_H
#define TESTS_INPUTS_H

#include <hprof/input.h>

/* A pointer that is good until the end of the block; members in C's words. */
#define INPUT(...)                                                             \
	(&(const struct hprof_input){ .size = sizeof(struct hprof_input),      \
				      __VA_ARGS__ })

/* These have one thread. */
#define INPUT_PATH(argument) INPUT(.path = (argument), .threads = 1)
#define INPUT_FD(descriptor)                                                   \
	INPUT(.kind = HPROF_INPUT_FD, .fd = (descriptor), .threads = 1)
#define INPUT_MEMORY(start, count)                                             \
	INPUT(.kind = HPROF_INPUT_MEMORY, .bytes = (start),                    \
	      .byte_count = (count), .threads = 1)
#define INPUT_CALLBACK(function, argument)                                     \
	INPUT(.kind = HPROF_INPUT_CALLBACK, .read = (function),                \
	      .read_user = (argument), .threads = 1)

#endif
