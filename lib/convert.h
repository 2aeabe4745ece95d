/*
 * convert.h - what the parts of a conversion share.
 */
#ifndef HP_CONVERT_H
#define HP_CONVERT_H

#include "hprof/convert.h"

struct hp_convert {
	const char *path;
	const char *out; /* NULL: fd */
	int fd;
	struct hprof_writer_options output;
	struct hprof_convert_options options;
	struct hprof_reader *reader;
	struct hprof_writer *writer;
	uint64_t seen;	/* diagnostics in this pass */
	uint64_t told;	/* that the caller has got */
	uint64_t count; /* records in this pass */
	struct hprof_convert_result result;
	struct hprof_error *error;
	uint8_t *piece; /* HP_PIECE bytes */
};

#define HP_PIECE ((size_t)256 << 10)

#endif
