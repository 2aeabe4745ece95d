/* SPDX-License-Identifier: MIT */
/*
 * compression.h - how the output is compressed, by the options that
 * CLI_OPTION_COMPRESS, CLI_OPTION_COMPRESS_LEVEL and CLI_OPTION_JOBS read, and by the
 * suffix of its name.
 */
#ifndef TOOLS_COMPRESSION_H
#define TOOLS_COMPRESSION_H

#include <hprof.h>

#include "tools/common/cli.h"

/*
 * What the option says. With "auto" the suffix of NAME decides; it may be NULL.
 */
enum hprof_compression compression_of(const struct cli_choice *choice,
				      const char *name);

/* The suffix, such as ".gz"; "" for HPROF_PLAIN. */
const char *compression_suffix(enum hprof_compression compression);

/* The length of NAME without the suffix of a compression, if it has one. */
size_t compression_stem(const char *name);

/*
 * Options for a writer with that compression. It gets one thread for each CPU
 * unless JOBS says otherwise. A level that the compression does not have ends
 * the process.
 */
struct hprof_writer_options
compression_options(enum hprof_compression compression,
		    const struct cli_number *level,
		    const struct cli_number *jobs);

#endif
