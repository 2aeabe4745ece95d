/* SPDX-License-Identifier: MIT */
/*
 * sink_compress.c - the compressor that the writer's options ask for. This is a
 * separate file so that the agent can be linked without compressors.
 */
#include "base/thread.h"
#include "io/sink.h"

enum hprof_status hp_sink_compress(struct hp_sink **sink,
				   const struct hprof_writer_options *o,
				   struct hprof_error *error)
{
	unsigned threads = hp_thread_count(o->threads);

	switch (o->compression) {
	case HPROF_PLAIN:
		return HPROF_OK;
	case HPROF_GZIP:
		return hp_sink_gzip(*sink, o->level, threads, sink, error);
	default:
		return hp_sink_archive(*sink, o->compression, o->level, threads,
				       sink, error);
	}
}
