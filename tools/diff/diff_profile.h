/* SPDX-License-Identifier: MIT */
/*
 * diff_profile.h - compares the profiles of two dumps, stack by stack.
 */
#ifndef TOOLS_DIFF_PROFILE_H
#define TOOLS_DIFF_PROFILE_H

#include "tools/common/input.h"

/* As CLI_CHOICE has it; the first are those of enum stack_weight. */
#define DIFF_PROFILES                                                         \
	"samples|live-bytes|live-objects|allocated-bytes|allocated-objects|" \
	"allocations"

struct diff_profile_options {
	unsigned what; /* index in DIFF_PROFILES */
	uint64_t top;  /* rows; 0: all */
	bool as_json;
};

/* Reads both dumps and prints the report. Returns an exit status. */
int diff_profile(char *const paths[2], const struct diff_profile_options *how,
		 const struct input_options *input);

#endif
