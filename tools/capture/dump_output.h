/* SPDX-License-Identifier: MIT */
/*
 * dump_output.h - where hprof-dump writes a dump to.
 */
#ifndef TOOLS_DUMP_OUTPUT_H
#define TOOLS_DUMP_OUTPUT_H

#include "tools/capture/dump.h"

/*
 * Opens it, for an exact copy unless the dump is changed. A file gets its name when the writer is finished;
 * until then, and after a failure, it is OUTPUT.part.
 */
bool dump_output_open(const struct dump_order *order,
		      struct hprof_writer **ret_writer, struct reason *reason);

/* The same for text; after a failure there is no part. */
bool dump_output_open_text(const struct dump_order *order,
			   struct hprof_output **ret_output,
			   struct reason *reason);

/* The dump is whole. If that fails, it is about the output. */
bool dump_output_finish(struct hprof_writer *writer, bool *ret_about_output,
			struct reason *reason);

bool dump_output_has_part(const struct dump_order *order);

/* The size of the file; 0 if there is none. */
uint64_t dump_output_size(const struct dump_order *order);

/*
 * The output's directory, which should have enough space; NULL: the default. To
 * be freed.
 */
char *dump_output_folder(const struct dump_order *order);

#endif
