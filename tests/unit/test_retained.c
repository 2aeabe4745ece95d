/*
 * test_retained.c - reports about the object graph: against what is right by
 * definition on every fixture, and when memory is short.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "heaps.h"
#include "maker.h"
#include "mem.h"

static enum hprof_status open_graph(const char *path, unsigned threads,
				    struct opened *ret,
				    struct hprof_error *error)
{
	struct hprof_heap_options how = { .size = sizeof how,
					  .threads = threads };
	struct hprof_graph_options graph = { .size = sizeof graph,
					     .threads = threads,
					     .dominators = true,
					     .edges = true };
	enum hprof_status status;

	*ret = (struct opened){ NULL, NULL };
	status = hprof_heap_open(path, &how, &ret->heap, error);
	if (status >= 0)
		status = hprof_graph_build(ret->heap, &graph, &ret->graph,
					   error);
	return status;
}

/* ---- sums -------------------------------------------------------------------- */

/* Class objects are of java.lang.Class. */
static bool is_of(const struct opened *o, const struct hprof_object *object,
		  size_t row)
{
	if (object->kind != HPROF_OBJECT_CLASS)
		return object->class_row == row;
	return hprof_heap_class_named(o->heap, "java.lang.Class", 0) == row;
}

/* By definition: objects of the class that none of the class is above. */
static uint64_t retained_by_class(const struct opened *o, size_t row)
{
	struct hprof_cursor *cursor;
	struct hprof_object object;
	uint64_t sum = 0, count = hprof_heap_count(o->heap);

	cr_assert_eq(hprof_cursor_new(o->heap, &cursor, NULL), HPROF_OK);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t above = i;
		bool is_top = true;

		cr_assert_eq(hprof_cursor_go(cursor, i, &object), HPROF_OK);
		if (!is_of(o, &object, row) ||
		    !hprof_graph_is_reachable(o->graph, i))
			continue;
		while ((above = hprof_graph_dominator(o->graph, above)) !=
		       HPROF_NO_OBJECT) {
			hprof_cursor_go(cursor, above, &object);
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

	cr_assert_eq(hprof_retained_read(o->heap, o->graph, NULL, &t, NULL),
		     HPROF_OK, "%s", name);
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
	const struct hprof_graph_totals *totals = hprof_graph_totals(o->graph);
	struct hprof_garbage_table *t;
	uint64_t objects = 0, shallow = 0;

	cr_assert_eq(hprof_garbage_read(o->heap, o->graph, &t, NULL), HPROF_OK,
		     "%s", name);
	for (size_t i = 0; i < t->class_count; i++) {
		objects += t->classes[i].objects;
		shallow += t->classes[i].shallow;
	}
	cr_expect_eq(objects, totals->objects - totals->reachable, "%s", name);
	cr_expect_eq(shallow, totals->shallow - totals->reachable_shallow, "%s",
		     name);
	hprof_garbage_table_free(t);
}

/* ---- paths ------------------------------------------------------------------- */

static bool refers(const struct opened *o, struct hprof_cursor *cursor,
		   uint64_t from, uint64_t to)
{
	struct hprof_object object;
	struct hprof_edge edge;

	hprof_cursor_go(cursor, from, &object);
	for (uint64_t i = 0; hprof_cursor_edge(cursor, i, &edge) == HPROF_OK;
	     i++)
		if (edge.to == to)
			return true;
	(void)o;
	return false;
}

/* Each begins at a root, is made of references, has no object twice. */
static void check_path(const char *name, const struct opened *o,
		       struct hprof_cursor *cursor,
		       const struct hprof_path *path, uint64_t object)
{
	cr_assert(path->count > 0, "%s", name);
	cr_expect(hprof_graph_is_root(o->graph, path->steps[0].held.object),
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

/* By objects of the same classes, chains of one class taken as one. */
static bool are_alike(const struct hprof_path *a, const struct hprof_path *b)
{
	size_t i = 0, k = 0;

	while (i < a->count && k < b->count) {
		const struct hprof_held *at = &a->steps[i].held;

		if (at->class_row != b->steps[k].held.class_row ||
		    at->kind != b->steps[k].held.kind)
			return false;
		while (i < a->count && a->steps[i].held.kind == at->kind &&
		       a->steps[i].held.class_row == at->class_row)
			i++;
		while (k < b->count && b->steps[k].held.kind == at->kind &&
		       b->steps[k].held.class_row == at->class_row)
			k++;
	}
	return i == a->count && k == b->count && a->root.tag == b->root.tag;
}

/* What a table of kinds says must be what one of all paths has. */
static void check_alike(const char *name, const struct opened *o,
			const struct hprof_path_table *t, uint64_t object)
{
	struct hprof_path_options how = { .size = sizeof how,
					  .count = 1000,
					  .alike = true };
	struct hprof_path_table *all;

	cr_assert_eq(
		hprof_paths_read(o->heap, o->graph, object, &how, &all, NULL),
		HPROF_OK, "%s", name);
	cr_expect(all->count + all->others >= t->count + t->others, "%s",
		  name);
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

static void check_paths(const char *name, const struct opened *o)
{
	struct hprof_path_options how = { .size = sizeof how, .count = 5 };
	uint64_t count = hprof_heap_count(o->heap);
	struct hprof_cursor *cursor;

	cr_assert_eq(hprof_cursor_new(o->heap, &cursor, NULL), HPROF_OK);
	for (uint64_t i = 0; i < count && i < 50; i++) {
		struct hprof_path_table *t;

		cr_assert_eq(
			hprof_paths_read(o->heap, o->graph, i, &how, &t, NULL),
			HPROF_OK, "%s", name);
		cr_expect_eq(t->count != 0,
			     hprof_graph_is_reachable(o->graph, i), "%s", name);
		for (size_t k = 0; k < t->count; k++) {
			check_path(name, o, cursor, &t->paths[k], i);
			cr_expect(!k || t->paths[k].count >=
						  t->paths[k - 1].count,
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
		struct hprof_merged_table *t;
		uint64_t tops = 0;

		cr_assert_eq(
			hprof_merged_read(o->heap, o->graph, &row, 1, &t, NULL),
			HPROF_OK, "%s", name);
		for (size_t i = 0; i < t->count; i++) {
			const struct hprof_merged_node *node = &t->nodes[i];

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
		hprof_merged_table_free(t);
	}
}

static void check_fixture(const char *name)
{
	struct fixture fixture = fixture_load(name);
	const char *path =
		maker_file("retained.hprof", fixture.bytes, fixture.size);
	struct opened o;

	if (open_graph(path, 2, &o, NULL) >= 0) {
		struct hprof_leak_table *leaks;
		struct hprof_local_table *locals;

		check_retained(name, &o);
		check_garbage(name, &o);
		check_paths(name, &o);
		check_merged(name, &o);
		cr_assert_eq(hprof_leaks_read(o.heap, o.graph, &leaks, NULL),
			     HPROF_OK, "%s", name);
		cr_assert_eq(hprof_locals_read(o.heap, o.graph, &locals, NULL),
			     HPROF_OK, "%s", name);
		hprof_leak_table_free(leaks);
		hprof_local_table_free(locals);
	}
	close_opened(&o);
	fixture_free(&fixture);
}

Test(retained, every_fixture)
{
	for (char **name = fixture_names(); *name; name++)
		check_fixture(*name);
}

/* ---- leaks when memory is short ------------------------------------------------ */

enum { ITEMS = 300, ITEM_BYTES = 20000 };

static uint64_t item_id(uint32_t i)
{
	return 0x100000 + (uint64_t)i * 0x10000;
}

/* An array of ITEMS, which a root holds. */
static void put_array(struct maker *m, uint64_t id)
{
	static uint8_t ids[8 * ITEMS];

	for (uint32_t i = 0; i < ITEMS; i++)
		maker_id(ids + 8 * i, item_id(i));
	maker_elements(m, id, 0x200, ids, ITEMS);
	maker_root(m, id);
}

/* ITEMS arrays of bytes, in one array or, SHARED, in two. */
static const char *make_leak(const char *name, bool shared)
{
	struct maker m = maker_begin(8);
	const char *path;

	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, 0x200, "[Ljava/lang/Object;");
	maker_load(&m, 0x300, "[B");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300,
					       .super_id = 0x100 });
	for (uint32_t i = 0; i < ITEMS; i++)
		maker_prims(&m, item_id(i), HPROF_TYPE_BYTE, ITEM_BYTES);
	put_array(&m, 0x80000000);
	if (shared)
		put_array(&m, 0x80010000);
	maker_heap_end(&m);
	path = maker_file(name, m.out.bytes, m.out.size);
	buffer_free(&m.out);
	return path;
}

static struct hprof_leak_table *read_leaks(const char *path, unsigned threads,
					   struct opened *o)
{
	struct hprof_leak_table *leaks;

	cr_assert_eq(open_graph(path, threads, o, NULL), HPROF_OK);
	cr_assert_eq(hprof_leaks_read(o->heap, o->graph, &leaks, NULL),
		     HPROF_OK);
	cr_assert_eq(leaks->count, 1);
	return leaks;
}

Test(retained, one_array_is_the_point)
{
	const char *path = make_leak("leak.hprof", false);

	for (unsigned threads = 1; threads <= 3; threads++) {
		struct opened o;
		struct hprof_leak_table *leaks = read_leaks(path, threads, &o);
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

Test(retained, what_two_arrays_share_is_a_group)
{
	struct opened o;
	struct hprof_leak_table *leaks =
		read_leaks(make_leak("shared.hprof", true), 2, &o);
	const struct hprof_leak *leak = &leaks->leaks[0];

	cr_expect_eq(leak->kind, HPROF_LEAK_GROUP);
	cr_expect_eq(leak->members, ITEMS);
	cr_expect_eq(leak->origin.id, 0x80000000);
	cr_expect(leak->retained >= (uint64_t)ITEMS * ITEM_BYTES);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* Does all reports, each of which either succeeds or lacks memory. */
static bool all_reports(const struct opened *o, int64_t fail_after)
{
	struct hprof_retained_table *retained = NULL;
	struct hprof_garbage_table *garbage = NULL;
	struct hprof_leak_table *leaks = NULL;
	struct hprof_local_table *locals = NULL;
	struct hprof_merged_table *merged = NULL;
	struct hprof_path_table *paths = NULL;
	struct hprof_instance_table *instances = NULL;
	struct hprof_error error;
	const size_t row = 0;
	enum hprof_status status[7];
	bool good = true;

	hp_mem_fail_after(fail_after);
	status[0] =
		hprof_retained_read(o->heap, o->graph, NULL, &retained, &error);
	status[1] = hprof_garbage_read(o->heap, o->graph, &garbage, &error);
	status[2] = hprof_leaks_read(o->heap, o->graph, &leaks, &error);
	status[3] = hprof_locals_read(o->heap, o->graph, &locals, &error);
	status[4] =
		hprof_merged_read(o->heap, o->graph, &row, 1, &merged, &error);
	status[5] =
		hprof_paths_read(o->heap, o->graph, 3, NULL, &paths, &error);
	status[6] = hprof_instances_read(o->heap, o->graph, &row, 1, 5,
					 &instances, &error);
	hp_mem_fail_after(-1);
	for (size_t i = 0; i < 7; i++) {
		cr_assert(status[i] == HPROF_OK || status[i] == HPROF_E_NOMEM,
			  "report %zu: %d, %s", i, status[i], error.text);
		good = good && status[i] == HPROF_OK;
	}
	hprof_retained_table_free(retained);
	hprof_garbage_table_free(garbage);
	hprof_leak_table_free(leaks);
	hprof_local_table_free(locals);
	hprof_merged_table_free(merged);
	hprof_path_table_free(paths);
	hprof_instance_table_free(instances);
	return good;
}

Test(retained, allocations_fail)
{
	struct opened o;
	unsigned failures = 0, successes = 0;

	cr_assert_eq(open_graph(make_leak("scarce.hprof", true), 1, &o, NULL),
		     HPROF_OK);
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
	status = hprof_leaks_read(heap, graph, ret, NULL);
	hp_mem_fail_after(-1);
	hprof_graph_free(graph);
	return status;
}

Test(retained, leaks_need_no_edges)
{
	for (int shared = 0; shared < 2; shared++) {
		struct opened o;
		struct hprof_leak_table *leaks, *lean;

		leaks = read_leaks(make_leak("lean.hprof", shared), 2, &o);
		cr_assert_eq(leaks_without_edges(o.heap, -1, &lean), HPROF_OK);
		cr_assert_eq(lean->count, leaks->count);
		cr_expect_eq(lean->leaks[0].retained,
			     leaks->leaks[0].retained);
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

Test(retained, allocations_fail_without_edges)
{
	unsigned failures = 0, successes = 0;
	struct opened o;

	cr_assert_eq(open_graph(make_leak("short.hprof", true), 1, &o, NULL),
		     HPROF_OK);
	for (int64_t n = 0; successes < 20 && n < 2000; n++) {
		struct hprof_leak_table *leaks = NULL;
		enum hprof_status status =
			leaks_without_edges(o.heap, n, &leaks);

		cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM,
			  "%d", status);
		failures += status < 0;
		successes += status >= 0;
		hprof_leak_table_free(leaks);
	}
	cr_expect(failures > 20, "%u", failures);
	cr_expect_eq(successes, 20);
	close_opened(&o);
}
