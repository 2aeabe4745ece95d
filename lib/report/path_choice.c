/* SPDX-License-Identifier: MIT */
/*
 * path_choice.c - hprof_paths_read: why an object is alive.
 *
 * The first path is the shortest one that avoids what shunned_edges.h lists, and
 * does not begin at what passing_roots.h has, where there is one. Other paths branch
 * off from it: at the object itself, or at one before it, they take another referrer,
 * and from there the path to a root that was found for that, if it passes none of the
 * objects behind.
 * Paths that are alike, often thousands, are represented by one of them.
 */
#include "report/root_paths.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/u64_map.h"
#include "base/mem.h"
#include "base/options.h"

enum {
	COUNT_MAX = 1000,
	BRANCHES = 16,	      /* objects at the end where others branch off */
	REFERRERS_MAX = 4096, /* of one object, to look at */
	DETOUR_MAX = 1 << 16, /* longer ones are not worth showing */
	SHUNNED_MOST = 256,   /* objects of a path that are looked at */
	LOOKS_MAX = 1 << 22   /* objects looked at to tell paths apart */
};

/*
 * A path under construction: up the shortest path from START, then down the
 * first path.
 */
struct candidate {
	uint64_t start;
	size_t tail; /* objects of the first path after start */
	uint64_t length;
	uint64_t alike; /* others of the same shape */
	/* The path of START leads through shunned_edges.h, as the first may. */
	bool shunned;
	bool passing; /* it begins at a root of passing_roots.h */
};

struct search {
	struct hp_root_paths *paths;
	uint64_t length;	 /* steps of the first path */
	uint64_t tail[BRANCHES]; /* the object, the one before it, ... */
	size_t tail_count;
	struct candidate *found;
	size_t found_count, found_room;
};

/* An object on a path whose referrers are searched for. */
struct branch {
	struct search *search;
	size_t at; /* in its tail */
	uint64_t object;
	uint64_t last; /* referrer that was seen */
	size_t seen;
	struct branch *next; /* of the same object */
};

/*
 * All branches of all searches, by object, with a filter in front of the map.
 */
struct branches {
	struct branch *items;
	size_t count;
	struct hp_u64_map by_object; /* object + 1 -> struct branch */
	uint8_t sieve[1 << 16];
	bool no_memory;
};

/* ---- candidates ---------------------------------------------------------- */

static uint64_t before(const struct hp_root_paths *p, uint64_t object)
{
	return hprof_shortest_paths_parent(p->shortest, object);
}

/*
 * Whether the path of OBJECT, of LENGTH steps, avoids the objects behind it on
 * the new path. The distance of object I of the tail from a root is known from
 * the first path.
 */
static bool is_clear(const struct branch *branch, uint64_t object,
		     uint64_t length)
{
	const struct search *s = branch->search;
	uint64_t far = s->length, near = s->length - branch->at, at = object;

	if (length > near && length - near > DETOUR_MAX)
		return false;
	for (; length >= near; length--) {
		if (length <= far && s->tail[far - length] == at)
			return false;
		if (length == near)
			break;
		at = before(s->paths, at);
	}
	return true;
}

/* Whether the path of C leads through, or begins at, what is avoided elsewhere. */
static void find_avoided(const struct hp_root_paths *p, struct candidate *c)
{
	uint64_t object = c->start, next = object;

	for (unsigned i = 0; i < SHUNNED_MOST && next != HPROF_NO_OBJECT; i++) {
		object = next;
		c->shunned |= p->shunned.late[hp_graph_kind(p->look.graph,
							    (uint32_t)object)];
		next = before(p, object);
	}
	c->passing = next == HPROF_NO_OBJECT && hp_root_paths_pass(p, object);
}

static enum hprof_status add(struct search *s, const struct candidate *c)
{
	HP_TRY(hp_grow((void **)&s->found, &s->found_room, s->found_count,
		       sizeof *s->found));
	s->found[s->found_count++] = *c;
	return HPROF_OK;
}

static enum hprof_status add_candidate(struct search *s, uint64_t start,
				       uint64_t length, size_t tail)
{
	struct candidate c = { .start = start,
			       .tail = tail,
			       .length = length + tail };

	find_avoided(s->paths, &c);
	return add(s, &c);
}

/* Objects of the first path that stacks hold as well. */
static enum hprof_status add_passing(struct search *s)
{
	for (size_t i = 0; i < s->tail_count && i < s->length; i++) {
		struct candidate c = { .start = s->tail[i],
				       .tail = i,
				       .length = i,
				       .passing = true };

		if (hp_root_paths_pass(s->paths, c.start))
			HP_TRY(add(s, &c));
	}
	return HPROF_OK;
}

static enum hprof_status take_referrer(struct branch *branch, uint64_t referrer)
{
	struct search *s = branch->search;
	uint64_t length;

	if (branch->last == referrer || branch->seen == REFERRERS_MAX)
		return HPROF_OK;
	branch->last = referrer;
	branch->seen++;
	if (referrer == before(s->paths, branch->object))
		return HPROF_OK;
	length = hprof_shortest_paths_depth(s->paths->shortest, referrer);
	if (length == UINT64_MAX || !is_clear(branch, referrer, length))
		return HPROF_OK;
	return add_candidate(s, referrer, length, branch->at + 1);
}

static void take_targets(void *user, uint32_t from, const uint32_t *targets,
			 uint64_t count)
{
	struct branches *all = user;

	for (uint64_t i = 0; i < count; i++) {
		struct branch *branch;

		if (!all->sieve[targets[i] & 0xFFFF])
			continue;
		branch = hp_u64_map_get(&all->by_object,
					(uint64_t)targets[i] + 1);
		for (; branch; branch = branch->next)
			if (take_referrer(branch, from) != HPROF_OK)
				all->no_memory = true;
	}
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->passing != b->passing)
		return a->passing ? 1 : -1;
	if (a->shunned != b->shunned)
		return a->shunned ? 1 : -1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	if (a->tail != b->tail)
		return a->tail < b->tail ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static enum hprof_status add_branches(struct branches *all, struct search *s)
{
	for (size_t i = 0; i < s->tail_count; i++) {
		struct branch *branch = &all->items[all->count++];
		uint64_t key = s->tail[i] + 1;

		*branch = (struct branch){ .search = s,
					   .at = i,
					   .object = s->tail[i],
					   .last = HPROF_NO_OBJECT };
		branch->next = hp_u64_map_get(&all->by_object, key);
		all->sieve[s->tail[i] & 0xFFFF] = 1;
		HP_TRY(hp_u64_map_put(&all->by_object, key, branch));
	}
	return HPROF_OK;
}

/* One pass over all references serves all searches. */
static enum hprof_status find_others(const struct hp_root_paths *p,
				     struct search *searches, size_t count)
{
	struct branches *all = hp_calloc(1, sizeof *all);
	enum hprof_status status = HPROF_OK;

	if (!all)
		return HPROF_E_NOMEM;
	all->items = hp_calloc(count * BRANCHES + 1, sizeof *all->items);
	if (!all->items || hp_u64_map_init(&all->by_object, 2) != HPROF_OK)
		status = HPROF_E_NOMEM;
	for (size_t i = 0; status == HPROF_OK && i < count; i++)
		status = add_branches(all, &searches[i]);
	if (status == HPROF_OK)
		hp_graph_each(p->edges, take_targets, all);
	if (all->no_memory)
		status = HPROF_E_NOMEM;
	hp_u64_map_done(&all->by_object);
	hp_free(all->items);
	hp_free(all);
	for (size_t i = 0; i < count; i++)
		if (searches[i].found_count > 1)
			qsort(searches[i].found + 1,
			      searches[i].found_count - 1,
			      sizeof *searches[i].found, compare_candidates);
	return status;
}

/* ---- from candidates to paths -------------------------------------------- */

/* A walk along a candidate from its end. */
struct walk {
	const struct search *search;
	const struct candidate *along;
	uint64_t at, done; /* done: objects so far */
};

static uint64_t next_object(void *state)
{
	struct walk *walk = state;
	const struct candidate *c = walk->along;

	if (walk->done < c->tail)
		return walk->search->tail[walk->done++];
	walk->at = walk->done++ == c->tail
			   ? c->start
			   : before(walk->search->paths, walk->at);
	return walk->at;
}

static uint64_t shape_of(const struct search *s, const struct candidate *c)
{
	struct walk walk = { .search = s, .along = c };
	struct hp_shape shape = { 0 };
	uint64_t object = c->start;

	for (uint64_t i = 0; i <= c->length; i++) {
		object = next_object(&walk);
		hp_shape_add(&shape, s->paths, object);
	}
	hp_shape_mix(&shape, hp_root_index_tag(&s->paths->roots, object));
	return shape.sum;
}

/*
 * Moves the shortest candidate of each shape to the front, at most MOST; the
 * map has its position there, plus 1.
 */
static enum hprof_status choose(struct search *s, struct hp_u64_map *by_shape,
				size_t most, size_t *ret_count,
				size_t *ret_others)
{
	size_t count = 0, others = 0;
	uint64_t looks = 0;

	for (size_t i = 0; i < s->found_count && looks < LOOKS_MAX; i++) {
		struct candidate c = s->found[i];
		uint64_t shape = shape_of(s, &c);
		uintptr_t place = (uintptr_t)hp_u64_map_get(by_shape, shape);

		looks += c.length + 1;
		if (place && place <= most)
			s->found[place - 1].alike++;
		if (place)
			continue;
		if (count < most)
			s->found[count++] = c;
		else
			others++;
		place = others ? most + 1 : count;
		HP_TRY(hp_u64_map_put(by_shape, shape, (void *)place));
	}
	*ret_count = count;
	*ret_others = others;
	return HPROF_OK;
}

static enum hprof_status make_path(const struct search *s,
				   const struct candidate *c,
				   struct hprof_path *path,
				   struct hprof_error *error)
{
	struct walk walk = { .search = s, .along = c };

	return hp_root_paths_walk(s->paths, next_object, &walk, c->length + 1,
				  path, error);
}

static enum hprof_status make_chosen(const struct search *s, size_t count,
				     struct hp_path_set *set,
				     struct hprof_error *error)
{
	struct hprof_path *paths =
		hp_arena_take(s->paths->arena, (count + 1) * sizeof *paths);

	if (!paths)
		return hp_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		HP_TRY(make_path(s, &s->found[i], &paths[i], error));
		paths[i].alike = s->found[i].alike;
	}
	set->paths = paths;
	set->count = count;
	return HPROF_OK;
}

static enum hprof_status make_paths(struct search *s, size_t most, bool alike,
				    struct hp_path_set *set,
				    struct hprof_error *error)
{
	size_t count = s->found_count < most ? s->found_count : most;
	struct hp_u64_map by_shape;
	enum hprof_status status;

	set->others = s->found_count - count;
	if (alike)
		return make_chosen(s, count, set, error);
	status = hp_u64_map_init(&by_shape, 2);
	if (status == HPROF_OK)
		status = choose(s, &by_shape, most, &count, &set->others);
	hp_u64_map_done(&by_shape);
	if (status != HPROF_OK)
		return hp_no_memory(error);
	return make_chosen(s, count, set, error);
}

/* Whether a path begins at OBJECT since what leads to it says nothing. */
static bool is_accident(const struct hp_root_paths *p, uint64_t object)
{
	return before(p, object) == HPROF_NO_OBJECT &&
	       hp_lasting_classes_is(
		       &p->lasting,
		       hp_graph_kind(p->look.graph, (uint32_t)object));
}

/* Begins with the shortest path and the objects at its end. */
static enum hprof_status begin_search(struct hp_root_paths *p, uint64_t object,
				      struct search *s)
{
	*s = (struct search){ .paths = p };
	if (object == HPROF_NO_OBJECT)
		return HPROF_OK;
	s->length = hprof_shortest_paths_depth(p->shortest, object);
	if (s->length == UINT64_MAX)
		return HPROF_OK;
	for (uint64_t at = object;
	     at != HPROF_NO_OBJECT && s->tail_count < BRANCHES &&
	     (at == object || !is_accident(p, at));
	     at = before(p, at))
		s->tail[s->tail_count++] = at;
	HP_TRY(add_candidate(s, object, s->length, 0));
	return add_passing(s);
}

enum hprof_status hp_root_paths_find(struct hp_root_paths *p,
				     struct hp_path_set *sets, size_t count,
				     size_t most, bool alike,
				     struct hprof_error *error)
{
	struct search *searches = hp_calloc(count + 1, sizeof *searches);
	enum hprof_status status = HPROF_OK;

	if (!searches)
		return hp_no_memory(error);
	for (size_t i = 0; status == HPROF_OK && i < count; i++)
		if (begin_search(p, sets[i].object, &searches[i]) != HPROF_OK)
			status = hp_no_memory(error);
	if (status == HPROF_OK && most > 1 &&
	    find_others(p, searches, count) != HPROF_OK)
		status = hp_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		sets[i] = (struct hp_path_set){ .object = sets[i].object };
		if (status == HPROF_OK && searches[i].found_count)
			status = make_paths(&searches[i], most, alike, &sets[i],
					    error);
		hp_free(searches[i].found);
	}
	hp_free(searches);
	return status;
}

/* ---- the table ----------------------------------------------------------- */

struct table {
	struct hprof_path_table table;
	struct hp_arena arena;
};

enum hprof_status hprof_paths_read(const struct hprof_graph *graph,
				   uint64_t object,
				   const struct hprof_path_options *given,
				   struct hprof_path_table **ret_table,
				   struct hprof_error *ret_error)
{
	struct hp_path_set set = { .object = object };
	struct hprof_path_options options;
	struct hp_root_paths paths;
	enum hprof_status status;
	struct table *t;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_EDGES, ret_error));
	HP_TRY(hp_graph_need_object(graph, object, ret_error));
	HP_NEED(ret_error, ret_table);
	if (!HP_OPTIONS_TAKE(given, &options))
		return hp_bad_options(ret_error);
	if (options.count > COUNT_MAX)
		return hp_bad_argument(ret_error, "options.count",
				       "is more than 1000");
	t = hp_calloc(1, sizeof *t);
	if (!t)
		return hp_no_memory(ret_error);
	t->table.impl = t;
	status = hp_root_paths_init(&paths, graph, &t->arena, ret_error);
	/* Only dominators show which classes are alive without the object. */
	if (status == HPROF_OK && graph->options.dominators)
		status = hp_root_paths_take_telling(&paths, graph, &set, 1,
						    NULL, ret_error);
	else if (status == HPROF_OK)
		status = hp_root_paths_take_shortest(&paths, graph, ret_error);
	if (status == HPROF_OK)
		status = hp_root_paths_find(&paths, &set, 1,
					    options.count ? options.count : 1,
					    options.alike, ret_error);
	hp_root_paths_done(&paths);
	t->table.paths = set.paths;
	t->table.count = set.count;
	t->table.others = set.others;
	if (status < 0) {
		hprof_path_table_free(&t->table);
		return status;
	}
	*ret_table = &t->table;
	return HPROF_OK;
}

void hprof_path_table_free(struct hprof_path_table *table)
{
	struct table *t = table ? table->impl : NULL;

	if (!t)
		return;
	hp_arena_done(&t->arena);
	hp_free(t);
}
