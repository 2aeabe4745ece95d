/* SPDX-License-Identifier: MIT */
/*
 * test_dominator_kinds.c - the dominator tree by kinds against what is right by
 * definition, in both ways in which it is made; and what other reports make of it
 * against what they find without.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "base/mem.h"
#include "graph/graph.h"
#include "heaps.h"
#include "random_heap.h"
#include "report/kind_tree.h"

/* The row below PARENT for objects of a kind, or 0. */
static size_t find_child(const struct hprof_dominator_kinds *kinds,
			 size_t parent, size_t class_row, bool is_class)
{
	for (size_t i = 1; i < kinds->count; i++)
		if (kinds->rows[i].parent == parent &&
		    kinds->rows[i].class_row == class_row &&
		    kinds->rows[i].is_class == is_class)
			return i;
	return 0;
}

/* Adds missing rows if GROW; there must be room. */
static size_t row_of(const struct opened *o,
		     struct hprof_dominator_kinds *kinds, uint64_t object,
		     bool grow)
{
	uint64_t above = hprof_graph_dominator(o->graph, object);
	size_t parent =
		above == HPROF_NO_OBJECT ? 0 : row_of(o, kinds, above, grow);
	bool is_class = false;
	size_t class_row = hprof_graph_class_row(o->graph, object, &is_class);
	const struct hprof_dominator_kind *up = &kinds->rows[parent];
	size_t row;

	if (parent && up->class_row == class_row && up->is_class == is_class)
		return parent;
	row = find_child(kinds, parent, class_row, is_class);
	if (row || !grow)
		return row;
	kinds->rows[kinds->count] = (struct hprof_dominator_kind){
		.parent = parent,
		.class_row = class_row,
		.is_class = is_class,
	};
	return kinds->count++;
}

/* One object after the other, so rows are in the order of their first. */
static struct hprof_dominator_kinds plain_kinds(const struct opened *o)
{
	uint64_t count = hprof_heap_count(o->heap);
	struct hprof_dominator_kinds kinds = {
		.count = 1,
		.rows = calloc(count + 1, sizeof *kinds.rows),
	};

	kinds.rows[0].class_row = SIZE_MAX;
	for (uint64_t i = 0; i < count; i++) {
		size_t row;

		if (!hprof_graph_is_reachable(o->graph, i))
			continue;
		row = row_of(o, &kinds, i, true);
		kinds.rows[row].objects++;
		kinds.rows[row].shallow += hprof_graph_shallow(o->graph, i);
	}
	return kinds;
}

static void check_kinds(const char *name,
			const struct hprof_dominator_kinds *kinds,
			const struct hprof_dominator_kinds *plain)
{
	cr_assert_eq(kinds->count, plain->count, "%s: %zu rows, not %zu", name,
		     kinds->count, plain->count);
	for (size_t i = 0; i < kinds->count; i++) {
		const struct hprof_dominator_kind *a = &kinds->rows[i];
		const struct hprof_dominator_kind *b = &plain->rows[i];

		cr_expect_eq(a->parent, b->parent, "%s: %zu", name, i);
		cr_expect_eq(a->class_row, b->class_row, "%s: %zu", name, i);
		cr_expect_eq(a->is_class, b->is_class, "%s: %zu", name, i);
		cr_expect_eq(a->objects, b->objects, "%s: %zu", name, i);
		cr_expect_eq(a->shallow, b->shallow, "%s: %zu", name, i);
	}
}

/* As heaps with very many paths are read. */
static void check_walk(const char *name, const struct opened *o,
		       const struct hprof_dominator_kinds *plain)
{
	struct hp_kind_tree tree;

	cr_assert_eq(hp_kind_tree_walk(o->graph, &tree, NULL), HPROF_OK);
	cr_assert_eq(tree.count, plain->count, "%s", name);
	for (size_t i = 1; i < tree.count; i++) {
		const struct hprof_dominator_kind *b = &plain->rows[i];
		uint32_t kind = b->is_class
					? hp_kind_of_class(b->class_row)
					: hp_kind_of_instances(b->class_row);

		cr_expect_eq(tree.nodes[i].parent, b->parent, "%s", name);
		cr_expect_eq(tree.nodes[i].kind, kind, "%s", name);
		cr_expect_eq(tree.nodes[i].objects, b->objects, "%s", name);
		cr_expect_eq(tree.nodes[i].shallow, b->shallow, "%s", name);
	}
	hp_kind_tree_done(&tree);
}

static void compare_sets(const char *name, const struct hprof_set_row *a,
			 size_t a_count, const struct hprof_set_row *b,
			 size_t b_count)
{
	cr_assert_eq(a_count, b_count, "%s", name);
	for (size_t i = 0; i < a_count; i++) {
		cr_expect_str_eq(a[i].name, b[i].name, "%s", name);
		cr_expect_eq(a[i].objects, b[i].objects, "%s", name);
		cr_expect_eq(a[i].shallow, b[i].shallow, "%s", name);
		cr_expect_eq(a[i].retained, b[i].retained, "%s", name);
	}
}

static void compare_retained(const char *name,
			     const struct hprof_retained_table *a,
			     const struct hprof_retained_table *b)
{
	compare_sets(name, a->classes, a->class_count, b->classes,
		     b->class_count);
	compare_sets(name, a->packages, a->package_count, b->packages,
		     b->package_count);
	compare_sets(name, a->loaders, a->loader_count, b->loaders,
		     b->loader_count);
}

static struct hprof_retained_table *retained(const struct opened *o)
{
	struct hprof_retained_table *table;

	cr_assert_eq(hprof_retained_read(o->graph, NULL, &table, NULL),
		     HPROF_OK);
	return table;
}

/* Reports of a graph that finds the sums of all objects together with suspects. */
struct suspected {
	struct opened o;
	struct hprof_leak_table *leaks;
};

static struct suspected suspect(const struct opened *o, bool sums,
				uint64_t least)
{
	const struct hprof_graph_options how = { .size = sizeof how,
						 .threads = 3,
						 .dominators = true };
	const struct hprof_leak_options leaks = { .size = sizeof leaks,
						  .bytes = least,
						  .sums = sums };
	struct suspected s = { .o = { .heap = o->heap } };

	cr_assert_eq(hprof_graph_build(o->heap, &how, &s.o.graph, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_leaks_read(s.o.graph, &leaks, &s.leaks, NULL),
		     HPROF_OK);
	cr_expect_eq(s.o.graph->memo->found != NULL, sums);
	return s;
}

static void suspected_free(struct suspected *s)
{
	hprof_leak_table_free(s->leaks);
	hprof_graph_free(s->o.graph);
}

static void compare_suspects(const char *name, const struct hprof_leak_table *a,
			     const struct hprof_leak_table *b)
{
	cr_assert_eq(a->count, b->count, "%s", name);
	for (size_t i = 0; i < a->count; i++) {
		const struct hprof_leak *x = &a->leaks[i], *y = &b->leaks[i];

		cr_expect_eq(x->objects, y->objects, "%s: %zu", name, i);
		cr_expect_eq(x->retained, y->retained, "%s: %zu", name, i);
		cr_expect_eq(x->main.retained, y->main.retained, "%s: %zu",
			     name, i);
		cr_expect_eq(x->copies, y->copies, "%s: %zu", name, i);
		compare_sets(name, x->classes, x->class_count, y->classes,
			     y->class_count);
	}
}

/* Returns how many suspects there were. */
static size_t check_with_suspects(const char *name, const struct opened *o,
				  const struct hprof_dominator_kinds *plain,
				  const struct hprof_retained_table *sums,
				  uint64_t least)
{
	struct suspected with = suspect(o, true, least);
	struct suspected without = suspect(o, false, least);
	struct hprof_retained_table *found = retained(&with.o);
	struct hprof_dominator_kinds *kinds;
	size_t count = with.leaks->count;

	compare_suspects(name, with.leaks, without.leaks);
	compare_retained(name, found, sums);
	cr_assert_eq(hprof_dominator_kinds_read(with.o.graph, &kinds, NULL),
		     HPROF_OK, "%s", name);
	check_kinds(name, kinds, plain);
	hprof_dominator_kinds_free(kinds);
	hprof_retained_table_free(found);
	suspected_free(&with);
	suspected_free(&without);
	return count;
}

/* Returns how many suspects there were. */
static size_t check(const char *name, struct opened *o)
{
	size_t suspects = 0;
	struct hprof_dominator_kinds plain = plain_kinds(o), *kinds;
	struct hprof_retained_table *before = retained(o), *after;

	/* The second one comes from what the first one found. */
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(hprof_dominator_kinds_read(o->graph, &kinds, NULL),
			     HPROF_OK, "%s", name);
		check_kinds(name, kinds, &plain);
		hprof_dominator_kinds_free(kinds);
	}
	check_walk(name, o, &plain);
	after = retained(o);
	compare_retained(name, before, after);
	for (uint64_t least = 1; least < 10000; least *= 20)
		suspects += check_with_suspects(name, o, &plain, before, least);
	hprof_retained_table_free(before);
	hprof_retained_table_free(after);
	free(plain.rows);
	close_opened(o);
	return suspects;
}

Test(dominator_kinds, every_fixture)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture fixture = fixture_load(*name);
		struct opened o;

		if (open_bytes(&o, fixture.bytes, fixture.size, 3))
			check(*name, &o);
		fixture_free(&fixture);
	}
}

Test(dominator_kinds, random_heaps)
{
	size_t suspects = 0;

	for (uint64_t seed = 0; seed < 40; seed++) {
		struct opened o;

		open_random(&o, seed * 1000);
		suspects += check("random", &o);
	}
	cr_expect(suspects > 200, "%zu", suspects);
}

Test(dominator_kinds, without_memory)
{
	struct hprof_dominator_kinds *kinds = NULL;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 3);
	for (hp_mem_fail_after(0);
	     !had_memory(hprof_dominator_kinds_read(o.graph, &kinds, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 8);
	hprof_dominator_kinds_free(kinds);
	close_opened(&o);
}
