/*
 * trails.c - see trails.h.
 *
 * Every path to an object comes by all its dominators. Mostly each of these
 * refers to the next, and then there is no shorter path. Between two where
 * that is not so, and from the roots to the first one, references are
 * followed object by object, for as long as that is cheap.
 */
#include "trails.h"

#include <stdlib.h>

#include "cursor.h"
#include "edges_pass.h"
#include "error.h"
#include "idmap.h"
#include "mem.h"

enum {
	MOST = 8,	       /* ways to a target */
	OBJECTS = 1 << 16,     /* that are looked at for the first way */
	OBJECTS_MORE = 1 << 13, /* and for others, behind it */
	EDGES_EACH = 16,       /* references allowed for each of these */
	CHAIN_MOST = 1 << 18   /* dominators above each other */
};

/* An object that a search has come to, and from where. */
struct seen {
	uint64_t object;
	const struct seen *before; /* NULL: it is where the search began */
};

struct target {
	uint64_t object;
	const struct seen *by[MOST]; /* what refers to it, nearest first */
	size_t count;
};

struct list {
	struct seen **items;
	size_t count, room;
};

/* A search, breadth first. */
struct search {
	struct hp_paths *paths;
	struct target *target;
	size_t wanted;	      /* ways to it */
	struct hp_idmap seen; /* object + 1 -> struct seen */
	struct hp_arena arena;
	struct list level, next;
	uint64_t objects, edges;
	uint64_t limit; /* of objects */
	bool inside; /* only what some object dominates matters */
	bool no_memory;
};

/* ---- references --------------------------------------------------------------- */

static bool edge_holds(const struct hp_look *look,
		       const struct hprof_edge *edge)
{
	return edge->kind != HPROF_EDGE_REFERENT ||
	       hp_class_holds(look->cursor->spot.of,
			      look->graph->options.hold);
}

static enum hprof_status failure(const struct hp_look *look,
				 struct hprof_error *error)
{
	if (error)
		*error = *hprof_cursor_error(look->cursor);
	return hprof_cursor_error(look->cursor)->status;
}

/* COUNT: it is not among them. */
static size_t place_in(const uint32_t *objects, size_t count, uint64_t object)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects[middle] < object)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && objects[low] == object ? low : count;
}

/* Whether FROM refers to TO in a way that holds. */
static enum hprof_status refers(const struct hp_look *look, uint64_t from,
				uint64_t to, bool *ret,
				struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status = hprof_cursor_go(look->cursor, from, &object);

	*ret = false;
	for (uint64_t i = 0; status == HPROF_OK && !*ret; i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		*ret = status == HPROF_OK && edge.to == to &&
		       edge_holds(look, &edge);
	}
	return status < 0 ? failure(look, error) : HPROF_OK;
}

enum hprof_status hp_trails_count(const struct hp_look *look, uint64_t from,
				  const uint32_t *objects, size_t count,
				  size_t *ret, struct hprof_error *error)
{
	uint64_t *hit = hp_calloc(hp_bit_words(count), sizeof *hit);
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status;

	if (!hit)
		return hp_no_memory(error);
	status = hprof_cursor_go(look->cursor, from, &object);
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		size_t at;

		status = hprof_cursor_edge(look->cursor, i, &edge);
		if (status != HPROF_OK || edge.to == HPROF_NO_OBJECT ||
		    !edge_holds(look, &edge))
			continue;
		at = place_in(objects, count, edge.to);
		if (at < count)
			hp_bit_set(hit, at);
	}
	*ret = 0;
	for (size_t i = 0; i < hp_bit_words(count); i++)
		*ret += hp_bit_count(hit[i]);
	hp_free(hit);
	return status < 0 ? failure(look, error) : HPROF_OK;
}

/* ---- a search ----------------------------------------------------------------- */

static void add(struct search *s, uint64_t object, const struct seen *before)
{
	struct seen *seen;

	if (hp_idmap_get(&s->seen, object + 1))
		return;
	seen = hp_arena_take(&s->arena, sizeof *seen);
	if (!seen || hp_idmap_put(&s->seen, object + 1, seen) != 0 ||
	    hp_grow((void **)&s->next.items, &s->next.room, s->next.count,
		    sizeof(struct seen *)) != 0) {
		s->no_memory = true;
		return;
	}
	*seen = (struct seen){ object, before };
	s->next.items[s->next.count++] = seen;
}

static void come_to(struct search *s, uint64_t object, const struct seen *from)
{
	const struct hprof_graph *graph = s->paths->look.graph;
	struct target *target = s->target;

	if (object == target->object) {
		bool again = target->count &&
			     target->by[target->count - 1] == from;

		if (!again && target->count < MOST)
			target->by[target->count++] = from;
		if (target->count == 1)
			s->limit = s->objects + OBJECTS_MORE;
		return; /* what is behind it does not lead to it */
	}
	if (!s->inside ||
	    hprof_graph_dominator(graph, object) != HPROF_NO_OBJECT)
		add(s, object, from);
}

static bool is_over(const struct search *s)
{
	return s->objects >= s->limit ||
	       s->edges / EDGES_EACH >= s->limit || s->no_memory;
}

static enum hprof_status look_at(struct search *s, const struct seen *from,
				 struct hprof_error *error)
{
	const struct hp_look *look = &s->paths->look;
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_go(look->cursor, from->object, &object);

	s->objects++;
	for (uint64_t i = 0; status == HPROF_OK && !is_over(s); i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		s->edges++;
		if (status == HPROF_OK && edge.to != HPROF_NO_OBJECT &&
		    edge_holds(look, &edge))
			come_to(s, edge.to, from);
	}
	return status < 0 ? failure(look, error) : HPROF_OK;
}

static int compare_seen(const void *left, const void *right)
{
	const struct seen *a = *(struct seen *const *)left;
	const struct seen *b = *(struct seen *const *)right;

	return a->object < b->object ? -1 : a->object > b->object;
}

static bool goes_on(const struct search *s)
{
	return s->target->count < s->wanted && s->level.count && !is_over(s);
}

/* Level by level, each by number: of several ways, the lowest counts. */
static enum hprof_status run(struct search *s, struct hprof_error *error)
{
	do {
		struct list done = s->level;

		s->level = s->next;
		s->next = done;
		s->next.count = 0;
		if (s->level.count)
			qsort(s->level.items, s->level.count,
			      sizeof(struct seen *), compare_seen);
		for (size_t i = 0; i < s->level.count && !is_over(s); i++)
			HP_TRY(look_at(s, s->level.items[i], error));
	} while (goes_on(s));
	return s->no_memory ? hp_no_memory(error) : HPROF_OK;
}

static int begin(struct search *s, struct hp_paths *paths,
		 struct target *target, size_t wanted)
{
	*s = (struct search){ .paths = paths,
			      .target = target,
			      .wanted = wanted,
			      .limit = OBJECTS };
	return hp_idmap_init(&s->seen, 2);
}

static void done(struct search *s)
{
	hp_idmap_done(&s->seen);
	hp_arena_done(&s->arena);
	hp_free(s->level.items);
	hp_free(s->next.items);
}

static void begin_at_roots(struct search *s)
{
	const struct hp_edges *e = &s->paths->look.graph->edges;

	for (uint64_t i = 0; i < hp_bit_words(e->count); i++)
		for (uint64_t w = e->roots[i]; w; w &= w - 1) {
			uint64_t root = i << 6 | hp_bit_lowest(w);

			if (root != s->target->object)
				add(s, root, NULL);
		}
}

/* ---- lists of objects --------------------------------------------------------- */

/* Objects of a path from its end to its beginning. */
struct trail {
	uint64_t *objects;
	size_t count, room;
	bool found;
};

static enum hprof_status append(struct trail *t, uint64_t object,
				struct hprof_error *error)
{
	if (hp_grow((void **)&t->objects, &t->room, t->count,
		    sizeof *t->objects) != 0)
		return hp_no_memory(error);
	t->objects[t->count++] = object;
	return HPROF_OK;
}

/* FROM and what is before it; without where the search began, if not WHOLE. */
static enum hprof_status append_way(struct trail *t, const struct seen *from,
				    bool whole, struct hprof_error *error)
{
	for (; from && (whole || from->before); from = from->before)
		HP_TRY(append(t, from->object, error));
	return HPROF_OK;
}

/* What is between ABOVE and OBJECT, which it dominates. */
static enum hprof_status fill_gap(struct hp_paths *paths, struct trail *t,
				  uint64_t above, uint64_t object,
				  struct hprof_error *error)
{
	struct target target = { .object = object };
	enum hprof_status status;
	struct search s;

	if (begin(&s, paths, &target, 1) == 0) {
		s.inside = true;
		add(&s, above, NULL);
		status = run(&s, error);
	} else {
		status = hp_no_memory(error);
	}
	if (status == HPROF_OK)
		status = append_way(t, target.by[0], false, error);
	t->found = target.count > 0;
	done(&s);
	return status;
}

/* OBJECT and all up to its uppermost dominator, the last one. */
static enum hprof_status climb(struct hp_paths *paths, uint64_t object,
			       struct trail *t, struct hprof_error *error)
{
	const struct hp_look *look = &paths->look;
	uint64_t at = object, steps = 0;

	t->found = true;
	HP_TRY(append(t, at, error));
	while (t->found) {
		uint64_t above = hprof_graph_dominator(look->graph, at);
		bool direct;

		if (above == HPROF_NO_OBJECT)
			break;
		HP_TRY(refers(look, above, at, &direct, error));
		if (!direct)
			HP_TRY(fill_gap(paths, t, above, at, error));
		HP_TRY(append(t, above, error));
		t->found = t->found && ++steps < CHAIN_MOST;
		at = above;
	}
	return HPROF_OK;
}

/* ---- paths -------------------------------------------------------------------- */

static enum hprof_status add_path(struct hp_paths *paths, struct trail *t,
				  const struct seen *from,
				  struct hp_path_set *set,
				  struct hprof_error *error)
{
	size_t count = t->count;

	HP_TRY(append_way(t, from, true, error));
	HP_TRY(hp_paths_make(paths, t->objects, t->count,
			     &set->paths[set->count], error));
	set->count++;
	t->count = count;
	return HPROF_OK;
}

static enum hprof_status make_paths(struct hp_paths *paths, struct trail *t,
				    const struct target *top, size_t most,
				    struct hp_path_set *set,
				    struct hprof_error *error)
{
	set->paths = hp_arena_take(paths->arena, most * sizeof *set->paths);
	if (!set->paths)
		return hp_no_memory(error);
	if (hprof_graph_is_root(paths->look.graph, top->object))
		HP_TRY(add_path(paths, t, NULL, set, error));
	for (size_t i = 0; i < top->count && set->count < most; i++)
		HP_TRY(add_path(paths, t, top->by[i], set, error));
	return HPROF_OK;
}

/* ---- all sets ----------------------------------------------------------------- */

/* The work for all sets. */
struct work {
	struct hp_paths *paths;
	struct hp_path_set *sets;
	struct trail *trails; /* of each set */
	size_t count;
	size_t most;
};

static uint64_t top_of(const struct trail *t)
{
	return t->found ? t->objects[t->count - 1] : HPROF_NO_OBJECT;
}

/* All trails that lead to TOP. */
static enum hprof_status finish(struct work *w, const struct target *top,
				struct hprof_error *error)
{
	bool found = top->count > 0 ||
		     hprof_graph_is_root(w->paths->look.graph, top->object);

	for (size_t i = 0; i < w->count; i++) {
		struct trail *t = &w->trails[i];

		if (top_of(t) != top->object)
			continue;
		t->found = found;
		if (found)
			HP_TRY(make_paths(w->paths, t, top, w->most,
					  &w->sets[i], error));
	}
	return HPROF_OK;
}

static enum hprof_status search_roots(struct work *w, uint64_t top,
				      struct hprof_error *error)
{
	struct target target = { .object = top };
	enum hprof_status status;
	struct search s;

	if (begin(&s, w->paths, &target, w->most) == 0) {
		begin_at_roots(&s);
		if (hprof_graph_is_root(w->paths->look.graph, top))
			s.limit = 2 * OBJECTS_MORE;
		status = run(&s, error);
	} else {
		status = hp_no_memory(error);
	}
	if (status == HPROF_OK)
		status = finish(w, &target, error);
	done(&s);
	return status;
}

static bool is_first(const struct work *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (top_of(&w->trails[k]) == top_of(&w->trails[i]))
			return false;
	return true;
}

static enum hprof_status find_all(struct work *w, struct hprof_error *error)
{
	for (size_t i = 0; i < w->count; i++) {
		uint64_t object = w->sets[i].object;

		if (object != HPROF_NO_OBJECT &&
		    hprof_graph_is_reachable(w->paths->look.graph, object))
			HP_TRY(climb(w->paths, object, &w->trails[i], error));
	}
	for (size_t i = 0; i < w->count; i++)
		if (w->trails[i].found && is_first(w, i))
			HP_TRY(search_roots(w, top_of(&w->trails[i]), error));
	return HPROF_OK;
}

enum hprof_status hp_trails_find(struct hp_paths *paths,
				 struct hp_path_set *sets, size_t count,
				 size_t most, bool *ret_found,
				 struct hprof_error *error)
{
	struct work w = { paths, sets, hp_calloc(count + 1, sizeof *w.trails),
			  count, most };
	enum hprof_status status;

	for (size_t i = 0; i < count; i++) {
		sets[i].paths = NULL;
		sets[i].count = 0;
	}
	status = w.trails ? find_all(&w, error) : hp_no_memory(error);
	for (size_t i = 0; w.trails && i < count; i++) {
		ret_found[i] = w.trails[i].found;
		hp_free(w.trails[i].objects);
	}
	hp_free(w.trails);
	return status;
}
