/* SPDX-License-Identifier: MIT */
/*
 * leak_crowds.c - see leak_crowds.h. Loaders are found from the table of classes,
 * which needs no pass over all objects.
 */
#include "leaks/leak_crowds.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "graph/dominator_tree.h"

struct finder {
	struct hp_leak_crowds *crowds;
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
};

/* ---- loaders ------------------------------------------------------------- */

/* A class that a loader defined. */
struct definition {
	const char *name;
	uint32_t class_object, loader;
};

/* Definitions of one name. */
struct definitions {
	size_t first, count;
};

static int compare_definitions(const void *left, const void *right)
{
	const struct definition *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	return a->loader < b->loader ? -1 : a->loader > b->loader;
}

static int compare_counts(const void *left, const void *right)
{
	const struct definitions *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static size_t take_definitions(const struct finder *f,
			       struct definition *definitions)
{
	const struct hprof_summary *summary = hprof_heap_summary(f->heap);
	size_t count = 0;

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		uint64_t object = hprof_heap_find(f->heap, row->class_id);
		uint64_t loader = hprof_heap_find(f->heap, row->loader_id);

		if (!row->loader_id || object == HPROF_NO_OBJECT ||
		    loader == HPROF_NO_OBJECT || !row->name ||
		    !hprof_graph_is_reachable(f->graph, object) ||
		    !hprof_graph_is_reachable(f->graph, loader))
			continue;
		definitions[count++] =
			(struct definition){ row->name, (uint32_t)object,
					     (uint32_t)loader };
	}
	if (count)
		qsort(definitions, count, sizeof *definitions,
		      compare_definitions);
	return count;
}

/* The name that most loaders defined comes first. */
static size_t group_definitions(const struct definition *definitions,
				size_t count, struct definitions *groups)
{
	size_t used = 0, end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (strcmp(definitions[i].name, definitions[end].name))
				break;
		if (end - i >= HP_CROWD_LOADERS)
			groups[used++] = (struct definitions){ i, end - i };
	}
	if (used)
		qsort(groups, used, sizeof *groups, compare_counts);
	return used;
}

/* Whether the loader LOADER has defined NODE or its class. */
static bool belongs_to(const struct finder *f, uint32_t node, uint32_t loader)
{
	const struct hprof_summary *summary = hprof_heap_summary(f->heap);
	size_t row = hp_kind_row(hp_graph_kind(f->graph, node));

	return row < summary->class_count &&
	       summary->class_rows[row].loader_id &&
	       hprof_heap_find(f->heap, summary->class_rows[row].loader_id) ==
		       loader;
}

static uint32_t head_of(const struct finder *f, uint32_t loader)
{
	uint32_t at = hp_graph_dominator_node(f->graph, loader), head = loader;

	while (at != HP_NO_NODE && belongs_to(f, at, loader)) {
		head = at;
		at = hp_graph_dominator_node(f->graph, at);
	}
	return head;
}

/* Moves the definitions whose loader is in no crowd yet to a list. */
static size_t take_fresh(const struct definition *of, size_t count,
			 uint64_t *used, const struct definition **fresh)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (!hp_bit(used, of[i].loader) &&
		    (!found || fresh[found - 1]->loader != of[i].loader))
			fresh[found++] = &of[i];
	for (size_t i = 0; i < found && found >= HP_CROWD_LOADERS; i++)
		hp_bit_set(used, fresh[i]->loader);
	return found;
}

static enum hprof_status fill_crowd(const struct finder *f,
				    struct hp_leak_crowd *crowd,
				    const struct definition *const *of,
				    size_t count)
{
	uint64_t most = 0;

	crowd->kind = HPROF_LEAK_LOADERS;
	crowd->name = of[0]->name;
	crowd->members = count;
	for (size_t i = 0; i < count; i++) {
		uint32_t head = head_of(f, of[i]->loader);
		uint64_t size = hprof_graph_retained(f->graph, head);

		HP_TRY(hp_leak_crowd_add_node(crowd, head, i));
		if (size > most || !i)
			crowd->member = of[i]->loader;
		most = size > most ? size : most;
	}
	for (size_t i = 0; i < count; i++) {
		HP_TRY(hp_leak_crowd_add_node(crowd, of[i]->loader, i));
		HP_TRY(hp_leak_crowd_add_node(crowd, of[i]->class_object, i));
	}
	return HPROF_OK;
}

/* A crowd of the loaders of COUNT definitions of one name, if it is one. */
static enum hprof_status make_loaders(const struct finder *f,
				      const struct definition *of, size_t count,
				      uint64_t *used)
{
	const struct definition **fresh = hp_calloc(count, sizeof *fresh);
	enum hprof_status status = HPROF_OK;
	struct hp_leak_crowd *crowd;
	size_t found;

	if (!fresh)
		return HPROF_E_NOMEM;
	found = take_fresh(of, count, used, fresh);
	if (found >= HP_CROWD_LOADERS) {
		crowd = hp_leak_crowds_add(f->crowds);
		status = crowd ? fill_crowd(f, crowd, fresh, found)
			       : HPROF_E_NOMEM;
	}
	hp_free(fresh);
	return status;
}

static enum hprof_status find_loaders(const struct finder *f)
{
	size_t most = hprof_heap_summary(f->heap)->class_count + 1;
	struct definition *all = hp_calloc(most, sizeof *all);
	struct definitions *groups = hp_calloc(most, sizeof *groups);
	size_t words = hp_bit_words(f->graph->edges.count);
	uint64_t *used = NULL;
	enum hprof_status status = HPROF_E_NOMEM;
	size_t count = 0, group_count = 0;

	if (all && groups) {
		count = take_definitions(f, all);
		group_count = group_definitions(all, count, groups);
		status = HPROF_OK;
	}
	if (group_count) {
		used = hp_calloc(words, sizeof *used);
		status = used ? HPROF_OK : HPROF_E_NOMEM;
	}
	for (size_t i = 0; status == HPROF_OK && i < group_count; i++)
		status = make_loaders(f, all + groups[i].first, groups[i].count,
				      used);
	hp_free(used);
	hp_free(groups);
	hp_free(all);
	return status;
}

/* ---- both ---------------------------------------------------------------- */

enum hprof_status hp_leak_crowds_find(struct hp_leak_crowds *crowds,
				      struct hp_root_paths *paths,
				      struct hprof_error *error)
{
	struct finder f = { crowds, paths->look.heap, paths->look.graph };

	*crowds = (struct hp_leak_crowds){ NULL, 0, 0 };
	if (find_loaders(&f) != HPROF_OK)
		return hp_no_memory(error);
	return hp_leak_crowds_find_threads(crowds, paths, error);
}
