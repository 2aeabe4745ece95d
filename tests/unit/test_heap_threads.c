/* SPDX-License-Identifier: MIT */
/*
 * test_heap_threads.c - threads that share a heap. What it makes only when it
 * is first asked for (offsets of objects, layouts of classes) is asked for by
 * all of them at once. Worth most with ThreadSanitizer.
 */
#include <criterion/criterion.h>

#include "heaps.h"
#include "maker.h"
#include "together.h"

enum { THREADS = 2 };

struct asking {
	const struct hprof_heap *heap;
	uint64_t answers; /* hashed: all that was answered */
	bool good;
};

static void take(struct asking *a, uint64_t answer)
{
	a->answers = (a->answers ^ answer) * UINT64_C(0x100000001b3);
}

static void ask_for_classes(struct asking *a)
{
	size_t rows = hprof_heap_summary(a->heap)->class_count;

	for (size_t row = 0; row < rows; row++) {
		const struct hprof_field *fields;
		size_t count;

		take(a, hprof_heap_layout(a->heap, row, &fields, &count));
		for (size_t i = 0; i < count; i++)
			take(a, (uintptr_t)fields[i].name + fields[i].offset);
		/* The same table for all: it is made once. */
		take(a, (uintptr_t)fields);
	}
}

static void ask_for_objects(struct asking *a)
{
	uint64_t count = hprof_heap_count(a->heap);
	struct hprof_cursor *cursor = NULL;
	struct hprof_object object;
	struct hprof_edge edge;

	a->good &= hprof_cursor_new(a->heap, &cursor, NULL) == HPROF_OK;
	for (uint64_t i = 0; a->good && i < count; i++) {
		a->good &= hprof_cursor_seek(cursor, i, &object) == HPROF_OK &&
			   hprof_heap_find(a->heap, object.id) == i;
		take(a, object.offset);
		for (uint64_t k = 0; k < 2; k++)
			if (hprof_cursor_edge(cursor, k, &edge) == HPROF_OK)
				take(a, edge.to_id);
	}
	hprof_cursor_free(cursor);
}

static void ask_for_an_index(struct asking *a)
{
	struct hprof_class_index *index = NULL;

	a->good &= hprof_class_index_build(a->heap, &index, NULL) == HPROF_OK;
	for (size_t row = 0; row < hprof_heap_summary(a->heap)->class_count;
	     row++)
		take(a, hprof_class_index_count(index, row, true));
	hprof_class_index_free(index);
}

static void ask(void *user)
{
	struct asking *a = user;

	ask_for_classes(a);
	ask_for_objects(a);
	ask_for_an_index(a);
}

static void ask_together(const struct hprof_heap *heap)
{
	struct asking asking[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		asking[i] = (struct asking){ heap, 0, true };
	together(ask, asking, THREADS, sizeof *asking);
	for (unsigned i = 0; i < THREADS; i++) {
		cr_expect(asking[i].good);
		cr_expect_eq(asking[i].answers, asking[0].answers);
	}
}

static void ask_numbered(bool ascending)
{
	struct maker m = maker_numbered(ascending);
	struct hprof_heap *heap = NULL;

	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) == HPROF_OK);
	buffer_free(&m.out);
	ask_together(heap);
	hprof_heap_close(heap);
}

Test(heap_threads, ids_ascend)
{
	ask_numbered(true);
}

Test(heap_threads, ids_do_not_ascend)
{
	ask_numbered(false);
}

Test(heap_threads, classes_with_fields)
{
	struct hprof_heap *heap = heap_of("stat-shop");

	ask_together(heap);
	hprof_heap_close(heap);
}
