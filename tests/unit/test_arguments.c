/* SPDX-License-Identifier: MIT */
/*
 * test_arguments.c - wrong arguments of the public functions: each pointer
 * NULL in turn, numbers that are out of range, graphs that lack something. The
 * error's text must name the argument, and what the call would return must be
 * untouched. tests/symbols.tap finds out which functions are missing here;
 * those that are tested elsewhere are in arguments.list.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "../inputs.h"
#include "heaps.h"

/* The arguments of all calls: valid, except for what one row changes. */
struct good {
	struct hprof_heap *heap;
	const struct hprof_summary *summary; /* of the heap */
	const struct hprof_graph *graph;
	const struct hprof_graph *bare;	   /* without dominators and edges */
	const struct hprof_graph *foreign; /* of another heap */
	struct hprof_cursor *cursor;
	uint64_t none; /* a number that no object has */
	struct hprof_error *error;
	void *ret; /* where a call would return its result */
};

static bool any(void *user, uint64_t object)
{
	(void)user;
	(void)object;
	return true;
}

static int write_nothing(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

/* ---- calls, one line each ------------------------------------------------ */

#define CALL(name, ...)                                      \
	static enum hprof_status name(const struct good *g)  \
	{                                                    \
		void *ret = g->ret;                          \
		(void)ret;                                   \
		return __VA_ARGS__;                          \
	}

static const struct hprof_graph_options odd_hold = { .size = sizeof odd_hold,
						     .hold = 16 };
static const struct hprof_graph_options no_size = { .size = 1 };
static const struct hprof_leak_options odd_share = { .size = sizeof odd_share,
						     .share = 1000001 };
static const struct hprof_leak_options odd_leak_paths = {
	.size = sizeof odd_leak_paths, .paths = 9
};
static const struct hprof_retained_options odd_top = { .size = sizeof odd_top,
						       .top = SIZE_MAX };
static const bool wanted[1];
static const struct hprof_retained_options odd_wanted = {
	.size = sizeof odd_wanted,
	.wanted = wanted,
};
static const struct hprof_path_options odd_count = { .size = sizeof odd_count,
						     .count = SIZE_MAX };
static const struct hprof_waste_options odd_waste = { .size = sizeof odd_waste,
						      .top = SIZE_MAX };
static const size_t row;
static const uint32_t numbers[1 << 10];
static struct hprof_set_sum sum;
static const struct hprof_retained_groups groups[] = {
	{ NULL, numbers, &sum, 1, 0 },
	{ numbers, NULL, &sum, 1, 0 },
	{ numbers, numbers, NULL, 1, 0 }
};
static const struct hprof_diff_item nameless;
static const struct hprof_diff_side sides[] = { { 0, NULL },
						{ 1, NULL },
						{ 1, &nameless } };
static const struct hprof_path_tree *const trees[] = { NULL };

/* The error of a cursor is its own. */
static enum hprof_status of_cursor(const struct good *g,
				   enum hprof_status status)
{
	if (g->error)
		*g->error = *hprof_cursor_error(g->cursor);
	return status;
}

static const struct hprof_heap_options no_heap_size = { .size = 1 };
static const struct hprof_summary_options no_summary_size = { .size = 1 };
static const struct hprof_size_convention no_convention;
static struct hprof_convert_result no_result_size;

/* Options with something in what is reserved. */
#define RESERVED(type) (&(const struct type){ sizeof(struct type), .reserved = { 1 } })

CALL(open_input, hprof_heap_open(NULL, NULL, ret, g->error))
CALL(open_ret, hprof_heap_open(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(open_size, hprof_heap_open(INPUT_PATH("x"), &no_heap_size, ret, g->error))
CALL(open_reserved,
     hprof_heap_open(INPUT_PATH("x"), RESERVED(hprof_heap_options), ret,
		     g->error))
CALL(resize, hprof_heap_resize(NULL, &no_convention, g->error))
CALL(resize_like, hprof_heap_resize(g->heap, NULL, g->error))
CALL(index_heap, hprof_class_index_build(NULL, ret, g->error))
CALL(index_ret, hprof_class_index_build(g->heap, NULL, g->error))
CALL(cursor, hprof_cursor_new(NULL, ret, g->error))
CALL(cursor_ret, hprof_cursor_new(g->heap, NULL, g->error))
CALL(seek, of_cursor(g, hprof_cursor_seek(g->cursor, 0, NULL)))
CALL(follow, of_cursor(g, hprof_cursor_follow(g->cursor, 1, NULL)))
CALL(field, of_cursor(g, hprof_cursor_field(g->cursor, 0, NULL)))
CALL(named, of_cursor(g, hprof_cursor_field_named(g->cursor, NULL, NULL, ret)))
CALL(named_ret,
     of_cursor(g, hprof_cursor_field_named(g->cursor, NULL, "a", NULL)))
CALL(elements, of_cursor(g, hprof_cursor_elements(g->cursor, 0, 1, NULL, ret)))
CALL(elements_count,
     of_cursor(g, hprof_cursor_elements(g->cursor, 0, 1, ret, NULL)))
CALL(text, of_cursor(g, hprof_cursor_text(g->cursor, 0, NULL, NULL)))
CALL(value,
     of_cursor(g, hprof_cursor_value(g->cursor, HPROF_TYPE_INT, 0, 0, NULL)))
CALL(value_type, of_cursor(g, hprof_cursor_value(g->cursor, 1, 0, 0, ret)))
CALL(collection, of_cursor(g, hprof_collection_open(g->cursor, 0, NULL)))
CALL(entries,
     of_cursor(g, hprof_collection_each(g->cursor, 0, 0, NULL, NULL, ret)))
CALL(edge, of_cursor(g, hprof_cursor_edge(g->cursor, 0, NULL)))

CALL(summary, hprof_summary_read(NULL, NULL, ret, g->error))
CALL(summary_ret, hprof_summary_read(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(summary_size,
     hprof_summary_read(INPUT_PATH("x"), &no_summary_size, ret, g->error))
CALL(summary_reserved,
     hprof_summary_read(INPUT_PATH("x"), RESERVED(hprof_summary_options), ret,
			g->error))
CALL(summary_resize, hprof_summary_resize(NULL, &no_convention, g->error))
CALL(threads, hprof_summary_threads(NULL, ret, g->error))
CALL(threads_ret, hprof_summary_threads(g->summary, NULL, g->error))
CALL(properties, hprof_summary_properties(NULL, ret, g->error))
CALL(properties_ret, hprof_summary_properties(g->summary, NULL, g->error))
CALL(profile, hprof_summary_profile(NULL, ret, g->error))
CALL(profile_ret, hprof_summary_profile(g->summary, NULL, g->error))
CALL(loaders, hprof_summary_loaders(NULL, ret, g->error))
CALL(loaders_ret, hprof_summary_loaders(g->summary, NULL, g->error))
CALL(counted, hprof_summary_resources(NULL, ret, g->error))
CALL(counted_ret, hprof_summary_resources(g->summary, NULL, g->error))
CALL(outside, hprof_summary_outside(NULL, ret, g->error))
CALL(outside_ret, hprof_summary_outside(g->summary, NULL, g->error))

CALL(convert, hprof_convert(NULL, "out", -1, NULL, NULL, NULL, g->error))
CALL(convert_fd,
     hprof_convert(INPUT_PATH("x"), NULL, -1, NULL, NULL, NULL, g->error))
CALL(convert_output,
     hprof_convert(INPUT_PATH("x"), "out", -1, RESERVED(hprof_writer_options),
		   NULL, NULL, g->error))
CALL(convert_reserved,
     hprof_convert(INPUT_PATH("x"), "out", -1, NULL,
		   RESERVED(hprof_convert_options), NULL, g->error))
CALL(convert_result, hprof_convert(INPUT_PATH("x"), "out", -1, NULL, NULL,
				   &no_result_size, g->error))
CALL(convert_into,
     hprof_convert_into(INPUT_PATH("x"), NULL, NULL, NULL, g->error))
CALL(reader, hprof_reader_open(NULL, NULL, ret, g->error))
CALL(reader_reserved,
     hprof_reader_open(INPUT_PATH("x"), RESERVED(hprof_reader_options), ret,
		       g->error))
CALL(writer, hprof_writer_create(NULL, NULL, ret, g->error))
CALL(writer_reserved,
     hprof_writer_create("out", RESERVED(hprof_writer_options), ret, g->error))

CALL(recipe_input,
     hprof_recipe_write_input(NULL, write_nothing, NULL, g->error))
CALL(recipe_write,
     hprof_recipe_write_input(INPUT_PATH("x"), NULL, NULL, g->error))
CALL(assemble_input,
     hprof_recipe_assemble_input(NULL, write_nothing, NULL, g->error))
CALL(assemble_write,
     hprof_recipe_assemble_input(INPUT_PATH("x"), NULL, NULL, g->error))

CALL(build_heap, hprof_graph_build(NULL, NULL, ret, g->error))
CALL(build_ret, hprof_graph_build(g->heap, NULL, NULL, g->error))
CALL(build_hold, hprof_graph_build(g->heap, &odd_hold, ret, g->error))
CALL(build_reserved,
     hprof_graph_build(g->heap, RESERVED(hprof_graph_options), ret, g->error))
CALL(build_size, hprof_graph_build(g->heap, &no_size, ret, g->error))
CALL(referrers, hprof_graph_referrers(NULL, 0, any, NULL, g->error))
CALL(referrers_fn, hprof_graph_referrers(g->graph, 0, NULL, NULL, g->error))
CALL(referrers_none,
     hprof_graph_referrers(g->graph, g->none, any, NULL, g->error))
CALL(referrers_bare, hprof_graph_referrers(g->bare, 0, any, NULL, g->error))
CALL(set, hprof_graph_retained_set(NULL, 0, any, NULL, g->error))
CALL(set_fn, hprof_graph_retained_set(g->graph, 0, NULL, NULL, g->error))
CALL(set_none, hprof_graph_retained_set(g->graph, g->none, any, NULL, g->error))
CALL(set_bare, hprof_graph_retained_set(g->bare, 0, any, NULL, g->error))
CALL(shortest, hprof_shortest_paths_build(NULL, ret, g->error))
CALL(shortest_ret, hprof_shortest_paths_build(g->graph, NULL, g->error))
CALL(shortest_bare, hprof_shortest_paths_build(g->bare, ret, g->error))

CALL(info_cursor, hprof_object_info_get(NULL, g->graph, 0, ret, g->error))
CALL(info_ret, hprof_object_info_get(g->cursor, g->graph, 0, NULL, g->error))
CALL(info_foreign,
     hprof_object_info_get(g->cursor, g->foreign, 0, ret, g->error))
CALL(retained, hprof_retained_read(NULL, NULL, ret, g->error))
CALL(retained_ret, hprof_retained_read(g->graph, NULL, NULL, g->error))
CALL(retained_top, hprof_retained_read(g->graph, &odd_top, ret, g->error))
CALL(retained_bare, hprof_retained_read(g->bare, NULL, ret, g->error))
CALL(upper, hprof_retained_tree_read(NULL, NULL, ret, g->error))
CALL(upper_ret, hprof_retained_tree_read(g->graph, NULL, NULL, g->error))
CALL(upper_top, hprof_retained_tree_read(g->graph, &odd_top, ret, g->error))
CALL(upper_wanted,
     hprof_retained_tree_read(g->graph, &odd_wanted, ret, g->error))
CALL(upper_bare, hprof_retained_tree_read(g->bare, NULL, ret, g->error))
CALL(kinds, hprof_dominator_kinds_read(NULL, ret, g->error))
CALL(kinds_ret, hprof_dominator_kinds_read(g->graph, NULL, g->error))
CALL(kinds_bare, hprof_dominator_kinds_read(g->bare, ret, g->error))
CALL(group, hprof_retained_by_group(NULL, &groups[0], 1, g->error))
CALL(group_null, hprof_retained_by_group(g->graph, NULL, 1, g->error))
CALL(group_0, hprof_retained_by_group(g->graph, &groups[0], 1, g->error))
CALL(group_1, hprof_retained_by_group(g->graph, &groups[1], 1, g->error))
CALL(group_2, hprof_retained_by_group(g->graph, &groups[2], 1, g->error))
CALL(group_bare, hprof_retained_by_group(g->bare, NULL, 0, g->error))
CALL(instances, hprof_instances_read(NULL, &row, 1, 1, ret, g->error))
CALL(instances_rows, hprof_instances_read(g->graph, NULL, 1, 1, ret, g->error))
CALL(instances_ret, hprof_instances_read(g->graph, &row, 1, 1, NULL, g->error))
CALL(instances_bare, hprof_instances_read(g->bare, &row, 1, 1, ret, g->error))
CALL(garbage, hprof_garbage_read(NULL, ret, g->error))
CALL(garbage_ret, hprof_garbage_read(g->graph, NULL, g->error))
CALL(allocations, hprof_allocations_read(NULL, HPROF_NO_OBJECT, ret, g->error))
CALL(allocations_ret,
     hprof_allocations_read(g->graph, HPROF_NO_OBJECT, NULL, g->error))
CALL(allocations_none, hprof_allocations_read(g->graph, g->none, ret, g->error))
CALL(allocations_bare, hprof_allocations_read(g->bare, 0, ret, g->error))
CALL(allocation, hprof_allocation_of(NULL, 0, ret, g->error))
CALL(allocation_ret, hprof_allocation_of(g->graph, 0, NULL, g->error))
CALL(allocation_none, hprof_allocation_of(g->graph, g->none, ret, g->error))
CALL(heap_allocations, hprof_heap_allocations(NULL, ret, g->error))
CALL(heap_allocations_ret, hprof_heap_allocations(g->heap, NULL, g->error))
CALL(loader_use, hprof_loader_use_read(NULL, ret, g->error))
CALL(loader_use_ret, hprof_loader_use_read(g->graph, NULL, g->error))
CALL(loader_use_bare, hprof_loader_use_read(g->bare, ret, g->error))
static bool no_row(void *user, enum hprof_table table,
		   const struct hprof_cell *cells)
{
	(void)user;
	(void)table;
	(void)cells;
	return true;
}

static enum hprof_status walk_with(const struct good *g, size_t size,
				   const struct hprof_heap *heap,
				   hprof_row_fn *fn)
{
	const struct hprof_tables_walk walk = { .size = size,
						.heap = heap,
						.row = fn };

	return hprof_tables_walk(&walk, g->error);
}

CALL(arrow, hprof_arrow_table(NULL, HPROF_TABLE_CLASS, NULL, ret, g->error))

static enum hprof_status arrow_with(const struct good *g,
				    enum hprof_table table,
				    const struct hprof_arrow_options *options,
				    struct ArrowArrayStream *ret)
{
	const struct hprof_tables_walk walk = { .size = sizeof walk,
						.heap = g->heap };

	return hprof_arrow_table(&walk, table, options, ret, g->error);
}

CALL(arrow_ret, arrow_with(g, HPROF_TABLE_CLASS, NULL, NULL))
CALL(arrow_table, arrow_with(g, HPROF_TABLE_COUNT, NULL, ret))
CALL(arrow_graph, arrow_with(g, HPROF_TABLE_RETAINED, NULL, ret))
CALL(arrow_waste, arrow_with(g, HPROF_TABLE_WASTE, NULL, ret))
CALL(arrow_loaders, arrow_with(g, HPROF_TABLE_LOADER, NULL, ret))
CALL(arrow_reserved,
     arrow_with(g, HPROF_TABLE_CLASS, RESERVED(hprof_arrow_options), ret))
CALL(arrow_class, hprof_arrow_class(NULL, NULL, 0, false, NULL, ret, g->error))

static enum hprof_status class_with(const struct good *g, size_t size,
				    size_t class_row,
				    const struct hprof_arrow_options *options,
				    struct ArrowArrayStream *ret)
{
	const struct hprof_tables_walk walk = { .size = size, .heap = g->heap };
	struct hprof_class_index *index;
	enum hprof_status status =
		hprof_class_index_build(g->heap, &index, NULL);

	if (status != HPROF_OK)
		return status;
	status = hprof_arrow_class(&walk, index, class_row, false, options, ret,
				   g->error);
	hprof_class_index_free(index);
	return status;
}

CALL(arrow_class_size, class_with(g, 1, 0, NULL, ret))
CALL(arrow_class_row,
     class_with(g, sizeof(struct hprof_tables_walk), SIZE_MAX, NULL, ret))
CALL(arrow_class_ret,
     class_with(g, sizeof(struct hprof_tables_walk), 0, NULL, NULL))
CALL(arrow_class_reserved, class_with(g, sizeof(struct hprof_tables_walk), 0,
				      RESERVED(hprof_arrow_options), ret))
CALL(tables, hprof_tables_walk(NULL, g->error))
CALL(tables_size, walk_with(g, 1, g->heap, no_row))
CALL(tables_heap, walk_with(g, sizeof(struct hprof_tables_walk), NULL, no_row))
CALL(tables_row, walk_with(g, sizeof(struct hprof_tables_walk), g->heap, NULL))
CALL(resources, hprof_resources_read(NULL, ret, g->error))
CALL(resources_ret, hprof_resources_read(g->graph, NULL, g->error))
CALL(resources_bare, hprof_resources_read(g->bare, ret, g->error))
CALL(native, hprof_native_read(NULL, ret, g->error))
CALL(native_ret, hprof_native_read(g->graph, NULL, g->error))
CALL(paths, hprof_paths_read(NULL, 0, NULL, ret, g->error))
CALL(paths_none, hprof_paths_read(g->graph, g->none, NULL, ret, g->error))
CALL(paths_count, hprof_paths_read(g->graph, 0, &odd_count, ret, g->error))
CALL(paths_reserved,
     hprof_paths_read(g->graph, 0, RESERVED(hprof_path_options), ret, g->error))
CALL(paths_ret, hprof_paths_read(g->graph, 0, NULL, NULL, g->error))
CALL(paths_bare, hprof_paths_read(g->bare, 0, NULL, ret, g->error))
CALL(merged, hprof_merged_paths_read(NULL, &row, 1, ret, g->error))
CALL(merged_rows, hprof_merged_paths_read(g->graph, NULL, 1, ret, g->error))
CALL(merged_ret, hprof_merged_paths_read(g->graph, &row, 1, NULL, g->error))
CALL(merged_bare, hprof_merged_paths_read(g->bare, &row, 1, ret, g->error))
CALL(leaks, hprof_leaks_read(NULL, NULL, ret, g->error))
CALL(leaks_reserved,
     hprof_leaks_read(g->graph, RESERVED(hprof_leak_options), ret, g->error))
CALL(leaks_share, hprof_leaks_read(g->graph, &odd_share, ret, g->error))
CALL(leaks_paths, hprof_leaks_read(g->graph, &odd_leak_paths, ret, g->error))
CALL(leaks_ret, hprof_leaks_read(g->graph, NULL, NULL, g->error))
CALL(leaks_bare, hprof_leaks_read(g->bare, NULL, ret, g->error))
CALL(waste, hprof_waste_read(NULL, NULL, ret, g->error))
CALL(waste_ret, hprof_waste_read(g->graph, NULL, NULL, g->error))
CALL(waste_top, hprof_waste_read(g->graph, &odd_waste, ret, g->error))
CALL(notes, hprof_waste_notes_new(NULL, ret, g->error))
CALL(notes_ret, hprof_waste_notes_new(g->heap, NULL, g->error))
CALL(waste_reserved,
     hprof_waste_read(g->graph, RESERVED(hprof_waste_options), ret, g->error))
CALL(locals, hprof_thread_locals_read(NULL, ret, g->error))
CALL(locals_ret, hprof_thread_locals_read(g->graph, NULL, g->error))
CALL(locals_bare, hprof_thread_locals_read(g->bare, ret, g->error))
CALL(local_names, hprof_thread_local_names_new(NULL, ret, g->error))
CALL(local_names_ret, hprof_thread_local_names_new(g->graph, NULL, g->error))
CALL(local_names_bare, hprof_thread_local_names_new(g->bare, ret, g->error))
CALL(local_name, hprof_thread_local_names_find(NULL, 0, ret, ret, g->error))

CALL(match, hprof_diff_match(NULL, 1, ret, g->error))
CALL(match_count, hprof_diff_match(&sides[0], 0, ret, g->error))
CALL(match_items, hprof_diff_match(&sides[1], 1, ret, g->error))
CALL(match_name, hprof_diff_match(&sides[2], 1, ret, g->error))
CALL(match_ret, hprof_diff_match(&sides[0], 1, NULL, g->error))
CALL(tree, hprof_path_tree_read(NULL, ret, g->error))
CALL(tree_ret, hprof_path_tree_read(g->graph, NULL, g->error))
CALL(diff, hprof_diff_paths(NULL, 1, ret, g->error))
CALL(diff_count, hprof_diff_paths(trees, 0, ret, g->error))
CALL(diff_tree, hprof_diff_paths(trees, 1, ret, g->error))

static const struct {
	enum hprof_status (*call)(const struct good *good);
	const char *name, *argument;
} calls[] = {
#define ROW(call, argument) { call, #call, argument }
	ROW(open_input, "input"),
	ROW(open_ret, "ret_heap"),
	ROW(open_size, "options"),
	ROW(open_reserved, "options"),
	ROW(resize, "heap"),
	ROW(resize_like, "like"),
	ROW(index_heap, "heap"),
	ROW(index_ret, "ret_index"),
	ROW(cursor, "heap"),
	ROW(cursor_ret, "ret_cursor"),
	ROW(seek, "ret_object"),
	ROW(follow, "ret_object"),
	ROW(field, "ret_field"),
	ROW(named, "name"),
	ROW(named_ret, "ret_field"),
	ROW(elements, "ret_values"),
	ROW(elements_count, "ret_count"),
	ROW(text, "ret_text"),
	ROW(value, "ret_value"),
	ROW(value_type, "type"),
	ROW(collection, "ret_collection"),
	ROW(entries, "fn"),
	ROW(edge, "ret_edge"),
	ROW(summary, "input"),
	ROW(summary_ret, "ret_summary"),
	ROW(summary_size, "options"),
	ROW(summary_reserved, "options"),
	ROW(summary_resize, "summary"),
	ROW(threads, "summary"),
	ROW(threads_ret, "ret_table"),
	ROW(properties, "summary"),
	ROW(properties_ret, "ret_table"),
	ROW(profile, "summary"),
	ROW(profile_ret, "ret_table"),
	ROW(loaders, "summary"),
	ROW(loaders_ret, "ret_table"),
	ROW(counted, "summary"),
	ROW(counted_ret, "ret_table"),
	ROW(outside, "summary"),
	ROW(outside_ret, "ret_table"),
	ROW(convert, "input"),
	ROW(convert_fd, "fd"),
	ROW(convert_output, "output"),
	ROW(convert_reserved, "options"),
	ROW(convert_result, "ret_result"),
	ROW(convert_into, "writer"),
	ROW(reader, "input"),
	ROW(reader_reserved, "options"),
	ROW(writer, "path"),
	ROW(writer_reserved, "options"),
	ROW(recipe_input, "input"),
	ROW(recipe_write, "write"),
	ROW(assemble_input, "input"),
	ROW(assemble_write, "write"),
	ROW(build_heap, "heap"),
	ROW(build_ret, "ret_graph"),
	ROW(build_hold, "options.hold"),
	ROW(build_size, "options"),
	ROW(build_reserved, "options"),
	ROW(referrers, "graph"),
	ROW(referrers_fn, "fn"),
	ROW(referrers_none, "object"),
	ROW(referrers_bare, "graph"),
	ROW(set, "graph"),
	ROW(set_fn, "fn"),
	ROW(set_none, "object"),
	ROW(set_bare, "graph"),
	ROW(shortest, "graph"),
	ROW(shortest_ret, "ret_paths"),
	ROW(shortest_bare, "graph"),
	ROW(info_cursor, "cursor"),
	ROW(info_ret, "ret_info"),
	ROW(info_foreign, "graph"),
	ROW(retained, "graph"),
	ROW(retained_ret, "ret_table"),
	ROW(retained_top, "options.top"),
	ROW(retained_bare, "graph"),
	ROW(upper, "graph"),
	ROW(upper_ret, "ret_tree"),
	ROW(upper_top, "options.top"),
	ROW(upper_wanted, "options.wanted"),
	ROW(upper_bare, "graph"),
	ROW(kinds, "graph"),
	ROW(kinds_ret, "ret_kinds"),
	ROW(kinds_bare, "graph"),
	ROW(group, "graph"),
	ROW(group_null, "groups"),
	ROW(group_0, "groups.instances"),
	ROW(group_1, "groups.class_objects"),
	ROW(group_2, "groups.sums"),
	ROW(group_bare, "graph"),
	ROW(instances, "graph"),
	ROW(instances_rows, "rows"),
	ROW(instances_ret, "ret_table"),
	ROW(instances_bare, "graph"),
	ROW(garbage, "graph"),
	ROW(garbage_ret, "ret_table"),
	ROW(allocations, "graph"),
	ROW(allocations_ret, "ret_table"),
	ROW(allocations_none, "object"),
	ROW(allocations_bare, "graph"),
	ROW(allocation, "graph"),
	ROW(allocation_ret, "ret_table"),
	ROW(allocation_none, "object"),
	ROW(heap_allocations, "heap"),
	ROW(heap_allocations_ret, "ret_table"),
	ROW(loader_use, "graph"),
	ROW(loader_use_ret, "ret_table"),
	ROW(loader_use_bare, "graph"),
	ROW(arrow, "walk"),
	ROW(arrow_ret, "ret_stream"),
	ROW(arrow_table, "table"),
	ROW(arrow_graph, "graph"),
	ROW(arrow_waste, "waste"),
	ROW(arrow_loaders, "loaders"),
	ROW(arrow_reserved, "options"),
	ROW(arrow_class, "walk"),
	ROW(arrow_class_size, "walk"),
	ROW(arrow_class_row, "class_row"),
	ROW(arrow_class_ret, "ret_stream"),
	ROW(arrow_class_reserved, "options"),
	ROW(tables, "walk"),
	ROW(tables_size, "walk"),
	ROW(tables_heap, "heap"),
	ROW(tables_row, "row"),
	ROW(resources, "graph"),
	ROW(resources_ret, "ret_table"),
	ROW(resources_bare, "graph"),
	ROW(native, "graph"),
	ROW(native_ret, "ret_table"),
	ROW(paths, "graph"),
	ROW(paths_none, "object"),
	ROW(paths_count, "options.count"),
	ROW(paths_ret, "ret_table"),
	ROW(paths_reserved, "options"),
	ROW(paths_bare, "graph"),
	ROW(merged, "graph"),
	ROW(merged_rows, "rows"),
	ROW(merged_ret, "ret_table"),
	ROW(merged_bare, "graph"),
	ROW(leaks, "graph"),
	ROW(leaks_reserved, "options"),
	ROW(leaks_share, "options.share"),
	ROW(leaks_paths, "options.paths"),
	ROW(leaks_ret, "ret_table"),
	ROW(leaks_bare, "graph"),
	ROW(waste, "graph"),
	ROW(waste_ret, "ret_table"),
	ROW(waste_top, "options.top"),
	ROW(notes, "heap"),
	ROW(notes_ret, "ret_notes"),
	ROW(waste_reserved, "options"),
	ROW(locals, "graph"),
	ROW(locals_ret, "ret_table"),
	ROW(locals_bare, "graph"),
	ROW(local_names, "graph"),
	ROW(local_names_ret, "ret_names"),
	ROW(local_names_bare, "graph"),
	ROW(local_name, "names"),
	ROW(match, "sides"),
	ROW(match_count, "count"),
	ROW(match_items, "sides.items"),
	ROW(match_name, "sides.items.name"),
	ROW(match_ret, "ret_table"),
	ROW(tree, "graph"),
	ROW(tree_ret, "ret_tree"),
	ROW(diff, "trees"),
	ROW(diff_count, "count"),
	ROW(diff_tree, "trees"),
};

/* ---- with and without somewhere for the error ---------------------------- */

static void check_call(struct good *good, size_t i)
{
	struct hprof_object_info untouched, ret;
	struct hprof_error error = { 0 };
	char expected[64];

	memset(&untouched, 0x5a, sizeof untouched);
	memcpy(&ret, &untouched, sizeof ret);
	good->ret = &ret;
	good->error = &error;
	cr_expect_eq(calls[i].call(good), HPROF_E_USAGE, "%s", calls[i].name);
	cr_expect_eq(error.status, HPROF_E_USAGE, "%s", calls[i].name);
	snprintf(expected, sizeof expected, "argument %s: ", calls[i].argument);
	cr_expect(!strncmp(error.text, expected, strlen(expected)),
		  "%s: %s, not %s", calls[i].name, error.text, expected);
	good->error = NULL;
	cr_expect_eq(calls[i].call(good), HPROF_E_USAGE, "%s", calls[i].name);
	cr_expect(!memcmp(&ret, &untouched, sizeof ret), "%s", calls[i].name);
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
	hprof_graph_depths_free(NULL);
}
