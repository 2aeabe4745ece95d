/* SPDX-License-Identifier: MIT */
/*
 * wrong_graph_calls.c - wrong arguments of graphs, and of the tables that are made of
 * them; graphs that lack something.
 */
#include "wrong_calls.h"

static bool any(void *user, uint64_t object)
{
	(void)user;
	(void)object;
	return true;
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

static const struct wrong_call calls[] = {
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

const struct wrong_calls wrong_graph_calls = { calls,
					       sizeof calls / sizeof *calls };
