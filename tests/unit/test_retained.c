/* SPDX-License-Identifier: MIT */
/*
 * test_retained.c - reports about the object graph, of every fixture, against
 * what is right by definition.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include <hprof.h>

#include "heaps.h"
#include "report/passing_roots.h"

/* ---- sums ---------------------------------------------------------------- */

/* Class objects count as instances of java.lang.Class. */
static bool is_of(const struct opened *o, const struct hprof_object *object,
		  size_t row)
{
	if (object->kind != HPROF_OBJECT_CLASS)
		return object->class_row == row;
	return hprof_heap_class_named(o->heap, "java.lang.Class", 0) == row;
}

/* By definition: objects of the class that no other one dominates. */
static uint64_t retained_by_class(const struct opened *o, size_t row)
{
	struct hprof_cursor *cursor;
	struct hprof_object object;
	uint64_t sum = 0, count = hprof_heap_count(o->heap);

	cr_assert_eq(hprof_cursor_new(o->heap, &cursor, NULL), HPROF_OK);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t above = i;
		bool is_top = true;

		cr_assert_eq(hprof_cursor_seek(cursor, i, &object), HPROF_OK);
		if (!is_of(o, &object, row) ||
		    !hprof_graph_is_reachable(o->graph, i))
			continue;
		while ((above = hprof_graph_dominator(o->graph, above)) !=
		       HPROF_NO_OBJECT) {
			hprof_cursor_seek(cursor, above, &object);
			if (is_of(o, &object, row))
				is_top = false;
		}
		if (is_top)
			sum += hprof_graph_retained(o->graph, i);
	}
	hprof_cursor_free(cursor);
	return sum;
}

static void check_sets(const char *name, const struct hprof_retained_table *t,
		       const struct hprof_set_row *rows, size_t count)
{
	uint64_t objects = 0, shallow = 0;

	for (size_t i = 0; i < count; i++) {
		objects += rows[i].objects;
		shallow += rows[i].shallow;
		cr_expect(rows[i].retained >= rows[i].shallow ||
				  rows[i].objects > 1,
			  "%s", name);
		cr_expect(rows[i].retained <= t->reachable_shallow, "%s", name);
		cr_expect(!i || rows[i - 1].retained >= rows[i].retained, "%s",
			  name);
	}
	cr_expect_eq(objects, t->reachable_objects, "%s", name);
	cr_expect_eq(shallow, t->reachable_shallow, "%s", name);
}

static void check_retained(const char *name, const struct opened *o)
{
	struct hprof_retained_table *t;

	cr_assert_eq(hprof_retained_read(o->graph, NULL, &t, NULL), HPROF_OK,
		     "%s", name);
	cr_expect_eq(t->objects, t->reachable_objects + t->unreachable_objects,
		     "%s", name);
	cr_expect_eq(t->shallow, t->reachable_shallow + t->unreachable_shallow,
		     "%s", name);
	check_sets(name, t, t->classes, t->class_count);
	check_sets(name, t, t->packages, t->package_count);
	check_sets(name, t, t->loaders, t->loader_count);
	for (size_t i = 0; i < t->class_count; i++)
		if (t->classes[i].class_row != SIZE_MAX)
			cr_expect_eq(
				t->classes[i].retained,
				retained_by_class(o, t->classes[i].class_row),
				"%s: %s", name, t->classes[i].name);
	for (size_t i = 1; i < t->big_count; i++)
		cr_expect(t->big[i - 1].held.retained >=
				  t->big[i].held.retained,
			  "%s", name);
	hprof_retained_table_free(t);
}

static void check_garbage(const char *name, const struct opened *o)
{
	const struct hprof_strength_total rest =
		hprof_graph_totals(o->graph)
			->by_strength[HPROF_STRENGTH_GARBAGE];
	struct hprof_garbage_table *t;
	uint64_t objects = 0, shallow = 0;

	cr_assert_eq(hprof_garbage_read(o->graph, &t, NULL), HPROF_OK, "%s",
		     name);
	for (size_t i = 0; i < t->class_count; i++) {
		objects += t->classes[i].objects;
		shallow += t->classes[i].shallow;
	}
	cr_expect_eq(objects, rest.objects, "%s", name);
	cr_expect_eq(shallow, rest.shallow, "%s", name);
	hprof_garbage_table_free(t);
}

/* ---- paths --------------------------------------------------------------- */

static bool refers(const struct opened *o, struct hprof_cursor *cursor,
		   uint64_t from, uint64_t to)
{
	struct hprof_object object;
	struct hprof_edge edge;

	hprof_cursor_seek(cursor, from, &object);
	for (uint64_t i = 0; hprof_cursor_edge(cursor, i, &edge) == HPROF_OK;
	     i++)
		if (edge.to == to)
			return true;
	(void)o;
	return false;
}

/*
 * Each begins at a root, or at a class, which its loader keeps; is made of
 * references, has no object twice.
 */
static void check_path(const char *name, const struct opened *o,
		       struct hprof_cursor *cursor,
		       const struct hprof_path *path, uint64_t object)
{
	cr_assert(path->count > 0, "%s", name);
	cr_expect(hprof_graph_is_root(o->graph, path->steps[0].held.object) ||
			  (path->steps[0].held.kind == HPROF_OBJECT_CLASS &&
			   hprof_graph_is_reachable(
				   o->graph, path->steps[0].held.object)),
		  "%s", name);
	cr_expect_eq(path->steps[path->count - 1].held.object, object, "%s",
		     name);
	for (size_t i = 1; i < path->count; i++) {
		uint64_t at = path->steps[i].held.object;

		cr_expect(refers(o, cursor, path->steps[i - 1].held.object, at),
			  "%s", name);
		for (size_t k = 0; k < i; k++)
			cr_expect_neq(path->steps[k].held.object, at, "%s",
				      name);
	}
}

/* Of classes with the same name; several loaders may have defined it. */
static bool is_same_class(const struct hprof_object_info *a,
			  const struct hprof_object_info *b)
{
	return a->kind == b->kind &&
	       !strcmp(a->class_name ? a->class_name : "",
		       b->class_name ? b->class_name : "");
}

/* By objects of the same classes, chains of one class taken as one. */
static bool are_alike(const struct hprof_path *a, const struct hprof_path *b)
{
	size_t i = 0, k = 0;

	while (i < a->count && k < b->count) {
		const struct hprof_object_info *at = &a->steps[i].held;

		if (!is_same_class(at, &b->steps[k].held))
			return false;
		while (i < a->count && is_same_class(at, &a->steps[i].held))
			i++;
		while (k < b->count && is_same_class(at, &b->steps[k].held))
			k++;
	}
	return i == a->count && k == b->count && a->root.tag == b->root.tag;
}

/* A table of paths by kind must agree with one of all paths. */
static void check_alike(const char *name, const struct opened *o,
			const struct hprof_path_table *t, uint64_t object)
{
	struct hprof_path_options how = { .size = sizeof how,
					  .count = 1000,
					  .alike = true };
	struct hprof_path_table *all;

	cr_assert_eq(hprof_paths_read(o->graph, object, &how, &all, NULL),
		     HPROF_OK, "%s", name);
	cr_expect(all->count + all->others >= t->count + t->others, "%s", name);
	for (size_t i = 0; i < t->count; i++) {
		uint64_t alike = 0;

		for (size_t k = 0; k < i; k++)
			cr_expect(!are_alike(&t->paths[i], &t->paths[k]), "%s",
				  name);
		for (size_t k = 0; k < all->count; k++)
			alike += are_alike(&t->paths[i], &all->paths[k]);
		cr_expect(all->others || alike == t->paths[i].alike + 1, "%s",
			  name);
	}
	hprof_path_table_free(all);
}

/*
 * Whether it leads through objects of the Java runtime or class loaders, or begins at a
 * stack, which may be avoided.
 */
static bool may_be_shunned(const struct hprof_path *path,
			   const struct hprof_heap *heap)
{
	size_t rows = hprof_heap_summary(heap)->class_count;
	size_t loader =
		hprof_heap_class_named(heap, "java.lang.ClassLoader", 0);

	if (hp_root_is_passing(path->root.tag))
		return true;
	for (size_t i = 0; i + 1 < path->count; i++) {
		const struct hprof_object_info *held = &path->steps[i].held;
		const char *name = held->class_name;

		if (loader < rows && held->class_row < rows &&
		    hprof_heap_class_is(heap, held->class_row, loader))
			return true;
		if (name &&
		    (!strncmp(name, "java.", 5) || !strncmp(name, "sun.", 4)))
			return true;
	}
	return false;
}

static void check_paths(const char *name, const struct opened *o)
{
	struct hprof_path_options how = { .size = sizeof how, .count = 5 };
	uint64_t count = hprof_heap_count(o->heap);
	struct hprof_cursor *cursor;

	cr_assert_eq(hprof_cursor_new(o->heap, &cursor, NULL), HPROF_OK);
	for (uint64_t i = 0; i < count && i < 50; i++) {
		struct hprof_path_table *t;

		cr_assert_eq(hprof_paths_read(o->graph, i, &how, &t, NULL),
			     HPROF_OK, "%s", name);
		cr_expect_eq(t->count != 0,
			     hprof_graph_is_reachable(o->graph, i), "%s", name);
		for (size_t k = 0; k < t->count; k++) {
			check_path(name, o, cursor, &t->paths[k], i);
			cr_expect(!k ||
					  t->paths[k].count >=
						  t->paths[k - 1].count ||
					  may_be_shunned(&t->paths[k], o->heap),
				  "%s", name);
		}
		check_alike(name, o, t, i);
		hprof_path_table_free(t);
	}
	hprof_cursor_free(cursor);
}

static void check_merged(const char *name, const struct opened *o)
{
	const struct hprof_summary *summary = hprof_heap_summary(o->heap);

	for (size_t row = 0; row < summary->class_count && row < 10; row++) {
		struct hprof_merged_paths *t;
		uint64_t tops = 0;

		cr_assert_eq(
			hprof_merged_paths_read(o->graph, &row, 1, &t, NULL),
			HPROF_OK, "%s", name);
		for (size_t i = 0; i < t->count; i++) {
			const struct hprof_merged_path_node *node =
				&t->nodes[i];

			if (node->parent == SIZE_MAX)
				tops += node->targets;
			else
				cr_expect(node->parent < i &&
						  t->nodes[node->parent]
								  .targets >=
							  node->targets,
					  "%s", name);
		}
		cr_expect_eq(tops, t->targets, "%s", name);
		cr_expect_eq(t->retained, retained_by_class(o, row), "%s",
			     name);
		hprof_merged_paths_free(t);
	}
}

static void check_fixture(const char *name)
{
	struct fixture fixture = fixture_load(name);
	struct opened o;

	if (open_bytes(&o, fixture.bytes, fixture.size, 2)) {
		struct hprof_leak_table *leaks;
		struct hprof_thread_locals_table *locals;

		check_retained(name, &o);
		check_garbage(name, &o);
		check_paths(name, &o);
		check_merged(name, &o);
		cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL),
			     HPROF_OK, "%s", name);
		cr_assert_eq(hprof_thread_locals_read(o.graph, &locals, NULL),
			     HPROF_OK, "%s", name);
		hprof_leak_table_free(leaks);
		hprof_thread_locals_free(locals);
	}
	close_opened(&o);
	fixture_free(&fixture);
}

Test(retained, every_fixture)
{
	for (char **name = fixture_names(); *name; name++)
		check_fixture(*name);
}

/* ---- graphs that lack something ------------------------------------------ */

static enum hprof_status divide(const struct hprof_graph *graph)
{
	const struct hprof_heap *heap = hprof_graph_heap(graph);
	size_t rows = hprof_heap_summary(heap)->class_count + 1;
	uint32_t *sets = calloc(rows, sizeof *sets);
	struct hprof_set_sum sum = { 0, 0, 0 };
	struct hprof_retained_groups division = { .instances = sets,
						  .class_objects = sets,
						  .sums = &sum,
						  .set_count = 1 };
	enum hprof_status status =
		hprof_retained_by_group(graph, &division, 1, NULL);

	free(sets);
	return status;
}

static void check_dominators(const struct hprof_graph *graph,
			     enum hprof_status expected)
{
	struct hprof_retained_table *retained = NULL;
	struct hprof_instance_table *instances = NULL;
	struct hprof_thread_locals_table *locals = NULL;
	struct hprof_leak_table *leaks = NULL;
	size_t row = 0;

	cr_expect_eq(hprof_retained_read(graph, NULL, &retained, NULL),
		     expected);
	cr_expect_eq(hprof_instances_read(graph, &row, 1, 5, &instances, NULL),
		     expected);
	cr_expect_eq(hprof_leaks_read(graph, NULL, &leaks, NULL), expected);
	cr_expect_eq(hprof_thread_locals_read(graph, &locals, NULL), expected);
	cr_expect_eq(divide(graph), expected);
	hprof_retained_table_free(retained);
	hprof_instance_table_free(instances);
	hprof_leak_table_free(leaks);
	hprof_thread_locals_free(locals);
}

static void check_edges(const struct hprof_graph *graph, bool dominators,
			bool edges)
{
	struct hprof_garbage_table *garbage = NULL;
	struct hprof_merged_paths *merged = NULL;
	struct hprof_path_table *paths = NULL;
	size_t row = 0;

	cr_expect_eq(hprof_merged_paths_read(graph, &row, 1, &merged, NULL),
		     edges && dominators ? HPROF_OK : HPROF_E_USAGE);
	cr_expect_eq(hprof_paths_read(graph, 0, NULL, &paths, NULL),
		     edges ? HPROF_OK : HPROF_E_USAGE);
	cr_expect_eq(hprof_garbage_read(graph, &garbage, NULL), HPROF_E_USAGE);
	hprof_merged_paths_free(merged);
	hprof_path_table_free(paths);
	hprof_garbage_table_free(garbage);
}

Test(retained, what_graphs_lack)
{
	struct hprof_heap *heap = heap_of("stat-shop");

	for (unsigned with = 0; with < 4; with++) {
		struct hprof_graph_options how = { .size = sizeof how,
						   .threads = 1,
						   .dominators = with & 1,
						   .edges = with & 2 };
		struct hprof_graph *graph;

		cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL),
			     HPROF_OK);
		check_dominators(graph,
				 how.dominators ? HPROF_OK : HPROF_E_USAGE);
		check_edges(graph, how.dominators, how.edges);
		hprof_graph_free(graph);
	}
	hprof_heap_close(heap);
}
