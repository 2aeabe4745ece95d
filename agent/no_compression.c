/* SPDX-License-Identifier: MIT */
/*
 * no_compression.c - in place of the library's compressors, which need more
 * than the C library. A JVM that has to stop for a dump should not compress.
 */
#include "base/error.h"
#include "io/sink.h"

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
