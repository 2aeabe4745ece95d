/* SPDX-License-Identifier: MIT */
/*
 * test_path_trees.c - who holds what, as trees of paths: of every fixture, of
 * one heap at other places, and when memory is short.
 */
#include <criterion/criterion.h>

#include <hprof.h>

#include "fixture.h"
#include "heaps.h"
#include "base/mem.h"
#include "random_heap.h"

/* The tree has each reachable object once; sums include all nodes below. */
static void check_tree(const char *name, const struct opened *o,
		       const struct hprof_path_tree *tree)
{
	const struct hprof_graph_totals *totals = hprof_graph_totals(o->graph);
	uint64_t tops = 0, below = 0, objects = 0;

	cr_expect_eq(tree->objects, totals->reachable, "%s", name);
	cr_expect_eq(tree->shallow, totals->reachable_shallow, "%s", name);
	for (size_t i = 0; i < tree->count; i++) {
		const struct hprof_path_node *node = &tree->nodes[i];

		objects += node->objects;
		cr_expect(node->objects > 0, "%s", name);
		if (node->parent == SIZE_MAX) {
			tops += node->held_objects;
			below += node->held;
			/* All that is reachable has a path. */
			cr_expect(node->root != 0 ||
					  node->kind == HPROF_OBJECT_CLASS,
				  "%s", name);
			continue;
		}
		cr_assert(node->parent < i, "%s", name);
		cr_expect(tree->nodes[node->parent].held >= node->held, "%s",
			  name);
	}
	cr_expect_eq(objects, totals->reachable, "%s", name);
	cr_expect_eq(tops, totals->reachable, "%s", name);
	cr_expect_eq(below, totals->reachable_shallow, "%s", name);
}

static void expect_same(const char *name, const struct hprof_path_tree *a,
			const struct hprof_path_tree *b)
{
	const struct hprof_path_tree *trees[] = { a, b };
	struct hprof_diff_path_table *table;

	cr_assert_eq(hprof_diff_paths(trees, 2, &table, NULL), HPROF_OK);
	cr_expect_eq(table->count, 0, "%s", name);
	hprof_diff_path_table_free(table);
}

/* What rows keep adds up to what changed, of trees as different as can be. */
static void expect_sum(const char *name, const struct hprof_path_tree *a,
		       const struct hprof_path_tree *b)
{
	const struct hprof_path_tree *trees[] = { a, b, a };
	struct hprof_diff_path_table *table;
	uint64_t from = 0, to = 0;

	cr_assert_eq(hprof_diff_paths(trees, 2, &table, NULL), HPROF_OK);
	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_diff_path *path = &table->paths[i];

		from += path->cells[0].values[HPROF_DIFF_RETAINED];
		to += path->cells[1].values[HPROF_DIFF_RETAINED];
		cr_expect(path->point < path->step_count, "%s", name);
		cr_expect(path->part_count <= 3, "%s", name);
	}
	cr_expect_eq(to - from, b->shallow - a->shallow, "%s", name);
	hprof_diff_path_table_free(table);
	cr_assert_eq(hprof_diff_paths(trees, 3, &table, NULL), HPROF_OK);
	for (size_t i = 0; i < table->count; i++)
		cr_expect(!table->paths[i].grows[HPROF_DIFF_RETAINED], "%s",
			  name);
	hprof_diff_path_table_free(table);
}

static struct hprof_path_tree *shop_tree(void)
{
	struct fixture fixture = fixture_load("stat-shop");
	struct hprof_path_tree *tree;
	struct opened o;

	cr_assert(open_bytes(&o, fixture.bytes, fixture.size, 2));
	cr_assert_eq(hprof_path_tree_read(o.graph, &tree, NULL), HPROF_OK);
	close_opened(&o);
	fixture_free(&fixture);
	return tree;
}

static void check_fixture(const char *name, const struct hprof_path_tree *shop)
{
	struct fixture fixture = fixture_load(name);
	struct hprof_path_tree *tree, *again;
	struct opened o;

	if (open_bytes(&o, fixture.bytes, fixture.size, 2)) {
		cr_assert_eq(hprof_path_tree_read(o.graph, &tree, NULL),
			     HPROF_OK, "%s", name);
		cr_assert_eq(hprof_path_tree_read(o.graph, &again, NULL),
			     HPROF_OK, "%s", name);
		check_tree(name, &o, tree);
		close_opened(&o);
		expect_same(name, tree, again);
		expect_sum(name, tree, shop);
		expect_sum(name, shop, tree);
		hprof_path_tree_free(tree);
		hprof_path_tree_free(again);
	}
	fixture_free(&fixture);
}

Test(path_trees, every_fixture)
{
	struct hprof_path_tree *shop = shop_tree();

	for (char **name = fixture_names(); *name; name++)
		check_fixture(*name, shop);
	hprof_path_tree_free(shop);
}

/* ---- the same heap, elsewhere -------------------------------------------- */

static struct hprof_path_tree *tree_of(struct maker *m)
{
	struct hprof_path_tree *tree;
	struct opened o;

	cr_assert(open_bytes(&o, m->out.bytes, m->out.size, 2));
	cr_assert_eq(hprof_path_tree_read(o.graph, &tree, NULL), HPROF_OK);
	check_tree("random", &o, tree);
	close_opened(&o);
	buffer_free(&m->out);
	return tree;
}

Test(path_trees, do_not_depend_on_places)
{
	unsigned place[RANDOM_OBJECTS];
	uint64_t state = 1;

	for (unsigned i = 0; i < RANDOM_OBJECTS; i++)
		place[i] = i;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct hprof_path_tree *tree, *moved;
		struct maker m;

		random_heap(&m, place, seed * 1000);
		tree = tree_of(&m);
		for (unsigned i = RANDOM_OBJECTS; i-- > 1;) {
			unsigned k = (unsigned)(next_random(&state) % (i + 1));
			unsigned swap = place[i];

			place[i] = place[k];
			place[k] = swap;
		}
		random_heap(&m, place, seed * 1000);
		moved = tree_of(&m);
		cr_expect_eq(tree->count, moved->count);
		expect_same("moved", tree, moved);
		hprof_path_tree_free(tree);
		hprof_path_tree_free(moved);
	}
}

/* ---- memory -------------------------------------------------------------- */

Test(path_trees, without_memory)
{
	struct hprof_path_tree *shop = shop_tree(), *tree;
	struct hprof_diff_path_table *table;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 7);
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_path_tree_read(o.graph, &tree, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 10);
	close_opened(&o);

	const struct hprof_path_tree *trees[] = { shop, tree };
	after = 0;
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_diff_paths(trees, 2, &table, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 5);
	cr_expect(table->count > 0);
	hprof_diff_path_table_free(table);
	cr_expect_eq(hprof_diff_paths(trees, 0, &table, NULL), HPROF_E_USAGE);
	hprof_path_tree_free(shop);
	hprof_path_tree_free((struct hprof_path_tree *)(uintptr_t)trees[1]);
	hprof_path_tree_free(NULL);
	hprof_diff_path_table_free(NULL);
}
