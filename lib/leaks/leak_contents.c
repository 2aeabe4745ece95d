/* SPDX-License-Identifier: MIT */
/*
 * leak_contents.c - see leak_contents.h.
 */
#include "leaks/leak_contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { CLASSES = 10 }; /* rows */

/* ---- sums of all suspects ------------------------------------------------ */

/* Of objects that are roots. */
static struct hp_begin begin_among(const uint32_t *nodes, size_t count)
{
	static const uint32_t none;

	return (struct hp_begin){ .dominator = HP_NO_NODE,
				  .node = HP_NO_NODE,
				  .among = count ? nodes : &none,
				  .count = count };
}

static struct hp_begin begin_of(const struct hp_look *look,
				const struct hp_suspect *suspect)
{
	if (suspect->dropped)
		return begin_among(NULL, 0);
	if (suspect->kind == HPROF_LEAK_GROUP)
		return (struct hp_begin){ .dominator = suspect->dominator,
					  .node = HP_NO_NODE,
					  .key = suspect->key };
	return (struct hp_begin){
		.dominator =
			hp_graph_dominator_node(look->graph, suspect->point),
		.node = suspect->point,
	};
}

/* A crowd of threads is told instead of the suspect that it is. */
static void find_begins(struct hp_leak_contents *k)
{
	const size_t suspects = k->search->count;

	for (size_t i = 0; i < suspects; i++)
		k->begins[i] = begin_of(k->look, &k->search->suspects[i]);
	for (size_t i = 0; i < k->crowds->count; i++) {
		const struct hp_leak_crowd *crowd = &k->crowds->items[i];

		k->begins[suspects + i] =
			begin_among(crowd->among, crowd->among_count);
		if (crowd->among_count && crowd->suspect != SIZE_MAX)
			k->begins[crowd->suspect] = begin_among(NULL, 0);
	}
}

static enum hprof_status make_room(struct hp_leak_contents *k)
{
	uint32_t kinds = k->search->kind_count;

	k->begins = hp_calloc(k->search->count + k->crowds->count + 1,
			      sizeof *k->begins);
	k->copy_key = hp_calloc(kinds, sizeof *k->copy_key);
	k->copy_sums = hp_calloc(kinds, sizeof *k->copy_sums);
	if (!k->begins || !k->copy_key || !k->copy_sums ||
	    hp_class_keys_init(&k->classes, k->look->heap) != HPROF_OK)
		return HPROF_E_NOMEM;
	k->class_sums = hp_calloc(k->classes.count, sizeof *k->class_sums);
	return k->class_sums ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_leak_contents_promise(struct hp_leak_contents *k,
			      const struct hprof_graph *graph)
{
	if (hp_retained_paths_promise(graph))
		k->promised = graph;
}

/* They have been left to the graph, or will not be. */
static void end_promise(struct hp_leak_contents *k)
{
	if (k->promised)
		hp_retained_paths_end_promise(k->promised);
	k->promised = NULL;
}

/* Of all objects, unless that are too many paths; or of those below suspects. */
static enum hprof_status find_sets(struct hp_leak_contents *k,
				   struct hp_beside *beside,
				   struct hprof_error *error)
{
	const struct hprof_graph *graph = k->look->graph;
	const size_t count = k->search->count + k->crowds->count;
	enum hprof_status status = HPROF_END;

	if (k->promised && !hp_retained_paths_are_kept(graph))
		status = hp_retained_paths_find(graph, k->begins, count,
						k->search->key, beside,
						&k->sets, error);
	k->all = status == HPROF_OK;
	if (status != HPROF_END)
		return status;
	end_promise(k);
	return hp_retained_sets_find(graph, k->begins, count, k->search->key,
				     beside, &k->sets, error);
}

enum hprof_status hp_leak_contents_find(struct hp_leak_contents *k,
					const struct hp_look *look,
					const struct hp_leak_search *search,
					const struct hp_leak_crowds *crowds,
					struct hp_beside *beside,
					struct hprof_error *error)
{
	k->look = look;
	k->search = search;
	k->crowds = crowds;
	if (make_room(k) != HPROF_OK)
		return hp_no_memory(error);
	for (uint32_t kind = 0; kind < search->kind_count; kind++)
		if (hp_kind_is_class(kind))
			k->copy_key[kind] = search->key[kind];
	find_begins(k);
	HP_TRY(find_sets(k, beside, error));
	hp_beside_run(beside);
	return HPROF_OK;
}

void hp_leak_contents_leave(struct hp_leak_contents *k)
{
	if (k->all)
		hp_retained_paths_leave(k->sets);
	end_promise(k);
}

void hp_leak_contents_done(struct hp_leak_contents *k)
{
	end_promise(k);
	hp_retained_sets_done(k->sets);
	hp_free(k->begins);
	hp_class_keys_done(&k->classes);
	hp_free(k->class_sums);
	hp_free(k->copy_key);
	hp_free(k->copy_sums);
	*k = (struct hp_leak_contents){ 0 };
}

/* ---- one suspect --------------------------------------------------------- */

static int compare_shallow(const void *left, const void *right)
{
	const struct hprof_set_row *a = left, *b = right;

	if (a->shallow != b->shallow)
		return a->shallow > b->shallow ? -1 : 1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void clear_sums(const struct hp_leak_contents *k)
{
	memset(k->class_sums, 0, k->classes.count * sizeof *k->class_sums);
	memset(k->copy_sums, 0, k->search->kind_count * sizeof *k->copy_sums);
}

static void sum_up(const struct hp_leak_contents *k, size_t i)
{
	const struct hp_division divisions[] = {
		{ k->classes.key, k->class_sums },
		{ k->copy_key, k->copy_sums },
	};

	clear_sums(k);
	hp_retained_sets_sum(k->sets, (uint32_t)i + 1, divisions, 2);
}

static void find_main(const struct hprof_set_row *rows, size_t count,
		      struct hprof_leak *leak)
{
	for (size_t i = 0; i < count; i++)
		if (!hp_class_is_runtime(rows[i].name) &&
		    rows[i].retained > leak->main.retained)
			leak->main = rows[i];
}

static bool has_more(const struct hp_sum *a, const struct hp_sum *b)
{
	if (a->objects != b->objects)
		return a->objects > b->objects;
	return a->retained > b->retained;
}

static enum hprof_status find_copies(const struct hp_leak_contents *k,
				     struct hprof_leak *leak,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(k->look->heap);
	const struct hprof_class_row *row;
	struct hprof_object_info loader;
	uint32_t best = 0;

	for (uint32_t i = 1; i < k->search->kind_count; i++)
		if (!best || has_more(&k->copy_sums[i], &k->copy_sums[best]))
			best = i;
	if (!best || k->copy_sums[best].objects < 2 ||
	    hp_kind_row(best) >= summary->class_count)
		return HPROF_OK;
	leak->copies = k->copy_sums[best].objects;
	leak->copies_class = hp_class_name(k->look->heap, hp_kind_row(best));
	row = &summary->class_rows[hp_kind_row(best)];
	HP_TRY(hp_object_info_get(
		k->look, hprof_heap_find(k->look->heap, row->loader_id),
		&loader, error));
	leak->loader_class = loader.class_name;
	return HPROF_OK;
}

enum hprof_status hp_leak_contents_describe(const struct hp_leak_contents *k,
					    size_t suspect,
					    struct hp_arena *arena,
					    struct hprof_leak *leak,
					    struct hprof_error *error)
{
	struct hp_arena work = { 0 };
	struct hprof_set_row *rows;
	size_t count = 0;

	sum_up(k, suspect);
	for (size_t i = 0; i < k->classes.count; i++)
		leak->objects += k->class_sums[i].objects;
	rows = hp_set_rows(&work, k->class_sums, k->classes.names,
			   k->classes.count, &count);
	if (rows) {
		find_main(rows, count, leak);
		qsort(rows, count, sizeof *rows, compare_shallow);
		leak->class_count = count < CLASSES ? count : CLASSES;
		leak->classes =
			hp_arena_take(arena, CLASSES * sizeof *leak->classes);
	}
	if (leak->classes)
		memcpy(leak->classes, rows, leak->class_count * sizeof *rows);
	hp_arena_done(&work);
	return leak->classes ? find_copies(k, leak, error)
			     : hp_no_memory(error);
}
