/* SPDX-License-Identifier: MIT */
/*
 * no_compression.c - replaces the library's compressors and decompressors, which
 * need libraries besides libc. Compression would also make the JVM's pause
 * longer, and the agent reads only what it has written.
 */
#include "base/error.h"
#include "io/sink.h"
#include "io/source.h"

enum hprof_status hp_sink_compress(struct hp_sink **sink,
				   const struct hprof_writer_options *o,
				   struct hprof_error *error)
{
	if (o->compression == HPROF_PLAIN)
		return HPROF_OK;
	hp_sink_close(*sink);
	return hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
		       "no compression here");
}

enum hprof_status hp_source_open(struct hp_source *bottom, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error)
{
	(void)member;
	(void)threads;
	(void)error;
	*ret = bottom;
	return HPROF_OK;
}
