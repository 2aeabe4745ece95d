/* SPDX-License-Identifier: MIT */
/*
 * test_class_index.c - the objects of a class are those that a cursor finds
 * when it looks at all objects.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"
#include "maker.h"

static struct hprof_class_index *index_of(const struct hprof_heap *heap)
{
	struct hprof_class_index *index = NULL;

	cr_assert(hprof_class_index_build(heap, &index, NULL) == HPROF_OK);
	return index;
}

/* Counts in SEEN how often the index has each object of ROW. */
static void mark_objects(const struct hprof_class_index *index, size_t row,
			 bool subclasses, uint8_t *seen, uint64_t objects)
{
	uint64_t count = hprof_class_index_count(index, row, subclasses);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t object =
			hprof_class_index_object(index, row, subclasses, i);
		cr_assert_lt(object, objects);
		cr_expect(i == 0 || subclasses ||
			  object > hprof_class_index_object(index, row, false,
							    i - 1));
		seen[object]++;
	}
	cr_expect(hprof_class_index_object(index, row, subclasses, count) ==
		  HPROF_NO_OBJECT);
}

static void check_row(const char *name, const struct hprof_heap *heap,
		      const struct hprof_class_index *index, size_t row,
		      bool subclasses)
{
	uint64_t count = hprof_heap_count(heap);
	uint8_t *seen = calloc(count + 1, 1);
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_object o;

	mark_objects(index, row, subclasses, seen, count);
	for (uint64_t i = 0; i < count; i++) {
		cr_assert(hprof_cursor_seek(cursor, i, &o) == HPROF_OK);
		bool wanted = o.kind != HPROF_OBJECT_CLASS &&
			      (o.class_row == row ||
			       (subclasses && o.class_row != SIZE_MAX &&
				hprof_heap_class_is(heap, o.class_row, row)));
		cr_expect_eq(seen[i], wanted, "%s, row %zu, object %llu", name,
			     row, (unsigned long long)i);
	}
	hprof_cursor_free(cursor);
	free(seen);
}

static void check_heap(const char *name, const uint8_t *bytes, size_t size,
		       unsigned threads)
{
	struct hprof_class_index *index;
	struct hprof_heap *heap;

	if (heap_of_bytes(bytes, size, threads, &heap) != HPROF_OK)
		return;
	index = index_of(heap);
	for (size_t row = 0; row < hprof_heap_summary(heap)->class_count;
	     row++) {
		check_row(name, heap, index, row, false);
		check_row(name, heap, index, row, true);
	}
	hprof_class_index_free(index);
	hprof_heap_close(heap);
}

Test(class_index, all_fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		check_heap(*name, f.bytes, f.size, 1);
		fixture_free(&f);
	}
}

Test(class_index, several_threads)
{
	for (int ascending = 0; ascending < 2; ascending++) {
		struct maker m = maker_numbered(ascending);
		check_heap("numbered", m.out.bytes, m.out.size, 1);
		check_heap("numbered", m.out.bytes, m.out.size, 3);
		buffer_free(&m.out);
	}
}

Test(class_index, figures)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_class_index *index = index_of(heap);
	size_t base = hprof_heap_class_named(heap, "app.Base", 0);
	size_t derived = hprof_heap_class_named(heap, "app.Derived", 0);
	size_t empty = hprof_heap_class_named(heap, "app.Empty", 0);

	cr_expect_eq(hprof_class_index_count(index, base, false), 2);
	cr_expect_eq(hprof_class_index_count(index, base, true), 4);
	cr_expect_eq(hprof_class_index_count(index, derived, true), 2);
	cr_expect_eq(hprof_class_index_count(index, empty, false), 0);
	cr_expect_eq(hprof_class_index_count(index, empty, true), 2);
	cr_expect(hprof_class_index_object(index, derived, false, 0) ==
		  hprof_heap_find(heap, 0x204));
	hprof_class_index_free(index);
	hprof_heap_close(heap);
}

Test(class_index, wrong_arguments)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_class_index *index = NULL;
	struct hprof_error error;

	cr_expect(hprof_class_index_build(NULL, &index, &error) ==
		  HPROF_E_USAGE);
	cr_expect(strstr(error.text, "heap") != NULL);
	cr_expect(hprof_class_index_build(heap, NULL, &error) == HPROF_E_USAGE);
	index = index_of(heap);
	cr_expect_eq(hprof_class_index_count(index, SIZE_MAX, true), 0);
	cr_expect_eq(hprof_class_index_count(NULL, 0, true), 0);
	cr_expect(hprof_class_index_object(index, SIZE_MAX, true, 0) ==
		  HPROF_NO_OBJECT);
	hprof_class_index_free(index);
	hprof_class_index_free(NULL);
	hprof_heap_close(heap);
}

Test(class_index, without_memory)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_class_index *index = NULL;
	int64_t after = 0;

	for (hp_mem_fail_after(0);
	     !had_memory(hprof_class_index_build(heap, &index, NULL));) {
		cr_assert(index == NULL);
		hp_mem_fail_after(++after);
	}
	cr_expect_gt(after, 3);
	hprof_class_index_free(index);
	hprof_heap_close(heap);
}
