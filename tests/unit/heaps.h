/*
 * heaps.h - heaps for tests.
 */
#ifndef HEAPS_H
#define HEAPS_H

#include <hprof.h>

#include "fixture.h"

/* The heap of BYTES with THREADS threads, or why there is none. */
enum hprof_status heap_of_bytes(const uint8_t *bytes, size_t size,
				unsigned threads, struct hprof_heap **ret_heap);

/* That of a fixture, by one thread; fails the test if there is none. */
struct hprof_heap *heap_of(const char *fixture);

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
