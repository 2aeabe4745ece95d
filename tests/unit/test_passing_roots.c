/* SPDX-License-Identifier: MIT */
/*
 * test_passing_roots.c - what a stack holds and something else, too: the other one says
 * more about who owns it, however far away it is; and what only stacks hold is theirs.
 */
#include <criterion/criterion.h>

#include "graph/graph.h"
#include "heaps.h"
#include "keeping.h"
#include "maker.h"

enum {
	ITEMS = 150,
	ITEM_BYTES = 20000, /* less than 1% of them all */
	OBJECT = 0x100,
	ARRAYS = 0x200,
	BYTES = 0x300,
	THREAD = 0x400,
	APP = 0x500,
	MAIN = 0x1000,	/* the thread */
	LIST = 0x2000,	/* an array that has all items */
	OTHER = 0x2100, /* another one */
	CHAIN = 0x3000, /* arrays of one element, each before the next */
	STEP = 0x10
};

static uint64_t item_id(unsigned i)
{
	return 0x10000000 + 0x10000 * (uint64_t)i;
}

static void put_frame(struct maker *m, uint64_t run)
{
	static const uint8_t frame[] = { 0, 0, 0, 0, 0, 0, 0, 1 };

	maker_put(m, &(struct hprof_record){
			     .tag = HPROF_FRAME,
			     .id_size = 8,
			     .u.frame = { .frame_id = 1,
					  .method_id = run,
					  .class_serial = m->classes,
					  .line = 42 } });
	maker_put(m, &(struct hprof_record){
			     .tag = HPROF_TRACE,
			     .id_size = 8,
			     .u.trace = { .trace_serial = 1,
					  .thread_serial = 1,
					  .frame_count = 1,
					  .frames = { frame, 8 } } });
}

/* A thread in App.run. */
static struct maker begin(uint64_t owned)
{
	struct maker m = maker_begin(8);
	uint64_t run = maker_string(&m, "run"), kept = maker_string(&m, "kept");

	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, ARRAYS, "[Ljava/lang/Object;");
	maker_load(&m, BYTES, "[B");
	maker_load(&m, THREAD, "java/lang/Thread");
	maker_load(&m, APP, "App");
	put_frame(&m, run);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	for (uint64_t id = OBJECT; id <= THREAD; id += 0x100)
		maker_class(&m,
			    &(struct maker_class){
				    .class_id = id,
				    .super_id = id == OBJECT ? 0 : OBJECT });
	maker_owner(&m, APP, OBJECT, kept, owned);
	maker_instance(&m, MAIN, THREAD, 0);
	maker_root_of(&m, HPROF_ROOT_THREAD_OBJ, MAIN, 1);
	return m;
}

static void put_array(struct maker *m, uint64_t id)
{
	uint8_t ids[8 * ITEMS];

	for (unsigned i = 0; i < ITEMS; i++)
		maker_id(ids + 8 * i, item_id(i));
	maker_elements(m, id, ARRAYS, ids, ITEMS);
}

static void put_items(struct maker *m)
{
	for (unsigned i = 0; i < ITEMS; i++)
		maker_prims(m, item_id(i), HPROF_TYPE_BYTE, ITEM_BYTES);
	put_array(m, LIST);
}

/* COUNT arrays, the last of which has OBJECT. */
static void put_chain(struct maker *m, unsigned count, uint64_t object)
{
	for (unsigned i = 0; i < count; i++) {
		uint64_t id = CHAIN + STEP * (uint64_t)i;
		uint8_t next[8];

		maker_id(next, i + 1 < count ? id + STEP : object);
		maker_elements(m, id, ARRAYS, next, 1);
	}
}

static void open_made(struct maker *m, struct opened *ret)
{
	maker_heap_end(m);
	cr_assert(open_bytes(ret, m->out.bytes, m->out.size, 2));
	buffer_free(&m->out);
}

static void expect_local(const struct hprof_path *path, size_t count)
{
	cr_expect_eq(path->count, count, "%zu", path->count);
	cr_expect_eq(path->root.tag, HPROF_ROOT_JAVA_FRAME);
	cr_expect_eq(path->root.thread_id, MAIN);
	cr_expect(path->root.has_frame);
	cr_expect_eq(path->root.frame.line, 42);
}

/* The path of the only suspect, which is LIST, has COUNT steps from FIRST or a frame. */
static void expect_leak(struct maker *m, uint64_t first, unsigned tag,
			size_t count)
{
	struct hprof_leak_table *leaks;
	const struct hprof_path *path;
	struct opened o;

	open_made(m, &o);
	cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1, "%zu", leaks->count);
	cr_expect_eq(leaks->leaks[0].point.id, LIST);
	cr_assert_eq(leaks->leaks[0].path_count, 1);
	path = leaks->leaks[0].paths;
	cr_expect_eq(path->steps[0].held.id, first);
	cr_expect_eq(path->root.tag, tag, "%x", path->root.tag);
	cr_expect_eq(path->count, count, "%zu", path->count);
	if (tag == HPROF_ROOT_JAVA_FRAME)
		expect_local(path, count);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* ---- suspects ------------------------------------------------------------ */

Test(passing_roots, a_static_owns_what_a_frame_holds)
{
	for (unsigned chain = 0; chain < 5; chain++) {
		struct maker m = begin(chain ? CHAIN : LIST);

		put_items(&m);
		put_chain(&m, chain, LIST);
		maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
		/* It uses the class, too, which lives without that. */
		if (chain % 2)
			maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, APP, 1);
		expect_leak(&m, APP, chain % 2 ? HPROF_ROOT_STICKY_CLASS : 0,
			    chain + 2);
	}
}

Test(passing_roots, so_does_native_code_by_a_global_reference)
{
	static const unsigned passing[] = { HPROF_ROOT_JAVA_FRAME,
					    HPROF_ROOT_JNI_LOCAL,
					    HPROF_ROOT_NATIVE_STACK,
					    HPROF_ROOT_THREAD_BLOCK,
					    HPROF_ROOT_MONITOR_USED };

	for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
		struct maker m = begin(0);

		put_items(&m);
		put_chain(&m, 3, LIST);
		maker_root_of(&m, passing[i], LIST, 1);
		maker_root_of(&m, passing[i], CHAIN + STEP, 1);
		maker_root(&m, CHAIN);
		expect_leak(&m, CHAIN, HPROF_ROOT_JNI_GLOBAL, 4);
	}
}

Test(passing_roots, what_stacks_alone_hold_is_a_local)
{
	struct maker m = begin(0);

	put_items(&m);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
	expect_leak(&m, LIST, HPROF_ROOT_JAVA_FRAME, 1);

	/* By two ways, so that nothing dominates it. */
	m = begin(0);
	put_items(&m);
	put_chain(&m, 2, LIST);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, CHAIN, 1);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, CHAIN + STEP, 1);
	expect_leak(&m, CHAIN + STEP, HPROF_ROOT_JAVA_FRAME, 2);
}

/* Items in two arrays: that by which they are reached is their origin. */
static void expect_origin(uint64_t owned, uint64_t held, uint64_t origin,
			  bool local)
{
	struct maker m = begin(owned);
	struct hprof_leak_table *leaks;
	struct opened o;

	put_items(&m);
	put_array(&m, OTHER);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, held, 1);
	if (local)
		maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, origin, 1);
	/* A member that nothing else has. */
	maker_prims(&m, item_id(ITEMS), HPROF_TYPE_BYTE, ITEM_BYTES);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, item_id(ITEMS), 1);
	open_made(&m, &o);
	cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1, "%zu", leaks->count);
	cr_expect_eq(leaks->leaks[0].kind, HPROF_LEAK_GROUP);
	cr_expect_eq(leaks->leaks[0].origin.id, origin);
	cr_assert_eq(leaks->leaks[0].path_count, 1);
	if (local)
		expect_local(leaks->leaks[0].paths, 1);
	else
		cr_expect_eq(leaks->leaks[0].paths[0].steps[0].held.id, APP);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(passing_roots, members_come_from_where_they_stay)
{
	expect_origin(LIST, OTHER, LIST, false);
	expect_origin(OTHER, LIST, OTHER, false);
	expect_origin(0, OTHER, LIST, true);
}

/* Also of what is smaller than a suspect. */
Test(passing_roots, of_what_is_next_as_well)
{
	struct hprof_leak_options how = { .size = sizeof how,
					  .bytes = 1 << 24 };
	struct maker m = begin(CHAIN);
	struct hprof_leak_table *leaks;
	struct opened o;

	put_items(&m);
	put_chain(&m, 2, LIST);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
	open_made(&m, &o);
	cr_assert_eq(hprof_leaks_read(o.graph, &how, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 0);
	cr_assert_eq(leaks->next_count, 1, "%zu", leaks->next_count);
	cr_assert_eq(leaks->next[0].path_count, 1);
	cr_expect_eq(leaks->next[0].paths[0].steps[0].held.id, APP);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* ---- paths --------------------------------------------------------------- */

static struct hprof_path_table *paths_to(const struct opened *o, uint64_t id,
					 uint32_t count)
{
	struct hprof_path_options how = { .size = sizeof how, .count = count };
	struct hprof_path_table *paths;

	cr_assert_eq(hprof_paths_read(o->graph, hprof_heap_find(o->heap, id),
				      &how, &paths, NULL),
		     HPROF_OK);
	return paths;
}

Test(passing_roots, paths_from_stacks_come_last)
{
	struct maker m = begin(CHAIN);
	struct hprof_path_table *paths;
	struct opened o;

	put_items(&m);
	put_chain(&m, 3, LIST);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, CHAIN + STEP, 1);
	open_made(&m, &o);
	for (uint32_t most = 1; most <= 4; most++) {
		paths = paths_to(&o, LIST, most);
		cr_assert_eq(paths->count, most < 2 ? most : 2, "%zu",
			     paths->count);
		cr_expect_eq(paths->paths[0].count, 5);
		cr_expect_eq(paths->paths[0].steps[0].held.id, APP);
		if (most > 1) {
			expect_local(&paths->paths[1], 1);
			/* From the second of the chain, by the same classes. */
			cr_expect_eq(paths->paths[1].alike, 1);
		}
		hprof_path_table_free(paths);
	}
	close_opened(&o);
}

Test(passing_roots, classes_have_them_last_as_well)
{
	struct maker m = begin(CHAIN);
	struct hprof_merged_paths *merged;
	struct opened o;
	size_t row;

	put_items(&m);
	put_chain(&m, 3, LIST);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
	open_made(&m, &o);
	row = hprof_heap_class_named(o.heap, "byte[]", 0);
	cr_assert_eq(hprof_merged_paths_read(o.graph, &row, 1, &merged, NULL),
		     HPROF_OK);
	cr_assert_gt(merged->count, 0);
	for (size_t i = 0; i < merged->count; i++)
		cr_expect_neq(merged->nodes[i].root.tag, HPROF_ROOT_JAVA_FRAME);
	hprof_merged_paths_free(merged);
	close_opened(&o);
}

/* ---- kept paths ---------------------------------------------------------- */

/* Whether something is before LIST if stacks come last, or not. */
static bool has_before(bool late)
{
	struct hprof_graph *graph = build_graph("kept");
	uint64_t list = hprof_heap_find(graph->heap, LIST), before;
	uint64_t bits[64] = { 0 };
	struct hp_path_policy policy = { .passing = late ? bits : NULL };
	struct hprof_shortest_paths *paths;

	cr_assert_lt(hprof_heap_count(graph->heap), 64 * 64);
	hp_bit_set(bits, list);
	cr_assert_eq(hp_shortest_paths_build(graph, &policy, &paths, NULL),
		     HPROF_OK);
	before = hprof_shortest_paths_parent(paths, list);
	cr_expect(before == HPROF_NO_OBJECT ||
		  before == hprof_heap_find(graph->heap, CHAIN));
	hprof_shortest_paths_free(paths);
	free_graph(graph);
	return before != HPROF_NO_OBJECT;
}

Test(passing_roots, paths_that_were_kept_before_are_not_believed)
{
	struct maker m = begin(CHAIN);

	put_items(&m);
	put_chain(&m, 1, LIST);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, LIST, 1);
	maker_heap_end(&m);
	use_bytes(m.out.bytes, m.out.size);
	buffer_free(&m.out);
	for (unsigned i = 0; i < 2; i++) {
		cr_expect(!has_before(false));
		cr_expect(has_before(true));
	}
}
