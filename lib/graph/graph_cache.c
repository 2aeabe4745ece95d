/* SPDX-License-Identifier: MIT */
/*
 * graph_cache.c - see graph_cache.h.
 *
 * The targets of all objects are written in the order of the objects, without
 * the gaps that threads leave between their runs, so that a restored graph has
 * no runs, and a list only where a byte cannot count the references.
 */
#include "graph/graph_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/graph_check.h"

enum {
	CACHED_NUMBERS,
	CACHED_DEGREES,
	CACHED_TARGETS,
	CACHED_LISTS,
	CACHED_SHALLOW,
	CACHED_KINDS,
	CACHED_LARGES,
	CACHED_ROOTS,
	CACHED_REACHABLE,
	CACHED_DOMINATORS,
	CACHED_RETAINED,
	CACHED_STRENGTHS, /* no rows: the graph had none */
	CACHED_WEAKS,
	CACHED_OFFSETS,
	CACHED_KEPT, /* see kept_objects.h */
	CACHED_KEPT_CLASSES
};

/* What is in the file once. */
struct numbers {
	uint64_t count, unit, wide_kinds;
	uint64_t size_bits, shallow_total;
	uint64_t holding, weak, dangling, stored;
	uint64_t wide, retained_unit, reachable_count;
	struct hprof_graph_totals totals;
};

/* ---- the file ------------------------------------------------------------ */

bool hp_graph_can_be_kept(const struct hprof_graph *g)
{
	/* Without headers, objects may retain no more than their children. */
	return g->heap->cache.folder && g->options.dominators &&
	       g->heap->summary->convention.sizes != HPROF_SIZES_DATA;
}

struct hp_cache_key hp_graph_cache_key(const struct hprof_graph *g)
{
	const struct hprof_size_convention *v = &g->heap->summary->convention;
	const uint64_t sizes[] = { v->sizes,	    v->ref_width, v->header,
				   v->array_header, v->alignment, v->fill_gaps,
				   v->declared };
	struct hp_cache_key key = g->heap->cache.key;

	key.words[HP_HEAP_KEY_END] = g->options.hold;
	key.words[HP_HEAP_KEY_END + 1] = g->options.unreachable;
	key.words[HP_HEAP_KEY_END + 2] = hp_cache_hash(0, sizes, sizeof sizes);
	key.words[HP_HEAP_KEY_END + 3] = sizeof(struct numbers);
	return key;
}

void hp_graph_cache_file(const struct hprof_graph *g,
			 const struct hp_cache_key *key, const char *kind,
			 char name[HP_CACHE_NAME])
{
	uint64_t hash = hp_cache_hash(0, key->words + HP_HEAP_KEY_END,
				      4 * sizeof key->words[0]);

	snprintf(name, HP_CACHE_NAME, "%s-%08x.%s", g->heap->cache.name,
		 (unsigned)hash, kind);
}

/* ---- saving -------------------------------------------------------------- */

static void save_numbers(const struct hprof_graph *g, struct hp_cache_writer *w)
{
	const struct hp_edges *e = &g->edges;
	struct numbers n;

	memset(&n, 0, sizeof n);
	n.count = e->count;
	n.unit = e->unit;
	n.wide_kinds = e->wide_kinds;
	n.size_bits = e->size_bits;
	n.shallow_total = e->shallow_total;
	n.holding = e->holding;
	n.weak = e->weak;
	n.dangling = e->dangling;
	n.stored = e->stored;
	n.wide = g->sizes.wide;
	n.retained_unit = g->sizes.unit;
	n.reachable_count = g->sizes.reachable_count;
	n.totals = g->totals;
	hp_cache_put(w, &n, 1, sizeof n);
}

static void save_targets(const struct hprof_graph *g, struct hp_cache_writer *w)
{
	const struct hp_edges *e = &g->edges;
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	const uint32_t *targets = NULL;

	hp_cache_put(w, e->degree.at, e->count, 1);
	hp_cache_table(w, sizeof *targets);
	for (uint32_t i = 0; i < e->count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		if (n)
			hp_cache_add(w, targets, n);
	}
}

/* With the rows at which the targets are in the file. */
static void save_lists(const struct hprof_graph *g, struct hp_cache_writer *w)
{
	const struct hp_edges *e = &g->edges;
	const uint8_t *degree = e->degree.at;
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	const uint32_t *targets = NULL;
	uint64_t at = 0;

	hp_cache_table(w, sizeof(struct hp_edge_list));
	for (uint32_t i = 0; i < e->count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &targets);
		if (degree[i] == HP_DEGREE_LIST) {
			struct hp_edge_list list;
			memset(&list, 0, sizeof list);
			list.from = i;
			list.at = at;
			list.count = n;
			hp_cache_add(w, &list, 1);
		}
		at += n;
	}
}

static void save_objects(const struct hprof_graph *g, struct hp_cache_writer *w)
{
	const struct hp_edges *e = &g->edges;
	const struct hp_retained_sizes *s = &g->sizes;
	const uint64_t *offsets =
		__atomic_load_n(&g->heap->offsets, __ATOMIC_ACQUIRE);

	hp_cache_put(w, e->shallow.at, e->count, 1);
	hp_cache_put(w, e->kinds.at, e->count, e->wide_kinds ? 4 : 2);
	hp_cache_table(w, sizeof *e->larges);
	for (size_t i = 0; i < e->large_count; i++) {
		struct hp_large large;
		memset(&large, 0, sizeof large);
		large.index = e->larges[i].index;
		large.size = e->larges[i].size;
		hp_cache_add(w, &large, 1);
	}
	hp_cache_put(w, e->roots, hp_bit_words(e->count), sizeof *e->roots);
	hp_cache_put(w, s->reachable, hp_bit_words(e->count),
		     sizeof *s->reachable);
	hp_cache_put(w, s->dominator.at, e->count, sizeof(uint32_t));
	hp_cache_put(w, s->retained.at, e->count, s->wide ? 8 : 4);
	hp_cache_put(w, g->strengths.at, g->strengths.at ? e->count : 0, 1);
	hp_cache_put(w, e->weaks, e->weak_count, sizeof *e->weaks);
	hp_cache_put(w, offsets,
		     offsets ? g->heap->placed / HP_OFFSET_STEP + 1 : 0,
		     sizeof *offsets);
}

static void save_kept(const struct hprof_graph *g, struct hp_cache_writer *w)
{
	const struct hp_packed_edges *p = &g->packed;

	hp_cache_table(w, sizeof p->blocks->kept);
	for (size_t i = 0; i < hp_bit_words(g->edges.count); i++)
		hp_cache_add(w, &p->blocks[i].kept, 1);
	hp_cache_put(w, p->classes, p->class_count, sizeof *p->classes);
}

void hp_graph_save(const struct hprof_graph *g)
{
	struct hp_cache_key key = hp_graph_cache_key(g);
	struct hp_cache_writer w;
	char name[HP_CACHE_NAME];

	/* As the file of the heap, which this one needs. */
	if (g->heap->summary->errors)
		return;
	hp_graph_cache_file(g, &key, "graph", name);
	hp_cache_begin(&w, g->heap->cache.folder, name, &key);
	save_numbers(g, &w);
	save_targets(g, &w);
	save_lists(g, &w);
	save_objects(g, &w);
	save_kept(g, &w);
	hp_heap_cache_end(&g->heap->cache, &w, true);
}

/* ---- restoring ----------------------------------------------------------- */

/* Borrows a table that must have COUNT rows, or any number if UINT64_MAX. */
static bool borrow(const struct hp_cache_map *map, unsigned number,
		   size_t width, uint64_t count, struct hp_mapped_table *ret,
		   uint64_t *ret_count)
{
	uint64_t there = 0;
	const void *rows = hp_cache_rows(map, number, width, &there);

	if (!rows || (count != UINT64_MAX && there != count))
		return false;
	*ret = hp_mapped_table_borrow(rows, (size_t)(there * width));
	if (ret_count)
		*ret_count = there;
	return true;
}

/* The same for a copy; NULL: there is none. */
static void *copy(const struct hp_cache_map *map, unsigned number, size_t width,
		  uint64_t count, size_t *ret_count)
{
	uint64_t there = 0;
	const void *rows = hp_cache_rows(map, number, width, &there);
	void *made;

	if (!rows || (count != UINT64_MAX && there != count))
		return NULL;
	made = hp_alloc((size_t)(there + 1) * width);
	if (made)
		memcpy(made, rows, (size_t)there * width);
	if (ret_count)
		*ret_count = (size_t)there;
	return made;
}

static bool restore_numbers(const struct hp_cache_map *map,
			    struct hprof_graph *g)
{
	uint64_t one = 0;
	const struct numbers *n =
		hp_cache_rows(map, CACHED_NUMBERS, sizeof *n, &one);

	if (!n || one != 1 || n->count != g->heap->count || n->unit == 0 ||
	    n->unit > UINT32_MAX || n->retained_unit == 0 ||
	    n->retained_unit > UINT32_MAX)
		return false;
	g->edges.count = (uint32_t)n->count;
	g->edges.unit = (unsigned)n->unit;
	g->edges.wide_kinds = n->wide_kinds != 0;
	g->edges.size_bits = n->size_bits;
	g->edges.shallow_total = n->shallow_total;
	g->edges.holding = n->holding;
	g->edges.weak = n->weak;
	g->edges.dangling = n->dangling;
	g->edges.stored = n->stored;
	g->sizes.wide = n->wide != 0;
	g->sizes.unit = (unsigned)n->retained_unit;
	g->sizes.reachable_count = n->reachable_count;
	g->totals = n->totals;
	return true;
}

static bool restore_edges(const struct hp_cache_map *map, struct hp_edges *e)
{
	const size_t words = hp_bit_words(e->count);

	if (!borrow(map, CACHED_DEGREES, 1, e->count, &e->degree, NULL) ||
	    !borrow(map, CACHED_TARGETS, 4, UINT64_MAX, &e->target,
		    &e->target_count) ||
	    !borrow(map, CACHED_SHALLOW, 1, e->count, &e->shallow, NULL) ||
	    !borrow(map, CACHED_KINDS, e->wide_kinds ? 4 : 2, e->count,
		    &e->kinds, NULL))
		return false;
	e->lists = copy(map, CACHED_LISTS, sizeof *e->lists, UINT64_MAX,
			&e->list_count);
	e->larges = copy(map, CACHED_LARGES, sizeof *e->larges, UINT64_MAX,
			 &e->large_count);
	e->roots = copy(map, CACHED_ROOTS, sizeof *e->roots, words, NULL);
	return e->lists && e->larges && e->roots && hp_graph_good_lists(e);
}

static bool restore_sizes(const struct hp_cache_map *map, uint32_t count,
			  struct hp_retained_sizes *s)
{
	s->reachable = copy(map, CACHED_REACHABLE, sizeof *s->reachable,
			    hp_bit_words(count), NULL);
	return s->reachable &&
	       borrow(map, CACHED_DOMINATORS, 4, count, &s->dominator, NULL) &&
	       borrow(map, CACHED_RETAINED, s->wide ? 8 : 4, count,
		      &s->retained, NULL);
}

/* A graph without strengths must not show those that the file may have. */
static bool restore_strengths(const struct hp_cache_map *map,
			      struct hprof_graph *g)
{
	struct hp_edges *e = &g->edges;

	if (!g->options.strengths) {
		memset(g->totals.by_strength, 0, sizeof g->totals.by_strength);
		return true;
	}
	e->weaks = copy(map, CACHED_WEAKS, sizeof *e->weaks, UINT64_MAX,
			&e->weak_count);
	return e->weaks && hp_graph_good_weaks(e) &&
	       borrow(map, CACHED_STRENGTHS, 1, e->count, &g->strengths,
		      NULL) &&
	       hp_graph_good_strengths(g->strengths.at, e->count);
}

static bool restore_offsets(const struct hp_cache_map *map,
			    const struct hprof_heap *heap)
{
	uint64_t count = 0, *offsets;
	const void *rows =
		hp_cache_rows(map, CACHED_OFFSETS, sizeof *offsets, &count);

	if (!rows || (count && count != heap->placed / HP_OFFSET_STEP + 1))
		return false;
	if (!count || hp_heap_offsets_begin(heap, &offsets) != HPROF_OK)
		return true;
	if (offsets)
		memcpy(offsets, rows, (size_t)count * sizeof *offsets);
	hp_heap_offsets_end(heap, offsets, true);
	return true;
}

static bool restore_kept(const struct hp_cache_map *map, struct hprof_graph *g)
{
	struct hp_packed_edges *p = &g->packed;
	const size_t words = hp_bit_words(g->edges.count);
	uint64_t count = 0;
	const uint64_t *kept =
		hp_cache_rows(map, CACHED_KEPT, sizeof *kept, &count);

	if (!g->options.paths)
		return true;
	if (!kept || count != words)
		return false;
	p->classes = copy(map, CACHED_KEPT_CLASSES, sizeof *p->classes,
			  UINT64_MAX, &p->class_count);
	p->blocks = hp_calloc(words, sizeof *p->blocks);
	if (!p->classes || !p->blocks)
		return false;
	for (size_t i = 0; i < words; i++)
		p->blocks[i].kept = kept[i];
	return hp_graph_good_kept(g);
}

bool hp_graph_restore(struct hprof_graph *g)
{
	struct hp_cache_key key = hp_graph_cache_key(g);
	char name[HP_CACHE_NAME];

	hp_graph_cache_file(g, &key, "graph", name);
	if (!hp_cache_open(g->heap->cache.folder, name, &key,
			   g->options.threads, &g->cache))
		return false;
	if (restore_numbers(&g->cache, g) &&
	    restore_edges(&g->cache, &g->edges) &&
	    restore_sizes(&g->cache, g->edges.count, &g->sizes) &&
	    restore_strengths(&g->cache, g) && hp_graph_good_targets(g) &&
	    hp_graph_good_objects(g) && restore_kept(&g->cache, g) &&
	    restore_offsets(&g->cache, g->heap))
		return true;
	hp_packed_edges_done(&g->build, &g->packed);
	g->strengths.at = NULL;
	g->totals = (struct hprof_graph_totals){ 0 };
	hp_retained_sizes_done(&g->build, &g->sizes);
	hp_edges_done(&g->build, &g->edges);
	hp_cache_close(&g->cache);
	return false;
}
