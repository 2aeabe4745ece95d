/*
 * heaps.c - see heaps.h.
 */
#include "heaps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../visit.h"

enum hprof_status heap_of_bytes(const uint8_t *bytes, size_t size,
				unsigned threads, struct hprof_heap **ret)
{
	struct hprof_heap_options options = { .size = sizeof options,
					      .threads = threads };
	int fd = memfd_create("heap", MFD_CLOEXEC);
	enum hprof_status status;
	char path[64];

	cr_assert(fd >= 0);
	cr_assert(write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	status = hprof_heap_open(path, &options, ret, NULL);
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
	cr_assert(hprof_cursor_go(cursor, index, &object) == HPROF_OK);
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
