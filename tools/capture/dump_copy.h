/* SPDX-License-Identifier: MIT */
/*
 * dump_copy.h - copies a dump byte for byte through the library's reader and
 * writer, which check whether it is complete, count its objects, and compress
 * it on the way.
 */
#ifndef TOOLS_DUMP_COPY_H
#define TOOLS_DUMP_COPY_H

#include <hprof.h>

#include "tools/common/progress.h"
#include "tools/capture/failure_text.h"

struct dump_copy {
	bool first_only; /* set by the caller: ends where the first dump does */
	uint64_t objects; /* instances and arrays */
	uint64_t bytes;	  /* of the dump, as far as it was copied */
};

enum dump_copy_result {
	DUMP_COPIED,	      /* complete; the writer is not finished yet */
	DUMP_COPY_UNREADABLE, /* it ends too early, or is not a dump */
	DUMP_COPY_UNWRITABLE
};

/* Sets options for an exact copy; keeps the first error for dump_copy. */
void dump_copy_reader_options(struct hprof_reader_options *ret_options,
			      struct reason *first_error);

enum dump_copy_result
dump_copy(struct hprof_reader *reader, struct hprof_writer *writer,
	  struct progress *progress, const struct reason *first_error,
	  struct dump_copy *ret_copy, struct reason *ret_reason);

#endif
