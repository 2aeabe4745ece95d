/* SPDX-License-Identifier: MIT */
/*
 * dump_copy.h - a dump on its way from a JVM to the output.
 *
 * It is copied byte for byte through the library's reader and writer, which
 * check whether it is complete, count its objects, and compress it; or changed
 * as the order has it, by the library's conversion.
 */
#ifndef TOOLS_DUMP_COPY_H
#define TOOLS_DUMP_COPY_H

#include <hprof.h>

#include "tools/capture/dump.h"

struct dump_copy {
	bool first_only; /* set by the caller: ends where the first dump does */
	uint64_t objects; /* instances and arrays */
};

enum dump_copy_result {
	DUMP_COPIED,	      /* complete; the writer is not finished yet */
	DUMP_COPY_UNREADABLE, /* it ends too early, or is not a dump */
	DUMP_COPY_UNWRITABLE
};

/*
 * INPUT is read once, in order. What is to be changed goes nowhere else as it
 * is: if the dump turns out to be damaged, nothing more is read.
 */
enum dump_copy_result dump_copy(const struct hprof_input *input,
				const struct dump_order *order,
				struct hprof_writer *writer,
				struct dump_copy *ret_copy,
				struct reason *ret_reason);

#endif
