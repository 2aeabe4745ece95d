/* SPDX-License-Identifier: MIT */
/*
 * test_retained_tree.c - the tree of the biggest objects, and reports about
 * some classes only, against what is right by definition.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include <hprof.h>

#include "base/mem.h"
#include "heaps.h"
#include "maker.h"
#include "random_heap.h"

/* ---- the tree ------------------------------------------------------------- */

static bool follows(const struct opened *o, uint64_t object)
{
	uint64_t dominator = hprof_graph_dominator(o->graph, object);
	uint64_t all = hprof_graph_retained(o->graph, dominator);

	return dominator != HPROF_NO_OBJECT && all &&
	       hprof_graph_retained(o->graph, object) >= all - all / 10;
}

static bool dominates(const struct opened *o, uint64_t above, uint64_t object)
{
	while ((object = hprof_graph_dominator(o->graph, object)) !=
	       HPROF_NO_OBJECT)
		if (object == above)
			return true;
	return false;
}

/* The row that row I hangs from; SIZE_MAX: from none. */
static size_t parent_row(const struct hprof_retained_tree *tree, size_t i)
{
	size_t depth = tree->rows[i].depth;

	while (i-- > 0)
		if (tree->rows[i].depth < depth)
			return i;
	return SIZE_MAX;
}

/* Whether ALL[COUNT] is of another class than those before, or is another class. */
static bool is_new(const struct hprof_object_info *all, size_t count)
{
	const struct hprof_object_info *one = &all[count];

	for (size_t i = 0; i < count; i++)
		if (all[i].class_row == one->class_row &&
		    all[i].kind == one->kind &&
		    (one->kind != HPROF_OBJECT_CLASS || all[i].id == one->id))
			return false;
	return true;
}

/* Those between FROM and TO follow each other, COUNT of them. */
static void check_fold(const struct opened *o,
		       const struct hprof_tree_row *first, uint64_t to)
{
	uint64_t at = to, shallow = 0;
	size_t count = 0, classes = 0;
	struct hprof_object_info *all = calloc(first->folded + 1, sizeof *all);
	struct hprof_cursor *cursor = cursor_of(o->heap);

	while (at != first->held.object) {
		cr_expect(follows(o, at));
		at = hprof_graph_dominator(o->graph, at);
		cr_assert(count < first->folded);
		hprof_object_info_get(cursor, NULL, at, &all[count], NULL);
		shallow += all[count].shallow;
		classes += is_new(all, count);
		count++;
	}
	cr_expect_eq(count, first->folded);
	cr_expect(first->folded > 1);
	cr_expect_eq(classes, first->classes);
	cr_expect_eq(shallow, first->shallow);
	hprof_cursor_free(cursor);
	free(all);
}

static void check_rows(const char *name, const struct opened *o,
		       const struct hprof_retained_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct hprof_tree_row *row = &tree->rows[i];
		size_t parent = parent_row(tree, i);

		if (row->folded)
			check_fold(o, row, tree->rows[i + 1].held.object);
		else
			cr_expect_eq(row->shallow, row->held.shallow);
		if (parent == SIZE_MAX)
			cr_expect_eq(row->depth, 0, "%s", name);
		else
			cr_expect(
				tree->rows[parent].depth == row->depth - 1 &&
					dominates(
						o,
						tree->rows[parent].held.object,
						row->held.object),
				"%s: row %zu", name, i);
		for (size_t k = 0; k < i; k++)
			cr_expect(tree->rows[k].held.object !=
				  row->held.object);
		/* Siblings are sorted. */
		if (i && tree->rows[i - 1].depth == row->depth)
			cr_expect(tree->rows[i - 1].held.retained >=
				  row->held.retained);
	}
}

/* The least that a row retains that follows nothing. */
static uint64_t least_of(const struct opened *o,
			 const struct hprof_retained_tree *tree)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < tree->count; i++)
		if (!follows(o, tree->rows[i].held.object) &&
		    tree->rows[i].held.retained < least)
			least = tree->rows[i].held.retained;
	return least;
}

static bool has_row(const struct hprof_retained_tree *tree, uint64_t object)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->rows[i].held.object == object)
			return true;
	return false;
}

/* Nothing that follows nothing and is larger than what is shown is missing. */
static void check_choice(const char *name, const struct opened *o,
			 const struct hprof_retained_tree *tree, bool all)
{
	uint64_t shown = 0, wanted = 0, least = all ? 0 : least_of(o, tree);

	for (size_t i = 0; i < tree->count; i++)
		shown += tree->rows[i].folded ? tree->rows[i].folded : 1;
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		uint64_t retained = hprof_graph_retained(o->graph, i);

		if (!hprof_graph_is_reachable(o->graph, i) || !retained)
			continue;
		wanted++;
		if (retained > least && !follows(o, i))
			cr_expect(has_row(tree, i), "%s", name);
	}
	if (all)
		cr_expect_eq(shown, wanted, "%s: all of the heap", name);
}

static void check_tree(const char *name, const struct opened *o)
{
	static const size_t tops[] = { 1, 2, 3, 4, 7, 25, 1 << 20 };

	for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
		struct hprof_retained_options how = { .size = sizeof how,
						      .top = tops[i] };
		struct hprof_retained_tree *tree;

		cr_assert_eq(
			hprof_retained_tree_read(o->graph, &how, &tree, NULL),
			HPROF_OK, "%s", name);
		cr_expect(tree->count <= tops[i], "%s", name);
		check_rows(name, o, tree);
		check_choice(name, o, tree, tops[i] == 1 << 20);
		hprof_retained_tree_free(tree);
	}
}

/* ---- some classes only ---------------------------------------------------- */

/* Every third class, and the class objects that represent them. */
static bool is_wanted(const struct hprof_object_info *info, size_t classes)
{
	return (info->class_row < classes ? info->class_row : classes) % 3 == 1;
}

static void check_wanted(const char *name, const struct opened *o)
{
	size_t classes = hprof_heap_summary(o->heap)->class_count;
	bool *wanted = calloc(classes + 1, sizeof *wanted);
	struct hprof_retained_options how = { .size = sizeof how,
					      .top = 1 << 20,
					      .wanted = wanted };
	struct hprof_cursor *cursor = cursor_of(o->heap);
	uint64_t objects = 0, in_packages = 0, in_loaders = 0;
	struct hprof_retained_table *t;
	struct hprof_object_info info;

	for (size_t i = 0; i <= classes; i++)
		wanted[i] = i % 3 == 1;
	cr_assert_eq(hprof_retained_read(o->graph, &how, &t, NULL), HPROF_OK);
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		hprof_object_info_get(cursor, NULL, i, &info, NULL);
		objects += hprof_graph_is_reachable(o->graph, i) &&
			   is_wanted(&info, classes);
	}
	cr_expect_eq(t->big_count, objects, "%s", name);
	for (size_t i = 0; i < t->big_count; i++)
		cr_expect(is_wanted(&t->big[i].held, classes), "%s", name);
	for (size_t i = 0; i < t->class_count; i++)
		cr_expect(t->classes[i].class_row >= classes ||
				  t->classes[i].class_row % 3 == 1,
			  "%s", name);
	for (size_t i = 0; i < t->package_count; i++)
		in_packages += t->packages[i].objects;
	for (size_t i = 0; i < t->loader_count; i++)
		in_loaders += t->loaders[i].objects;
	cr_expect_eq(in_packages, objects, "%s", name);
	cr_expect_eq(in_loaders, objects, "%s", name);
	hprof_retained_table_free(t);
	hprof_cursor_free(cursor);
	free(wanted);
}

/* ---- heaps ---------------------------------------------------------------- */

static void check(const char *name, struct opened *o)
{
	check_tree(name, o);
	check_wanted(name, o);
	close_opened(o);
}

Test(retained_tree, every_fixture)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture fixture = fixture_load(*name);
		struct opened o;

		if (open_bytes(&o, fixture.bytes, fixture.size, 1))
			check(*name, &o);
		fixture_free(&fixture);
	}
}

Test(retained_tree, random_heaps)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct opened o;

		open_random(&o, seed * 1000);
		check("random", &o);
	}
}

/* The address of node I of a list of COUNT, the first of which is the root. */
static uint64_t node_id(uint32_t i, uint32_t count, bool backward)
{
	return 0x1000 + 0x10 * (uint64_t)(backward ? count - 1 - i : i);
}

/*
 * A list of COUNT nodes from the root, each with an array of SIZE bytes, or with
 * nothing at all if it is 0. Addresses ascend, or descend with BACKWARD.
 */
static void open_list(struct opened *o, uint32_t count, uint32_t size,
		      bool backward)
{
	struct maker m = maker_begin(8);
	uint64_t names = maker_string(&m, "next");

	maker_string(&m, "item");
	maker_load(&m, 0x10, "java/lang/Object");
	maker_load(&m, 0x20, "app/Node");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_root(&m, node_id(0, count, backward));
	maker_class(&m, &(struct maker_class){ .class_id = 0x10 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x20,
					       .super_id = 0x10,
					       .instance_size = 16,
					       .fields = "LL",
					       .names_id = names });
	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = backward ? count - 1 - k : k;
		uint64_t id = node_id(i, count, backward);
		uint8_t data[16] = { 0 };

		if (i + 1 < count)
			maker_id(data, node_id(i + 1, count, backward));
		if (size)
			maker_id(data + 8, id + 8);
		maker_fields(&m, id, 0x20, data, sizeof data);
		if (size)
			maker_prims(&m, id + 8, HPROF_TYPE_BYTE, size);
	}
	maker_heap_end(&m);
	cr_assert(open_bytes(o, m.out.bytes, m.out.size, 2));
	buffer_free(&m.out);
}

/* Three rows stand for the list, whatever its length. */
Test(retained_tree, list)
{
	struct hprof_retained_tree *tree;
	struct opened o;

	open_list(&o, 1000, 0, false);
	cr_assert_eq(hprof_retained_tree_read(o.graph, NULL, &tree, NULL),
		     HPROF_OK);
	cr_assert(tree->count > 3);
	cr_expect_eq(tree->rows[0].held.id, 0x1000);
	cr_expect_eq(tree->rows[1].held.id, 0x1010);
	cr_expect_eq(tree->rows[1].classes, 1);
	cr_expect_eq(tree->rows[1].shallow,
		     tree->rows[1].folded * tree->rows[0].shallow);
	cr_expect(tree->rows[1].folded > 900);
	cr_expect_eq(tree->rows[2].folded, 0);
	hprof_retained_tree_free(tree);
	check("list", &o);
	open_list(&o, 300, 100, false);
	check("list of arrays", &o);
	open_list(&o, 300, 100, true);
	check("list of arrays, backward", &o);
}

/*
 * With more of them than are kept, the rows still fit together. All nodes but
 * the last few follow the one before.
 */
Test(retained_tree, long_list, .timeout = 300)
{
	struct hprof_retained_options how = { .size = sizeof how,
					      .top = 100000 };
	struct hprof_retained_tree *tree;
	struct opened o;

	open_list(&o, 1200000, 0, false);
	cr_assert_eq(hprof_retained_tree_read(o.graph, &how, &tree, NULL),
		     HPROF_OK);
	cr_assert(tree->count >= 3);
	cr_expect(tree->rows[1].folded > 100000);
	cr_expect_eq(hprof_graph_dominator(o.graph, tree->rows[1].held.object),
		     tree->rows[0].held.object);
	hprof_retained_tree_free(tree);
	close_opened(&o);
}

/*
 * Their sizes descend with their numbers, or ascend: which are found is the same. With
 * the classes they are 72 blocks of 4096 and a few more, so the step by the golden
 * ratio, 45, does not lead to all of them.
 */
static void check_biggest(bool backward)
{
	enum { NODES = 296001, BIGGEST = 5000 };
	struct hprof_retained_options how = { .size = sizeof how,
					      .top = BIGGEST };
	struct hprof_retained_table *table;
	struct opened o;

	open_list(&o, NODES, 0, backward);
	cr_assert_eq(
		hprof_heap_find(o.heap, node_id(1, NODES, backward)) >
			hprof_heap_find(o.heap, node_id(0, NODES, backward)),
		!backward);
	cr_assert_eq(hprof_retained_read(o.graph, &how, &table, NULL),
		     HPROF_OK);
	cr_assert_eq(table->big_count, BIGGEST);
	for (uint32_t i = 0; i < BIGGEST; i++)
		cr_assert_eq(table->big[i].held.id,
			     node_id(i, NODES, backward));
	hprof_retained_table_free(table);
	close_opened(&o);
}

Test(retained_tree, biggest_of_a_list)
{
	check_biggest(false);
	check_biggest(true);
}

/* Of arrays of the same size, in several blocks, those with the lowest numbers. */
Test(retained_tree, biggest_of_equal_size)
{
	enum { NODES = 20000, ARRAYS = 10000 };
	struct hprof_retained_options how = { .size = sizeof how,
					      .top = NODES + ARRAYS };
	struct hprof_retained_table *table;
	struct opened o;

	open_list(&o, NODES, 100, false);
	cr_assert_eq(hprof_retained_read(o.graph, &how, &table, NULL),
		     HPROF_OK);
	cr_assert_eq(table->big_count, NODES + ARRAYS);
	for (uint32_t i = 0; i < ARRAYS; i++)
		cr_assert_eq(table->big[NODES + i].held.id,
			     node_id(i, NODES, false) + 8);
	hprof_retained_table_free(table);
	close_opened(&o);
}

Test(retained_tree, without_memory)
{
	struct hprof_retained_tree *tree = NULL;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 3);
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_retained_tree_read(o.graph, NULL, &tree, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 3);
	hprof_retained_tree_free(tree);
	close_opened(&o);
}
