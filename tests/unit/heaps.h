/* SPDX-License-Identifier: MIT */
/*
 * heaps.h - summaries, heaps and graphs for tests.
 */
#ifndef HEAPS_H
#define HEAPS_H

#include <hprof.h>

#include "fixture.h"

/*
 * The summary of BYTES, which are put into a file without a name. The dump is
 * selected as in struct hprof_input; 0 is the default. NULL if there is none.
 */
struct hprof_summary *summary_of_bytes(const uint8_t *bytes, size_t size,
				       unsigned dump);

/* The summary of a fixture; fails the test if there is none. */
struct hprof_summary *summary_of(const char *fixture);

/* Opens BYTES as a heap with THREADS threads; returns the status. */
enum hprof_status heap_of_bytes(const uint8_t *bytes, size_t size,
				unsigned threads, struct hprof_heap **ret_heap);

/* The heap of a fixture, with one thread; fails the test if there is none. */
struct hprof_heap *heap_of(const char *fixture);

/* A heap with its dominators. */
struct opened {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
};

/* The same with its graph, which keeps references. False: no heap. */
bool open_bytes(struct opened *ret, const uint8_t *bytes, size_t size,
		unsigned threads);
void close_opened(struct opened *opened);

/*
 * Stops failing allocations. False if STATUS is lack of memory; any other
 * failure fails the test.
 */
bool had_memory(enum hprof_status status);

struct hprof_cursor *cursor_of(const struct hprof_heap *heap);

/* Moves the cursor to an object by id; fails the test if there is none. */
struct hprof_object go_to(struct hprof_cursor *cursor,
			  const struct hprof_heap *heap, uint64_t id);

/*
 * Opens BYTES as a heap with one and with three threads and visits all of it.
 * Fails the test if something is wrong or differs. False: it cannot be opened.
 */
bool heap_agrees(const char *name, size_t at, const uint8_t *bytes,
		 size_t size);

#endif
