/* SPDX-License-Identifier: MIT */
/*
 * test_object_set.c - the objects that a scan visits.
 */
#include <criterion/criterion.h>

#include "heaps.h"
#include "tools/query/children.h"
#include "tools/query/object_set.h"

static void expect_numbers(struct object_set *set, const uint64_t *numbers,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(object_set_next(set), numbers[i]);
	cr_expect_eq(object_set_next(set), HPROF_NO_OBJECT);
	cr_expect_eq(object_set_next(set), HPROF_NO_OBJECT);
}

Test(object_set, ranges)
{
	static const uint64_t numbers[] = { 5, 6, 7 };
	struct object_set set = { 0 };

	expect_numbers(&set, NULL, 0);
	object_set_range(&set, 5, 8);
	expect_numbers(&set, numbers, 3);
	object_set_range(&set, 8, 8);
	expect_numbers(&set, NULL, 0);
	object_set_done(&set);
	expect_numbers(&set, NULL, 0);
}

Test(object_set, lists)
{
	struct object_set set = { 0 };
	uint64_t expected[100];

	for (uint64_t i = 0; i < 100; i++) {
		expected[i] = 1000 - i * 3;
		cr_assert(object_set_add(&set, expected[i]));
	}
	expect_numbers(&set, expected, 100);
	object_set_range(&set, 0, 1);
	expect_numbers(&set, (uint64_t[]){ 0 }, 1);
	object_set_done(&set);
}

/* Each object but class objects is in the set of one class, and in order. */
Test(object_set, classes)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	const struct hprof_summary *s = hprof_heap_summary(heap);
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_class_index *classes;
	struct object_set set = { 0 };
	uint64_t seen = 0, object;
	struct hprof_object o;

	cr_assert_eq(hprof_class_index_build(heap, &classes, NULL), HPROF_OK);
	for (size_t row = 0; row < s->class_count; row++) {
		object_set_class(&set, classes, row, false);
		while ((object = object_set_next(&set)) != HPROF_NO_OBJECT) {
			cr_assert_eq(hprof_cursor_seek(cursor, object, &o),
				     HPROF_OK);
			cr_expect_eq(o.class_row, row);
			cr_expect_neq(o.kind, HPROF_OBJECT_CLASS);
			seen++;
		}
	}
	cr_expect_eq(seen, s->objects - s->classes);
	object_set_done(&set);
	hprof_class_index_free(classes);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

/* Every reachable object has one dominator, or is at the top. */
Test(object_set, children)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	const struct hprof_graph_options how = { .size = sizeof(how),
						 .dominators = true };
	struct hprof_graph *graph;
	struct object_set set = { 0 }, same = { 0 };
	struct children *children;
	uint64_t seen = 0, expected = 0, object;

	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	children = children_new(graph, hprof_heap_count(heap));
	cr_assert_not_null(children);
	for (uint64_t of = 0; of < hprof_heap_count(heap); of++) {
		uint64_t last = UINT64_MAX;

		expected += hprof_graph_is_reachable(graph, of) &&
			    hprof_graph_dominator(graph, of) != HPROF_NO_OBJECT;
		cr_assert(object_set_children(&set, graph, of));
		cr_assert(children_put(children, of, &same));
		while ((object = object_set_next(&set)) != HPROF_NO_OBJECT) {
			cr_expect_eq(hprof_graph_dominator(graph, object), of);
			cr_expect_leq(hprof_graph_retained(graph, object), last,
				      "largest first");
			last = hprof_graph_retained(graph, object);
			cr_expect_eq(object_set_next(&same), object);
			seen++;
		}
		cr_expect_eq(object_set_next(&same), HPROF_NO_OBJECT);
	}
	cr_expect_gt(seen, 0);
	cr_expect_eq(seen, expected);
	object_set_done(&set);
	object_set_done(&same);
	children_free(children);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}
