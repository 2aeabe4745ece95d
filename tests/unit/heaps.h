/* SPDX-License-Identifier: MIT */
/*
 * heaps.h - summaries, heaps and graphs for tests.
 */
#ifndef HEAPS_H
#define HEAPS_H

#include <hprof.h>

#include "fixture.h"

/*
 * The summary of BYTES, which no file has any more, and of that of its dumps
 * (0: the one that is read if nothing is said). NULL: there is none.
 */
struct hprof_summary *summary_of_bytes(const uint8_t *bytes, size_t size,
				       unsigned dump);

/* That of a fixture; fails the test if there is none. */
struct hprof_summary *summary_of(const char *fixture);

/* The heap of BYTES with THREADS threads, or why there is none. */
enum hprof_status heap_of_bytes(const uint8_t *bytes, size_t size,
				unsigned threads, struct hprof_heap **ret_heap);

/* That of a fixture, by one thread; fails the test if there is none. */
struct hprof_heap *heap_of(const char *fixture);

/* A heap with its dominators. */
struct opened {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
};

/* Keeps references, too. False: there is no heap. */
bool open_bytes(struct opened *ret, const uint8_t *bytes, size_t size,
		unsigned threads);
void close_opened(struct opened *opened);

/*
 * Ends the failing of allocations: false if one made what is tried fail, which
 * nothing else may.
 */
bool had_memory(enum hprof_status status);

struct hprof_cursor *cursor_of(const struct hprof_heap *heap);

/* Goes to the object with that id; fails the test if there is none. */
struct hprof_object go_to(struct hprof_cursor *cursor,
			  const struct hprof_heap *heap, uint64_t id);

/*
 * Opens the heap of BYTES with one and with three threads, visits all of it;
 * fails the test if something is wrong or different. False: there is no heap.
 */
bool heap_agrees(const char *name, size_t at, const uint8_t *bytes,
		 size_t size);

#endif
