/* SPDX-License-Identifier: MIT */
/*
 * retained_sets.c - see retained_sets.h.
 *
 * Every object that dominates another one gets the number of a set
 * (ancestor_sets.h): the kinds among itself and its dominators. It follows from
 * the number of its own dominator. Then objects are counted by set and kind
 * (retained_pass.c).
 *
 * If there are too many sets, one thread walks the dominator tree instead.
 *
 * The same with paths in place of sets, which tell in what order kinds dominate
 * each other, is what the tree of kinds is made of (dominator_kinds.c).
 */
#include "report/sets_table.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

enum { SPECIALS_MOST = 1 << 12 };

/* ---- beginnings ---------------------------------------------------------- */

static int compare_specials(const void *left, const void *right)
{
	/* HP_NO_NODE comes first. */
	uint32_t a = ((const struct hp_special *)left)->node + 1;
	uint32_t b = ((const struct hp_special *)right)->node + 1;

	return a < b ? -1 : a > b;
}

static enum hprof_status make_specials(struct hp_retained_sets *a)
{
	size_t used = 0;

	a->starts = hp_calloc(a->begin_count + 1, sizeof *a->starts);
	a->specials = hp_calloc(a->begin_count + 1, sizeof *a->specials);
	if (!a->starts || !a->specials)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < a->begin_count; i++) {
		a->starts[i] =
			hp_ancestor_sets_empty(&a->sets, (uint32_t)i + 1);
		if (!a->starts[i])
			return HPROF_E_NOMEM;
		a->specials[i] = (struct hp_special){ a->begins[i].dominator,
						      HP_SET_OUTSIDE };
	}
	if (a->begin_count)
		qsort(a->specials, a->begin_count, sizeof *a->specials,
		      compare_specials);
	for (size_t i = 0; i < a->begin_count; i++)
		if (!used || a->specials[used - 1].node != a->specials[i].node)
			a->specials[used++] = a->specials[i];
	a->special_count = used;
	for (size_t i = 0; i < used; i++)
		a->special_bits |= (uint64_t)1 << (a->specials[i].node & 63);
	return HPROF_OK;
}

/* Fails with HPROF_E_NOMEM, or sets too_many. */
static enum hprof_status find_sets(struct hp_retained_sets *a,
				   struct hprof_error *error)
{
	hp_graph_begin_tables(a->graph, &a->tables,
			      a->graph->build.tables.limit);
	HP_TRY(hp_mapped_table_make(&a->tables, &a->below_table,
				    (uint64_t)a->graph->edges.count + 1,
				    sizeof *a->below, HP_MAPPED_TABLE_CLEAR,
				    error));
	a->below = a->below_table.at;
	if (hp_retained_sets_take(a) != HPROF_OK)
		return hp_no_memory(error);
	hp_mapped_table_free(&a->tables, &a->below_table);
	hp_mapped_tables_release(&a->tables);
	return HPROF_OK;
}

static enum hprof_status begin(struct hp_retained_sets *a, bool paths,
			       struct hprof_error *error)
{
	size_t rows = hprof_heap_summary(a->graph->heap)->class_count;

	a->marks = hp_calloc(hp_kind_count(rows), sizeof *a->marks);
	if (hp_ancestor_sets_begin(&a->sets, paths) != HPROF_OK || !a->marks ||
	    hp_ancestor_sets_empty(&a->sets, 0) != HP_SET_OUTSIDE)
		return hp_no_memory(error);
	return HPROF_OK;
}

static enum hprof_status find(struct hp_retained_sets *a, bool paths,
			      struct hprof_error *error)
{
	HP_TRY(begin(a, paths, error));
	a->too_many = a->begin_count > SPECIALS_MOST;
	if (!a->too_many) {
		if (make_specials(a) != HPROF_OK)
			return hp_no_memory(error);
		HP_TRY(find_sets(a, error));
		/* So that nobody else tries to find them. */
		if (a->too_many && paths)
			__atomic_store_n(&a->graph->memo->many_paths, true,
					 __ATOMIC_RELAXED);
	}
	if (!a->too_many)
		return HPROF_OK;
	return paths ? HPROF_END
		     : hp_dominator_tree_init(&a->tree, a->graph, error);
}

/* Sets *RET to A, or frees it. */
static enum hprof_status give(struct hp_retained_sets *a,
			      enum hprof_status status,
			      struct hp_retained_sets **ret)
{
	if (status == HPROF_OK)
		*ret = a;
	else
		hp_retained_sets_done(a);
	return status;
}

static struct hp_retained_sets *make(const struct hprof_graph *graph,
				     const struct hp_begin *begins,
				     size_t count, const uint32_t *key,
				     struct hp_beside *beside)
{
	struct hp_retained_sets *a = hp_calloc(1, sizeof *a);

	if (a)
		*a = (struct hp_retained_sets){ .graph = graph,
						.begins = begins,
						.begin_count = count,
						.key = key,
						.beside = beside };
	return a;
}

enum hprof_status hp_retained_sets_find(const struct hprof_graph *graph,
					const struct hp_begin *begins,
					size_t count, const uint32_t *key,
					struct hp_beside *beside,
					struct hp_retained_sets **ret,
					struct hprof_error *error)
{
	struct hp_retained_sets *a = make(graph, begins, count, key, beside);

	return a ? give(a, find(a, false, error), ret) : hp_no_memory(error);
}

enum hprof_status hp_retained_paths_find(const struct hprof_graph *graph,
					 const struct hp_begin *begins,
					 size_t count, const uint32_t *key,
					 struct hp_beside *beside,
					 struct hp_retained_sets **ret,
					 struct hprof_error *error)
{
	struct hp_retained_sets *a;

	if (__atomic_load_n(&graph->memo->many_paths, __ATOMIC_RELAXED))
		return HPROF_END;
	a = make(graph, begins, count, key, beside);
	return a ? give(a, find(a, true, error), ret) : hp_no_memory(error);
}

const struct hp_ancestor_sets *
hp_retained_paths(const struct hp_retained_sets *a)
{
	return &a->sets;
}

const struct hp_set_count *
hp_retained_paths_rows(const struct hp_retained_sets *a, size_t *ret_count)
{
	*ret_count = a->row_count;
	return a->rows;
}

void hp_retained_sets_done(struct hp_retained_sets *a)
{
	if (!a)
		return;
	hp_mapped_table_free(&a->tables, &a->below_table);
	hp_mapped_tables_release(&a->tables);
	hp_dominator_tree_done(&a->tree);
	hp_ancestor_sets_end(&a->sets);
	hp_free(a->starts);
	hp_free(a->specials);
	hp_free(a->rows);
	hp_free(a->marks);
	hp_free(a);
}
