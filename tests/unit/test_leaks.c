/* SPDX-License-Identifier: MIT */
/*
 * test_leaks.c - leak suspects of heaps that have one; and all reports of such
 * a heap when memory is short.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include <hprof.h>

#include "heaps.h"
#include "maker.h"
#include "base/mem.h"

enum {
	ITEMS = 300,
	ITEM_BYTES = 20000,
	/* So many that threads share what is done for each object. */
	MANY_ITEMS = 200000,
	MANY_BYTES = 24
};

static uint64_t item_id(uint32_t i)
{
	return 0x100000000 + (uint64_t)i * 0x10000;
}

/* An array of all items, which a root holds. */
static void put_array(struct maker *m, uint64_t id, uint32_t items)
{
	uint8_t *ids = calloc(items, 8);

	cr_assert(ids);
	for (uint32_t i = 0; i < items; i++)
		maker_id(ids + 8 * i, item_id(i));
	maker_elements(m, id, 0x200, ids, items);
	maker_root(m, id);
	free(ids);
}

/* ITEMS arrays of BYTES bytes, in one array or, SHARED, in two. */
static void open_items(struct opened *o, bool shared, unsigned threads,
		       uint32_t items, uint32_t bytes)
{
	struct maker m = maker_begin(8);

	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, 0x200, "[Ljava/lang/Object;");
	maker_load(&m, 0x300, "[B");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300,
					       .super_id = 0x100 });
	for (uint32_t i = 0; i < items; i++)
		maker_prims(&m, item_id(i), HPROF_TYPE_BYTE, bytes);
	put_array(&m, 0x80000000, items);
	if (shared)
		put_array(&m, 0x80010000, items);
	maker_heap_end(&m);
	cr_assert(open_bytes(o, m.out.bytes, m.out.size, threads));
	buffer_free(&m.out);
}

static void open_leak(struct opened *o, bool shared, unsigned threads)
{
	open_items(o, shared, threads, ITEMS, ITEM_BYTES);
}

static struct hprof_leak_table *read_leaks(bool shared, unsigned threads,
					   struct opened *o)
{
	struct hprof_leak_table *leaks;

	open_leak(o, shared, threads);
	cr_assert_eq(hprof_leaks_read(o->graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1);
	return leaks;
}

Test(leaks, one_array_is_the_point)
{
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct opened o;
		struct hprof_leak_table *leaks = read_leaks(false, threads, &o);
		const struct hprof_leak *leak = &leaks->leaks[0];

		cr_expect_eq(leak->kind, HPROF_LEAK_POINT);
		cr_expect_eq(leak->point.id, 0x80000000);
		cr_expect_eq(leak->items, ITEMS);
		cr_expect_str_eq(leak->item_class, "byte[]");
		cr_expect_eq(leak->objects, ITEMS + 1);
		cr_expect_eq(leak->path_count, 1);
		cr_expect_eq(leak->paths[0].root.tag, HPROF_ROOT_JNI_GLOBAL);
		hprof_leak_table_free(leaks);
		close_opened(&o);
	}
}

Test(leaks, what_two_arrays_share_is_a_group)
{
	struct opened o;
	struct hprof_leak_table *leaks = read_leaks(true, 2, &o);
	const struct hprof_leak *leak = &leaks->leaks[0];

	cr_expect_eq(leak->kind, HPROF_LEAK_GROUP);
	cr_expect_eq(leak->members, ITEMS);
	cr_expect_eq(leak->origin.id, 0x80000000);
	cr_expect(leak->retained >= (uint64_t)ITEMS * ITEM_BYTES);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* The suspects of a graph of THREADS that packs references, or keeps none. */
static struct hprof_leak_table *leaks_of(const struct hprof_heap *heap,
					 unsigned threads, bool paths)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .threads = threads,
					   .dominators = true,
					   .paths = paths };
	struct hprof_leak_table *leaks;
	struct hprof_graph *graph;

	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	cr_assert_eq(hprof_leaks_read(graph, NULL, &leaks, NULL), HPROF_OK);
	hprof_graph_free(graph);
	return leaks;
}

static void compare_leaks(const struct hprof_leak_table *a,
			  const struct hprof_leak_table *b)
{
	cr_assert_eq(a->count, 1);
	cr_assert_eq(b->count, 1);
	cr_expect_eq(a->explained, b->explained);

	const struct hprof_leak *one = a->leaks, *other = b->leaks;

	cr_expect_eq(one->members, MANY_ITEMS);
	cr_expect_eq(other->members, MANY_ITEMS);
	cr_expect_eq(one->retained, other->retained);
	cr_expect_eq(one->origin.id, other->origin.id);
	cr_expect_eq(one->objects, MANY_ITEMS);
	cr_expect_eq(other->objects, MANY_ITEMS);
	cr_assert_eq(one->class_count, 1);
	cr_assert_eq(other->class_count, 1);
	cr_expect_eq(one->classes[0].shallow, one->retained);
	cr_expect_eq(other->classes[0].shallow, one->retained);
	cr_assert_eq(one->path_count, 1);
	cr_assert_eq(other->path_count, 1);
	cr_assert_eq(one->paths[0].count, other->paths[0].count);
	for (size_t i = 0; i < one->paths[0].count; i++)
		cr_expect_eq(one->paths[0].steps[i].held.object,
			     other->paths[0].steps[i].held.object);
}

/* While some threads sum up what is kept, another one finds out why. */
Test(leaks, of_many_objects_in_threads)
{
	struct opened o;

	open_items(&o, true, 1, MANY_ITEMS, MANY_BYTES);
	for (int paths = 0; paths < 2; paths++) {
		struct hprof_leak_table *alone = leaks_of(o.heap, 1, paths);

		for (unsigned threads = 2; threads <= 3; threads++) {
			struct hprof_leak_table *leaks =
				leaks_of(o.heap, threads, paths);

			compare_leaks(alone, leaks);
			hprof_leak_table_free(leaks);
		}
		hprof_leak_table_free(alone);
	}
	close_opened(&o);
}

/* What a suspect must retain, and what comes next below that. */
Test(leaks, threshold_divides_suspects_and_next)
{
	struct hprof_leak_options how = { .size = sizeof how };
	struct hprof_leak_table *leaks;
	struct opened o;
	uint64_t all;

	open_leak(&o, false, 1);
	cr_assert_eq(hprof_leaks_read(o.graph, &how, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1);
	all = leaks->leaks[0].retained;
	cr_expect_eq(leaks->explained, all);
	cr_expect_eq(leaks->next_count, 0);
	hprof_leak_table_free(leaks);

	how.bytes = all + 1;
	cr_assert_eq(hprof_leaks_read(o.graph, &how, &leaks, NULL), HPROF_OK);
	cr_expect_eq(leaks->threshold, all + 1);
	cr_expect_eq(leaks->count, 0);
	cr_expect_eq(leaks->explained, 0);
	cr_assert_eq(leaks->next_count, 1);
	cr_expect_eq(leaks->next[0].retained, all);
	cr_expect_eq(leaks->next[0].point.id, 0x80000000);
	hprof_leak_table_free(leaks);

	how.bytes = 0;
	how.share = 500000;
	cr_assert_eq(hprof_leaks_read(o.graph, &how, &leaks, NULL), HPROF_OK);
	cr_expect_eq(leaks->threshold, leaks->live / 2);
	cr_expect_eq(leaks->count, 1);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* Makes all reports; each must succeed or fail for lack of memory. */
static bool all_reports(const struct opened *o, int64_t fail_after)
{
	struct hprof_retained_table *retained = NULL;
	struct hprof_garbage_table *garbage = NULL;
	struct hprof_leak_table *leaks = NULL;
	struct hprof_thread_locals_table *locals = NULL;
	struct hprof_merged_paths *merged = NULL;
	struct hprof_path_table *paths = NULL;
	struct hprof_instance_table *instances = NULL;
	const struct hprof_leak_options how = { .size = sizeof how,
						.sums = fail_after % 2 };
	struct hprof_error error;
	const size_t row = 0;
	enum hprof_status status[7];
	bool good = true;

	hp_mem_fail_after(fail_after);
	status[0] = hprof_retained_read(o->graph, NULL, &retained, &error);
	status[1] = hprof_garbage_read(o->graph, &garbage, &error);
	status[2] = hprof_leaks_read(o->graph, &how, &leaks, &error);
	status[3] = hprof_thread_locals_read(o->graph, &locals, &error);
	status[4] = hprof_merged_paths_read(o->graph, &row, 1, &merged, &error);
	status[5] = hprof_paths_read(o->graph, 3, NULL, &paths, &error);
	status[6] =
		hprof_instances_read(o->graph, &row, 1, 5, &instances, &error);
	hp_mem_fail_after(-1);
	for (size_t i = 0; i < 7; i++) {
		cr_assert(status[i] == HPROF_OK || status[i] == HPROF_E_NOMEM,
			  "report %zu: %d, %s", i, status[i], error.text);
		good = good && status[i] == HPROF_OK;
	}
	hprof_retained_table_free(retained);
	hprof_garbage_table_free(garbage);
	hprof_leak_table_free(leaks);
	hprof_thread_locals_free(locals);
	hprof_merged_paths_free(merged);
	hprof_path_table_free(paths);
	hprof_instance_table_free(instances);
	return good;
}

Test(leaks, allocations_fail)
{
	struct opened o;
	unsigned failures = 0, successes = 0;

	open_leak(&o, true, 1);
	for (int64_t n = 0; successes < 50 && n < 5000; n++) {
		if (all_reports(&o, n))
			successes++;
		else
			failures++;
	}
	cr_expect(failures > 20, "%u", failures);
	cr_expect(successes == 50);
	close_opened(&o);
}

/* The same suspects and paths, whether the graph keeps references or not. */
static enum hprof_status leaks_without_edges(const struct hprof_heap *heap,
					     int64_t fail_after,
					     struct hprof_leak_table **ret)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .threads = 1,
					   .dominators = true };
	struct hprof_graph *graph;
	enum hprof_status status;

	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	hp_mem_fail_after(fail_after);
	status = hprof_leaks_read(graph, NULL, ret, NULL);
	hp_mem_fail_after(-1);
	hprof_graph_free(graph);
	return status;
}

Test(leaks, need_no_edges)
{
	for (int shared = 0; shared < 2; shared++) {
		struct opened o;
		struct hprof_leak_table *leaks, *lean;

		leaks = read_leaks(shared, 2, &o);
		cr_assert_eq(leaks_without_edges(o.heap, -1, &lean), HPROF_OK);
		cr_assert_eq(lean->count, leaks->count);
		cr_expect_eq(lean->leaks[0].retained, leaks->leaks[0].retained);
		cr_expect_eq(lean->leaks[0].origin.object,
			     leaks->leaks[0].origin.object);
		cr_assert_eq(lean->leaks[0].path_count,
			     leaks->leaks[0].path_count);
		for (size_t i = 0; i < lean->leaks[0].path_count; i++)
			cr_expect_eq(
				lean->leaks[0].paths[i].steps[0].held.object,
				leaks->leaks[0].paths[i].steps[0].held.object);
		hprof_leak_table_free(lean);
		hprof_leak_table_free(leaks);
		close_opened(&o);
	}
}

Test(leaks, allocations_fail_without_edges)
{
	unsigned failures = 0, successes = 0;
	struct opened o;

	open_leak(&o, true, 1);
	for (int64_t n = 0; successes < 20 && n < 2000; n++) {
		struct hprof_leak_table *leaks = NULL;
		enum hprof_status status =
			leaks_without_edges(o.heap, n, &leaks);

		cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM, "%d",
			  status);
		failures += status < 0;
		successes += status >= 0;
		hprof_leak_table_free(leaks);
	}
	cr_expect(failures > 20, "%u", failures);
	cr_expect_eq(successes, 20);
	close_opened(&o);
}
