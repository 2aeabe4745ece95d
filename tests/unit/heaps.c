/* SPDX-License-Identifier: MIT */
/*
 * heaps.c - see heaps.h.
 */
#include "heaps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../visit.h"
#include "../inputs.h"
#include "base/mem.h"

/* A file of BYTES that has no name; PATH leads to it while it is open. */
static int file_of(const uint8_t *bytes, size_t size, char path[64])
{
	int fd = memfd_create("heap", MFD_CLOEXEC);

	cr_assert(fd >= 0);
	cr_assert(write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

struct hprof_summary *summary_of_bytes(const uint8_t *bytes, size_t size,
				       unsigned dump)
{
	struct hprof_summary *summary = NULL;
	char path[64];
	int fd = file_of(bytes, size, path);

	if (hprof_summary_read(INPUT(.path = path, .dump = dump, .threads = 1),
			       NULL, &summary, NULL) < 0)
		summary = NULL;
	close(fd);
	return summary;
}

struct hprof_summary *summary_of(const char *fixture)
{
	struct fixture f = fixture_load(fixture);
	struct hprof_summary *summary = summary_of_bytes(f.bytes, f.size, 0);

	cr_assert(summary != NULL, "%s", fixture);
	fixture_free(&f);
	return summary;
}

enum hprof_status heap_of_bytes(const uint8_t *bytes, size_t size,
				unsigned threads, struct hprof_heap **ret)
{
	enum hprof_status status;
	char path[64];
	int fd = file_of(bytes, size, path);

	status = hprof_heap_open(INPUT(.path = path, .threads = threads), NULL,
				 ret, NULL);
	close(fd);
	return status;
}

struct hprof_heap *heap_of(const char *fixture)
{
	struct fixture f = fixture_load(fixture);
	struct hprof_heap *heap = NULL;

	cr_assert(heap_of_bytes(f.bytes, f.size, 1, &heap) == HPROF_OK, "%s",
		  fixture);
	fixture_free(&f);
	return heap;
}

bool open_bytes(struct opened *o, const uint8_t *bytes, size_t size,
		unsigned threads)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .threads = threads,
					   .dominators = true,
					   .edges = true,
					   .strengths = true };

	*o = (struct opened){ NULL, NULL };
	if (heap_of_bytes(bytes, size, threads, &o->heap) < 0)
		return false;
	cr_assert_eq(hprof_graph_build(o->heap, &how, &o->graph, NULL),
		     HPROF_OK);
	return true;
}

void close_opened(struct opened *o)
{
	hprof_graph_free(o->graph);
	hprof_heap_close(o->heap);
}

bool had_memory(enum hprof_status status)
{
	hp_mem_fail_after(-1);
	cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM);
	return status == HPROF_OK;
}

struct hprof_cursor *cursor_of(const struct hprof_heap *heap)
{
	struct hprof_cursor *cursor = NULL;

	cr_assert(hprof_cursor_new(heap, &cursor, NULL) == HPROF_OK);
	return cursor;
}

struct hprof_object go_to(struct hprof_cursor *cursor,
			  const struct hprof_heap *heap, uint64_t id)
{
	struct hprof_object object = { 0 };
	uint64_t index = hprof_heap_find(heap, id);

	cr_assert(index != HPROF_NO_OBJECT, "no object 0x%llx",
		  (unsigned long long)id);
	cr_assert(hprof_cursor_seek(cursor, index, &object) == HPROF_OK);
	cr_assert_eq(object.id, id);
	return object;
}

bool heap_agrees(const char *name, size_t at, const uint8_t *bytes, size_t size)
{
	static const unsigned threads[] = { 1, 3 };
	enum hprof_status status[2];
	uint64_t hash[2] = { 0, 0 };

	for (unsigned i = 0; i < 2; i++) {
		struct hprof_heap *heap = NULL;
		status[i] = heap_of_bytes(bytes, size, threads[i], &heap);
		if (status[i] < 0)
			continue;
		const char *wrong = heap_visit(heap, &hash[i]);
		cr_assert(!wrong, "%s at %zu, %u threads: %s", name, at,
			  threads[i], wrong);
		hprof_heap_close(heap);
	}
	cr_assert_eq(status[0], status[1], "%s at %zu", name, at);
	cr_assert_eq(hash[0], hash[1], "%s at %zu: threads make a difference",
		     name, at);
	return status[0] >= 0;
}
