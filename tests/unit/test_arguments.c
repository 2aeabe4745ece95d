/* SPDX-License-Identifier: MIT */
/*
 * test_arguments.c - wrong arguments of the public functions: each pointer
 * NULL in turn, numbers that are out of range, graphs that lack something. The
 * error's text must name the argument, and what the call would return must be
 * untouched. tests/symbols.tap finds out which functions are missing here and in
 * wrong_*_calls.c; those that are tested elsewhere are in arguments.list.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "heaps.h"
#include "wrong_calls.h"

/* ---- with and without somewhere for the error ---------------------------- */

static const struct wrong_calls *const calls[] = { &wrong_dump_calls,
						   &wrong_graph_calls };

static void check_one(struct good *good, const struct wrong_call *call)
{
	struct hprof_object_info untouched, ret;
	struct hprof_error error = { 0 };
	char expected[64];

	memset(&untouched, 0x5a, sizeof untouched);
	memcpy(&ret, &untouched, sizeof ret);
	good->ret = &ret;
	good->error = &error;
	cr_expect_eq(call->call(good), HPROF_E_USAGE, "%s", call->name);
	cr_expect_eq(error.status, HPROF_E_USAGE, "%s", call->name);
	snprintf(expected, sizeof expected, "argument %s: ", call->argument);
	cr_expect(!strncmp(error.text, expected, strlen(expected)),
		  "%s: %s, not %s", call->name, error.text, expected);
	good->error = NULL;
	cr_expect_eq(call->call(good), HPROF_E_USAGE, "%s", call->name);
	cr_expect(!memcmp(&ret, &untouched, sizeof ret), "%s", call->name);
}

/* All calls of a list. */
static void check_call(struct good *good, size_t i)
{
	for (size_t k = 0; k < calls[i]->count; k++)
		check_one(good, &calls[i]->all[k]);
}

static struct hprof_graph *bare_graph(const struct hprof_heap *heap)
{
	struct hprof_graph *graph = NULL;

	cr_assert_eq(hprof_graph_build(heap, NULL, &graph, NULL), HPROF_OK);
	return graph;
}

static void open_fixture(struct opened *ret, const char *name)
{
	struct fixture fixture = fixture_load(name);

	cr_assert(open_bytes(ret, fixture.bytes, fixture.size, 1));
	fixture_free(&fixture);
}

Test(arguments, each_one_in_turn)
{
	struct opened shop, other;
	struct hprof_graph *bare;
	struct good good;

	open_fixture(&shop, "stat-shop");
	open_fixture(&other, "shop_id8");
	bare = bare_graph(shop.heap);
	good = (struct good){ .heap = shop.heap,
			      .summary = hprof_heap_summary(shop.heap),
			      .graph = shop.graph,
			      .bare = bare,
			      .foreign = other.graph,
			      .cursor = cursor_of(shop.heap),
			      .none = hprof_heap_count(shop.heap) };
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		check_call(&good, i);
	hprof_cursor_free(good.cursor);
	hprof_graph_free(bare);
	close_opened(&other);
	close_opened(&shop);
}

/* ---- calls without a status ---------------------------------------------- */

Test(arguments, null_heap)
{
	const struct hprof_field *fields = NULL;
	size_t count = 7;

	cr_expect_null(hprof_heap_summary(NULL));
	cr_expect_eq(hprof_heap_cache_failure(NULL), 0);
	cr_expect_eq(hprof_heap_count(NULL), 0);
	cr_expect_eq(hprof_heap_find(NULL, 1), HPROF_NO_OBJECT);
	cr_expect_eq(hprof_heap_class(NULL, 1), SIZE_MAX);
	cr_expect_eq(hprof_heap_class_named(NULL, "a.B", 0), SIZE_MAX);
	cr_expect_not(hprof_heap_class_is(NULL, 0, 0));
	cr_expect_eq(hprof_heap_own_fields(NULL, 0, &fields), 0);
	cr_expect_not(hprof_heap_layout(NULL, 0, &fields, &count));
	cr_expect(fields == NULL && count == 0);
	cr_expect_not(hprof_heap_layout(NULL, 0, NULL, NULL));
	cr_expect_eq(hprof_heap_root_count(NULL), 0);
	cr_expect_null(hprof_heap_roots(NULL));
	cr_expect_eq(hprof_class_index_count(NULL, 0, true), 0);
	cr_expect_eq(hprof_class_index_object(NULL, 0, true, 0),
		     HPROF_NO_OBJECT);
}

static bool no_entry(void *user, const struct hprof_collection_entry *entry)
{
	(void)user;
	(void)entry;
	return true;
}

Test(arguments, null_cursor)
{
	const struct {
		enum hprof_status status;
		const char *name;
	} got[] = {
#define GOT(name, ...) { hprof_cursor_##name(NULL, __VA_ARGS__), #name }
		GOT(seek, 0, &(struct hprof_object){ 0 }),
		GOT(follow, 1, &(struct hprof_object){ 0 }),
		GOT(back, NULL),
		GOT(field, 0, &(struct hprof_field){ 0 }),
		GOT(field_named, NULL, "a", &(struct hprof_field){ 0 }),
		GOT(elements, 0, 1, &(uint64_t){ 0 }, &(size_t){ 0 }),
		GOT(text, 0, &(const char *){ NULL }, NULL),
		GOT(value, HPROF_TYPE_INT, 0, 0, &(struct hprof_value){ 0 }),
		GOT(edge, 0, &(struct hprof_edge){ 0 }),
	};

	for (size_t i = 0; i < sizeof got / sizeof got[0]; i++)
		cr_expect_eq(got[i].status, HPROF_E_USAGE, "%s", got[i].name);
	cr_expect_null(hprof_cursor_error(NULL));
	cr_expect_eq(
		hprof_collection_open(NULL, 0, &(struct hprof_collection){ 0 }),
		HPROF_E_USAGE);
	cr_expect_eq(hprof_collection_each(NULL, 0, 0, no_entry, NULL, NULL),
		     HPROF_E_USAGE);
}

/* Those that have a status but nowhere for a text. */
Test(arguments, null_streams)
{
	struct hprof_record record = { 0 };
	size_t count;

	cr_expect_eq(hprof_reader_next(NULL, &record), HPROF_E_USAGE);
	cr_expect_eq(hprof_reader_body(NULL, &record, 1, &count),
		     HPROF_E_USAGE);
	cr_expect_eq(hprof_copy_record(NULL, NULL, &record), HPROF_E_USAGE);
	cr_expect_eq(hprof_output_write(NULL, "", 0), HPROF_E_USAGE);
	cr_expect_eq(hprof_output_finish(NULL), HPROF_E_USAGE);
}

Test(arguments, null_handles)
{
	const struct hprof_phase *phases = NULL;
	uint64_t object = 7;
	bool flag = false;
	char out[4] = "abc";

	cr_expect_null(hprof_graph_heap(NULL));
	cr_expect_null(hprof_graph_totals(NULL));
	cr_expect_not(hprof_graph_is_reachable(NULL, 0));
	cr_expect_eq(hprof_graph_strength(NULL, 0), HPROF_STRENGTH_UNKNOWN);
	cr_expect_not(hprof_graph_is_root(NULL, 0));
	cr_expect_eq(hprof_graph_dominator(NULL, 0), HPROF_NO_OBJECT);
	cr_expect_eq(hprof_graph_retained(NULL, 0), 0);
	cr_expect_eq(hprof_graph_shallow(NULL, 0), 0);
	cr_expect_eq(hprof_graph_class_row(NULL, 0, &flag), SIZE_MAX);
	cr_expect_eq(hprof_graph_children(NULL, 0, 1, &object), 0);
	cr_expect_eq(object, 7);
	cr_expect_eq(hprof_graph_phases(NULL, &phases), 0);
	cr_expect_null(phases);
	cr_expect_eq(hprof_shortest_paths_parent(NULL, 0), HPROF_NO_OBJECT);
	cr_expect_eq(hprof_shortest_paths_depth(NULL, 0), UINT64_MAX);
	cr_expect_eq(hprof_diff_name(NULL, out, sizeof out), 0);
	cr_expect_str_eq(out, "abc");
	cr_expect_eq(hprof_diff_name("a.B", NULL, 4), 0);
	cr_expect_eq(hprof_diff_name("a.B", NULL, 0), 3);
}

Test(arguments, nowhere_to_put_it)
{
	struct hprof_heap *heap = heap_of("shop_id8");
	struct hprof_graph_options how = { .size = sizeof how,
					   .dominators = true };
	struct hprof_graph *graph = NULL;

	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	cr_expect_eq(hprof_graph_heap(graph), heap);
	cr_expect_eq(hprof_graph_children(graph, HPROF_NO_OBJECT, 1, NULL), 0);
	cr_expect_eq(hprof_graph_phases(graph, NULL), 0);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

Test(arguments, null_rows)
{
	const struct hprof_tables_walk walk = { .size = sizeof walk };
	struct hprof_object_rows *rows = NULL;
	struct hprof_places *places = NULL;
	uint64_t at = 0;

	cr_expect_null(hprof_table_info(HPROF_TABLE_COUNT));
	cr_expect_eq(hprof_table_width(HPROF_TABLE_COUNT), 0);
	cr_expect_eq(hprof_table_named(NULL), HPROF_TABLE_COUNT);
	cr_expect_eq(hprof_places_new(NULL, NULL, &places), HPROF_E_USAGE);
	cr_expect_eq(hprof_places_new(&walk, NULL, &places), HPROF_E_USAGE);
	cr_expect_eq(hprof_object_rows_new(NULL, NULL, NULL, &rows),
		     HPROF_E_USAGE);
	cr_expect_eq(hprof_object_rows_put(NULL, 0, &at), HPROF_E_USAGE);
	cr_expect_eq(hprof_arrow_span(NULL, HPROF_TABLE_OBJECT), 0);
	cr_expect_null(hprof_graph_depths(NULL));
	cr_expect_not(hprof_retained_row_put(NULL, 0, 1));
	cr_expect_not(hprof_retained_row_put(&walk, 0, 1));
	cr_expect_not(hprof_strength_row_put(NULL, 0));
	cr_expect_not(hprof_strength_row_put(&walk, 0));
	cr_expect_gt(hprof_text_limit_of(NULL).left, 0);
	cr_expect_eq(hprof_text_limit_next(NULL), HPROF_TEXT_MOST);
	hprof_text_limit_take(NULL, 1);
	cr_expect(places == NULL && rows == NULL && at == 0);
}

Test(arguments, asking_null)
{
	cr_expect_not(hprof_summary_has_allocations(NULL));
}

/* A crash fails the test. */
Test(arguments, freeing_null)
{
	hprof_reader_close(NULL);
	hprof_writer_free(NULL);
	hprof_output_free(NULL);
	hprof_check_result_free(NULL);
	hprof_summary_free(NULL);
	hprof_thread_table_free(NULL);
	hprof_property_table_free(NULL);
	hprof_profile_table_free(NULL);
	hprof_loader_table_free(NULL);
	hprof_outside_table_free(NULL);
	hprof_heap_close(NULL);
	hprof_class_index_free(NULL);
	hprof_cursor_free(NULL);
	hprof_graph_free(NULL);
	hprof_shortest_paths_free(NULL);
	hprof_retained_table_free(NULL);
	hprof_retained_tree_free(NULL);
	hprof_dominator_kinds_free(NULL);
	hprof_instance_table_free(NULL);
	hprof_allocation_table_free(NULL);
	hprof_garbage_table_free(NULL);
	hprof_loader_use_free(NULL);
	hprof_resource_table_free(NULL);
	hprof_native_table_free(NULL);
	hprof_path_table_free(NULL);
	hprof_merged_paths_free(NULL);
	hprof_leak_table_free(NULL);
	hprof_thread_local_names_free(NULL);
	hprof_thread_locals_free(NULL);
	hprof_waste_notes_free(NULL);
	hprof_waste_table_free(NULL);
	hprof_diff_table_free(NULL);
	hprof_path_tree_free(NULL);
	hprof_diff_path_table_free(NULL);
	hprof_places_free(NULL);
	hprof_object_rows_free(NULL);
	hprof_object_rows_restart(NULL);
	hprof_graph_depths_free(NULL);
}
