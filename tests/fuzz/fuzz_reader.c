/* SPDX-License-Identifier: MIT */
/*
 * fuzz_reader.c - the reader, over any bytes: dumps, compressed or not. It
 * must come to an end, and say the same of a dump in memory, of a stream in
 * small pieces and, if they are proved, of units. Archives are only read:
 * where they can be sought in, libarchive looks for other things.
 */
#include <stdlib.h>
#include <string.h>

#include "../trace.h"
#include "../inputs.h"
#include "target.h"

static void same(struct trace *a, struct trace *b)
{
	if (trace_difference(a, b) != SIZE_MAX)
		abort();
	trace_free(b);
}

static struct trace from_memory(const uint8_t *bytes, size_t size, bool bodies,
				unsigned dump)
{
	struct trace trace = { 0 };
	struct hprof_reader_options options = trace_options(&trace);
	struct hprof_reader *reader;

	trace.status = hprof_reader_open(
		INPUT(.kind = HPROF_INPUT_MEMORY, .bytes = bytes,
		      .byte_count = size, .dump = dump, .threads = 1),
		&options, &reader, NULL);
	if (trace.status == HPROF_OK) {
		trace_read(&trace, reader, bodies, true);
		hprof_reader_close(reader);
	}
	return trace;
}

static bool is_archive(const uint8_t *bytes, size_t size)
{
	return size < 2 || (memcmp(bytes, "JA", 2) != 0 &&
			    memcmp(bytes, "\x1f\x8b", 2) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const size_t pieces[] = { 1, 3, 13, 31, 509, 4096 };
	struct trace plain = from_memory(bytes, size, true, 0);
	struct trace other = trace_stream(bytes, size, pieces[size % 6]);

	if (is_archive(bytes, size)) {
		trace_free(&plain);
		trace_free(&other);
		return 0;
	}
	if (plain.status != other.status)
		abort();
	same(&plain, &other);
	other = (struct trace){ 0 };
	if (plain.status == HPROF_END && trace_units(&other, bytes, size))
		same(&plain, &other);
	trace_free(&other);
	other = from_memory(bytes, size, false, 0);
	if (other.records != plain.records || other.status != plain.status)
		abort();
	trace_free(&other);
	other = from_memory(bytes, size, false, 2);
	trace_free(&other);
	trace_free(&plain);
	return 0;
}
