/* SPDX-License-Identifier: MIT */
/*
 * taking.h - what the user sees of a dump while it is taken: progress, signals,
 * and the line at the end.
 */
#ifndef TOOLS_TAKING_H
#define TOOLS_TAKING_H

#include <time.h>

#include "tools/capture/dump.h"

/* The members from result on, but start, are the caller's to set. */
struct taking {
	struct dump_order *order;
	struct progress progress;
	struct dump_result result;
	struct reason reason;
	struct timespec start;
	bool about_output, made;
};

/* Catches signals, and sets the order's progress. False, with a message, if not. */
bool taking_begin(struct taking *taking, struct dump_order *order,
		  enum progress_when when);

/*
 * Prints the closing line or the reason. FROM: the JVM, or the one who sends the
 * dump; MADE_BY: what made it. Returns the status to exit with.
 */
int taking_end(struct taking *taking, const char *from, const char *made_by);

#endif
