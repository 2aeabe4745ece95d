/* SPDX-License-Identifier: MIT */
/*
 * test_heap_changes.c - files that change while their heap is read, or later.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "fixture.h"
#include "../inputs.h"
#include "maker.h"

struct spoiling {
	const char *path;
	struct buffer other;
	bool done;
};

/* The summary was read from the old bytes; the index reads the new ones. */
static bool spoil(void *user, const char *phase, uint64_t done, uint64_t total)
{
	struct spoiling *s = user;

	(void)phase, (void)done, (void)total;
	if (!s->done)
		maker_file(s->path, s->other.bytes, s->other.size);
	s->done = true;
	return true;
}

/* Between the two passes the objects change: more, fewer, other ids. */
Test(heap_changes, between_passes)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct maker m = maker_numbered(kind % 2), n = maker_begin(8);
		struct spoiling spoiling = { .path = "test_heap.spoilt" };
		struct hprof_heap *heap = NULL;
		struct hprof_error error;
		size_t same = 1000 + kind;
		buffer_add(&n.out, m.out.bytes + n.out.size, same - n.out.size);
		while (n.out.size < m.out.size)
			maker_prims(&n, 0x1000000 + 8 * n.out.size,
				    HPROF_TYPE_LONG, kind < 2 ? 0 : 100);
		spoiling.other = n.out;
		maker_file(spoiling.path, m.out.bytes, m.out.size);
		cr_expect_eq(hprof_heap_open(INPUT(.path = spoiling.path,
						   .progress = spoil,
						   .progress_user = &spoiling),
					     NULL, &heap, &error),
			     HPROF_E_CORRUPT, "%u", kind);
		cr_expect(spoiling.done);
		unlink(spoiling.path);
		buffer_free(&m.out);
		buffer_free(&n.out);
	}
}

/* Every function that reads must notice that the file has changed. */
static void check_spoilt(const char *path, const struct buffer *first,
			 const struct buffer *other, unsigned threads)
{
	struct hprof_graph_options build = { .size = sizeof build,
					     .dominators = true };
	struct hprof_cursor *cursor = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_graph *graph = NULL;
	struct hprof_object object;
	struct hprof_error error;

	maker_file(path, first->bytes, first->size);
	cr_assert_eq(hprof_heap_open(INPUT(.path = path, .threads = threads),
				     NULL, &heap, NULL),
		     HPROF_OK);
	maker_file(path, other->bytes, other->size);
	cr_assert_eq(hprof_cursor_new(heap, &cursor, NULL), HPROF_OK);
	cr_expect_eq(
		hprof_cursor_seek(cursor, hprof_heap_count(heap) - 1, &object),
		HPROF_E_CORRUPT);
	cr_expect_eq(hprof_graph_build(heap, &build, &graph, &error),
		     HPROF_E_CORRUPT);
	cr_expect(strstr(error.text, "changed") != NULL, "%s", error.text);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
	unlink(path);
}

/* The same bytes hold ten times as many objects, or a tenth. */
Test(heap_changes, more_or_fewer_objects)
{
	enum { HEAD = 18, TIMES = 10, COUNT = 300 };

	for (unsigned kind = 0; kind < 4; kind++) {
		struct maker few = maker_begin(8), many = maker_begin(8);
		maker_heap(&few, HPROF_HEAP_DUMP);
		maker_heap(&many, HPROF_HEAP_DUMP);
		for (uint64_t i = 1; i <= COUNT * TIMES; i++) {
			maker_prims(&many, 8 * i, HPROF_TYPE_BYTE, 0);
			if (i % TIMES == 0)
				maker_prims(&few, 8 * i, HPROF_TYPE_BYTE,
					    HEAD * (TIMES - 1));
		}
		maker_heap_end(&few);
		maker_heap_end(&many);
		cr_assert_eq(few.out.size, many.out.size);
		if (kind % 2)
			check_spoilt("test_heap.more", &few.out, &many.out,
				     1 + kind / 2);
		else
			check_spoilt("test_heap.more", &many.out, &few.out,
				     1 + kind / 2);
		buffer_free(&few.out);
		buffer_free(&many.out);
	}
}
