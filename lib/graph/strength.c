/* SPDX-License-Identifier: MIT */
/*
 * strength.c - see strength.h.
 *
 * Strong reachability is known. Each weaker strength in turn begins with the
 * referents of that strength whose reference objects have been reached, and
 * follows all references from there, also those of stronger reference objects
 * that it meets. So each object is visited once, and only those that are not
 * strongly reachable, which are few in most heaps.
 *
 * If the graph keeps no references, they are read from the file again, a level
 * of the search at a time and in the order of the file.
 */
#include "graph/strength.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/search.h"
#include "graph/edge_build.h"

struct search {
	const struct hprof_graph *g;
	struct hprof_cursor *cursor; /* NULL: the graph has its references */
	struct hprof_error *error;
	enum hprof_strength level;
	uint32_t *queue; /* what was found at this level */
	size_t count, room;
	bool no_memory;
	/* Either finds strengths, or tells by which reference objects. */
	struct hprof_graph *fill;
	hp_strength_fn *fn;
	void *user;
	uint64_t *told;	 /* bits of objects */
	uint32_t origin; /* the reference object that is followed */
};

enum hprof_strength hp_graph_weakness(const struct hprof_graph *g,
				      uint32_t object)
{
	static const enum hprof_strength strengths[] = {
		[HP_STRONG] = HPROF_STRENGTH_UNKNOWN,
		[HP_SOFT] = HPROF_STRENGTH_SOFT,
		[HP_WEAK] = HPROF_STRENGTH_WEAK,
		[HP_PHANTOM] = HPROF_STRENGTH_PHANTOM,
		[HP_FINAL] = HPROF_STRENGTH_FINALIZER,
	};
	uint32_t kind = hp_graph_kind(g, object);
	const struct hp_heap_class *of =
		hp_heap_row(g->heap, hp_kind_row(kind));

	return of && !hp_kind_is_class(kind) ? strengths[of->weakness]
					     : HPROF_STRENGTH_UNKNOWN;
}

static bool is_found(const struct hprof_graph *g, uint32_t object)
{
	return hp_bit(g->sizes.reachable, object) ||
	       ((const uint8_t *)g->strengths.at)[object];
}

static void fill(struct search *s, uint32_t object)
{
	struct hprof_strength_total *total =
		&s->fill->totals.by_strength[s->level];

	((uint8_t *)s->g->strengths.at)[object] = (uint8_t)s->level;
	total->objects++;
	total->shallow += hp_edges_shallow(&s->g->edges, object);
}

static void tell(struct search *s, uint32_t object)
{
	hp_bit_set(s->told, object);
	s->fn(s->user, s->origin, object);
}

static void find(struct search *s, uint32_t object)
{
	bool known = s->fill ? is_found(s->g, object)
			     : hprof_graph_strength(s->g, object) != s->level ||
				       hp_bit(s->told, object);

	if (known)
		return;
	if (hp_grow((void **)&s->queue, &s->room, s->count, sizeof *s->queue) !=
	    HPROF_OK) {
		s->no_memory = true;
		return;
	}
	s->queue[s->count++] = object;
	if (s->fill)
		fill(s, object);
	else
		tell(s, object);
}

/* ---- references that do not hold ----------------------------------------- */

static int compare_weaks(const void *left, const void *right)
{
	const struct hp_edge_weak *a = left, *b = right;

	return a->from < b->from ? -1 : a->from > b->from;
}

static enum hprof_status read_referent(struct hprof_cursor *cursor,
				       struct hp_edge_weak *weak,
				       struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(cursor, weak->from, &object);

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(cursor, i, &edge);
		if (status == HPROF_OK && edge.kind == HPROF_EDGE_REFERENT &&
		    edge.to != HPROF_NO_OBJECT)
			weak->to = (uint32_t)edge.to;
	}
	if (status < 0 && error)
		*error = *hprof_cursor_error(cursor);
	return status < 0 ? status : HPROF_OK;
}

/* Keeps those whose referent is in the dump and not strongly reachable. */
static enum hprof_status choose_weaks(struct hprof_graph *g,
				      struct hprof_cursor *cursor)
{
	struct hp_edges *e = &g->edges;
	size_t kept = 0;

	for (size_t i = 0; i < e->weak_count; i++) {
		struct hp_edge_weak weak = e->weaks[i];

		if (weak.to == HP_NONE)
			HP_TRY(read_referent(cursor, &weak, g->build.error));
		if (weak.to != HP_NONE && !hp_bit(g->sizes.reachable, weak.to))
			e->weaks[kept++] = weak;
	}
	e->weak_count = kept;
	if (kept)
		qsort(e->weaks, kept, sizeof *e->weaks, compare_weaks);
	return HPROF_OK;
}

uint32_t hp_graph_weak_referent(const struct hprof_graph *g, uint32_t object)
{
	const struct hp_edges *e = &g->edges;
	size_t at;

	HP_LOWER_BOUND(&at, e->weak_count, e->weaks[hp_at].from < object);
	return at < e->weak_count && e->weaks[at].from == object
		       ? e->weaks[at].to
		       : HP_NONE;
}

/* The referent of OBJECT, if it is no weaker than the level. */
static void follow_referent(struct search *s, uint32_t object)
{
	enum hprof_strength strength = hp_graph_weakness(s->g, object);
	uint32_t to;

	if (strength == HPROF_STRENGTH_UNKNOWN || strength > s->level)
		return;
	to = hp_graph_weak_referent(s->g, object);
	if (to != HP_NONE)
		find(s, to);
}

/* ---- references that hold ------------------------------------------------ */

static void follow_kept(struct search *s, uint32_t object)
{
	const uint32_t *to = NULL;
	uint64_t n = hp_graph_targets(s->g, object, &to);

	for (uint64_t k = 0; k < n; k++)
		if (to[k] != HP_NONE)
			find(s, to[k]);
}

static enum hprof_status follow_read(struct search *s, uint32_t at)
{
	struct hprof_object object;
	struct hprof_edge edge;
	const struct hp_heap_class *of;
	enum hprof_status status = hprof_cursor_seek(s->cursor, at, &object);
	bool holds;

	of = status == HPROF_OK ? hp_heap_row(s->g->heap, object.class_row)
				: NULL;
	holds = !of || hp_class_holds(of, s->g->options.hold);
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(s->cursor, i, &edge);
		if (status == HPROF_OK && edge.to != HPROF_NO_OBJECT &&
		    (holds || edge.kind != HPROF_EDGE_REFERENT))
			find(s, (uint32_t)edge.to);
	}
	if (status < 0 && s->error)
		*s->error = *hprof_cursor_error(s->cursor);
	return status < 0 ? status : HPROF_OK;
}

/* ---- the search ---------------------------------------------------------- */

static int compare_objects(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static enum hprof_status visit(struct search *s, size_t from, size_t to)
{
	if (s->cursor)
		qsort(s->queue + from, to - from, sizeof *s->queue,
		      compare_objects);
	for (; from < to && !s->no_memory; from++) {
		follow_referent(s, s->queue[from]);
		if (!s->cursor)
			follow_kept(s, s->queue[from]);
		else
			HP_TRY(follow_read(s, s->queue[from]));
		hp_build_trim_memory(&s->g->build, from);
	}
	return s->no_memory ? hp_no_memory(s->error) : HPROF_OK;
}

/* Follows references from what was found first, at FROM. */
static enum hprof_status expand(struct search *s, size_t from)
{
	for (size_t to; from < s->count; from = to) {
		to = s->count;
		HP_TRY(visit(s, from, to));
	}
	return s->no_memory ? hp_no_memory(s->error) : HPROF_OK;
}

static bool begins_level(const struct search *s,
			 const struct hp_edge_weak *weak)
{
	return hp_graph_weakness(s->g, weak->from) == s->level &&
	       hprof_graph_strength(s->g, weak->from) <= s->level;
}

static enum hprof_status find_level(struct search *s)
{
	const struct hp_edges *e = &s->g->edges;

	s->count = 0;
	for (size_t i = 0; i < e->weak_count; i++)
		if (begins_level(s, &e->weaks[i]))
			find(s, e->weaks[i].to);
	HP_TRY(expand(s, 0));
	return hp_build_progress(&s->g->build, s->count, s->count);
}

static void count_rest(struct hprof_graph_totals *t)
{
	struct hprof_strength_total *strong =
		&t->by_strength[HPROF_STRENGTH_STRONG];
	struct hprof_strength_total *garbage =
		&t->by_strength[HPROF_STRENGTH_GARBAGE];

	strong->objects = t->reachable;
	strong->shallow = t->reachable_shallow;
	garbage->objects = t->objects;
	garbage->shallow = t->shallow;
	for (unsigned i = HPROF_STRENGTH_STRONG; i < HPROF_STRENGTH_GARBAGE;
	     i++) {
		garbage->objects -= t->by_strength[i].objects;
		garbage->shallow -= t->by_strength[i].shallow;
	}
}

static enum hprof_status find_all(struct search *s, struct hprof_cursor *cursor)
{
	HP_TRY(choose_weaks(s->fill, cursor));
	s->cursor = s->g->options.edges ? NULL : cursor;
	for (s->level = HPROF_STRENGTH_SOFT; s->level < HPROF_STRENGTH_GARBAGE;
	     s->level++)
		HP_TRY(find_level(s));
	count_rest(&s->fill->totals);
	return HPROF_OK;
}

enum hprof_status hp_graph_find_strengths(struct hprof_graph *g)
{
	struct search s = { .g = g, .fill = g, .error = g->build.error };
	struct hprof_cursor *cursor;
	enum hprof_status status;

	assert(g->sizes.reachable);
	HP_TRY(hp_build_table(&g->build, &g->strengths, g->edges.count, 1,
			      HP_MAPPED_TABLE_CLEAR));
	HP_TRY(hprof_cursor_new(g->heap, &cursor, g->build.error));
	status = find_all(&s, cursor);
	hprof_cursor_free(cursor);
	hp_free(s.queue);
	return status;
}

/* ---- by what an object is held ------------------------------------------- */

/* The referents come first, so that each counts for its own reference. */
static enum hprof_status tell_level(struct search *s)
{
	const struct hp_edges *e = &s->g->edges;
	size_t next = 0, from;

	for (size_t i = 0; i < e->weak_count; i++) {
		s->origin = e->weaks[i].from;
		if (begins_level(s, &e->weaks[i]))
			find(s, e->weaks[i].to);
	}
	from = s->count;
	for (size_t i = 0; i < e->weak_count && next < from; i++) {
		if (s->queue[next] != e->weaks[i].to ||
		    !begins_level(s, &e->weaks[i]))
			continue;
		s->origin = e->weaks[i].from;
		s->count = from;
		HP_TRY(visit(s, next, next + 1));
		next++;
		HP_TRY(expand(s, from));
	}
	return s->no_memory ? hp_no_memory(s->error) : HPROF_OK;
}

enum hprof_status hp_graph_strength_each(const struct hprof_graph *g,
					 enum hprof_strength strength,
					 hp_strength_fn *fn, void *user,
					 struct hprof_error *error)
{
	struct search s = { .g = g,
			    .error = error,
			    .level = strength,
			    .fn = fn,
			    .user = user };
	enum hprof_status status = HPROF_OK;

	assert(g->options.strengths);
	s.told = hp_calloc(hp_bit_words(g->edges.count), sizeof *s.told);
	if (!s.told)
		return hp_no_memory(error);
	if (!g->options.edges)
		status = hprof_cursor_new(g->heap, &s.cursor, error);
	if (status == HPROF_OK)
		status = tell_level(&s);
	hprof_cursor_free(s.cursor);
	hp_free(s.queue);
	hp_free(s.told);
	return status;
}

enum hprof_strength hprof_graph_strength(const struct hprof_graph *g,
					 uint64_t object)
{
	unsigned weaker;

	if (!hp_graph_has(g, object) || !g->options.strengths)
		return HPROF_STRENGTH_UNKNOWN;
	if (hp_bit(g->sizes.reachable, object))
		return HPROF_STRENGTH_STRONG;
	weaker = ((const uint8_t *)g->strengths.at)[object];
	return weaker ? (enum hprof_strength)weaker : HPROF_STRENGTH_GARBAGE;
}
