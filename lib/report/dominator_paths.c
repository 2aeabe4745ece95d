/* SPDX-License-Identifier: MIT */
/*
 * dominator_paths.c - see dominator_paths.h.
 *
 * Every path to an object leads through all its dominators. Mostly each of
 * these refers to the next directly, and then no path is shorter. Where one
 * does not, and from the roots to the first one, a search follows references
 * object by object, as long as that is cheap. It begins at class objects as
 * well as at roots: a class lives as long as its loader, and which references
 * lead to it says nothing about who uses its statics.
 */
#include "report/dominator_paths.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "report/bounded_bfs.h"
#include "report/held_references.h"
#include "report/pool_of_queue.h"

enum {
	MOST = 8,	     /* paths to a target */
	MORE = 1 << 15,	     /* objects to visit for other paths */
	LOOKS_MAX = 1 << 22, /* objects looked at to tell paths apart */
	CHAIN_MOST = 1 << 18 /* dominators on one path */
};

/* An object that is searched for. */
struct target {
	uint64_t object;
	size_t wanted; /* paths to it */
	const struct hp_root_paths *paths;
	const struct hp_bounded_bfs *search;
	bool runtime;	      /* it is held by a frame of the Java runtime */
	uint64_t by[MOST];    /* what refers to it, nearest first */
	uint64_t shape[MOST]; /* of these paths; all differ */
	uint64_t alike[MOST]; /* further paths of that shape */
	size_t count;
	uint64_t last;	/* what refers to it, the last one met */
	uint64_t looks; /* objects looked at to tell paths apart */
};

/* ---- a search ------------------------------------------------------------ */

static uint64_t shape_of(struct target *target, uint64_t at)
{
	struct hp_shape shape = { 0 };

	for (;;) {
		uint64_t before = hp_bounded_bfs_before(target->search, at);

		hp_shape_add(&shape, target->paths, at);
		if (before == HPROF_NO_OBJECT)
			break;
		at = before;
		target->looks++;
	}
	hp_shape_mix(&shape, hp_root_index_tag(&target->paths->roots, at));
	return shape.sum;
}

static void take_path(struct target *target, uint64_t from)
{
	uint64_t shape = shape_of(target, from);
	size_t i = 0;

	while (i < target->count && target->shape[i] != shape)
		i++;
	if (i < target->count) {
		target->alike[i]++;
	} else if (target->count < MOST) {
		target->by[target->count] = from;
		target->shape[target->count++] = shape;
	}
}

static bool meets(struct hp_bounded_bfs *s, uint64_t object, uint64_t from)
{
	struct target *target = s->user;

	if (object != target->object)
		return true;
	if (!target->count)
		s->limit = s->objects + MORE;
	if (from != target->last && target->looks < LOOKS_MAX)
		take_path(target, from);
	target->last = from;
	s->enough = target->count >= target->wanted;
	return false; /* no need to search beyond it */
}

static struct target target_for(const struct hp_root_paths *paths,
				uint64_t object, size_t wanted)
{
	return (struct target){ .object = object,
				.wanted = wanted,
				.paths = paths,
				.last = HPROF_NO_OBJECT };
}

static struct hp_bounded_bfs search_for(const struct hp_root_paths *paths,
					struct target *target)
{
	return (struct hp_bounded_bfs){ .look = &paths->look,
					.meets = meets,
					.user = target,
					.shunned = &paths->shunned,
					.passing = paths->passing,
					.limit = paths->search_most };
}

/* ---- lists of objects ---------------------------------------------------- */

/* Objects of a path from its end to its beginning. */
struct dominator_path {
	uint64_t *objects;
	size_t count, room;
	bool found;
};

static enum hprof_status append(struct dominator_path *t, uint64_t object,
				struct hprof_error *error)
{
	if (hp_grow((void **)&t->objects, &t->room, t->count,
		    sizeof *t->objects) != HPROF_OK)
		return hp_no_memory(error);
	t->objects[t->count++] = object;
	return HPROF_OK;
}

/* Appends FROM and what is before it; the start only if WHOLE. */
static enum hprof_status append_path(struct dominator_path *t,
				     const struct hp_bounded_bfs *search,
				     uint64_t from, bool whole,
				     struct hprof_error *error)
{
	while (from != HPROF_NO_OBJECT) {
		uint64_t before = hp_bounded_bfs_before(search, from);

		if (whole || before != HPROF_NO_OBJECT)
			HP_TRY(append(t, from, error));
		from = before;
	}
	return HPROF_OK;
}

/* Appends the objects on the way from DOMINATOR to OBJECT. */
static enum hprof_status fill_gap(struct hp_root_paths *paths,
				  struct dominator_path *t, uint64_t dominator,
				  uint64_t object, struct hprof_error *error)
{
	struct target target = target_for(paths, object, 1);
	struct hp_bounded_bfs s = search_for(paths, &target);
	enum hprof_status status;

	target.search = &s;
	s.inside = true;
	if (hp_bounded_bfs_begin(&s) == HPROF_OK) {
		hp_bounded_bfs_add(&s, dominator);
		status = hp_bounded_bfs_run(&s, error);
	} else {
		status = hp_no_memory(error);
	}
	if (status == HPROF_OK && target.count)
		status = append_path(t, &s, target.by[0], false, error);
	t->found = target.count > 0;
	hp_bounded_bfs_note(&s, t->found, &paths->search_most);
	hp_bounded_bfs_end(&s);
	return status;
}

static bool is_lasting(const struct hp_root_paths *paths, uint64_t object)
{
	return hp_lasting_classes_is(
		&paths->lasting,
		hp_graph_kind(paths->look.graph, (uint32_t)object));
}

/*
 * Whether the path to SET's object need not go on from AT: how the JVM's own loaders
 * and their classes are held says nothing. What such a loader, DOMINATOR, has not
 * itself is held by several of its classes: a search from these finds them.
 */
static bool is_enough(const struct hp_root_paths *paths,
		      const struct hp_path_set *set, uint64_t at,
		      uint64_t dominator, bool direct)
{
	const struct hprof_graph *graph = paths->look.graph;

	if (at != set->object && is_lasting(paths, at))
		return true;
	return !direct && !set->from_top &&
	       hp_lasting_classes_are_of(
		       &paths->lasting,
		       hp_graph_kind(graph, (uint32_t)dominator));
}

/*
 * Appends SET's object and its dominators; the last one is the uppermost, or the
 * first one above which nothing is worth telling.
 */
static enum hprof_status climb(struct hp_root_paths *paths,
			       const struct hp_path_set *set,
			       struct dominator_path *t,
			       struct hprof_error *error)
{
	const struct hp_look *look = &paths->look;
	uint64_t at = set->object, steps = 0;

	t->found = true;
	HP_TRY(append(t, at, error));
	while (t->found) {
		uint64_t dominator = hprof_graph_dominator(look->graph, at);
		bool direct;

		if (dominator == HPROF_NO_OBJECT)
			break;
		HP_TRY(hp_look_refers(look, dominator, at, &direct, error));
		if (is_enough(paths, set, at, dominator, direct))
			break;
		if (!direct)
			HP_TRY(fill_gap(paths, t, dominator, at, error));
		HP_TRY(append(t, dominator, error));
		t->found = t->found && ++steps < CHAIN_MOST;
		at = dominator;
	}
	return HPROF_OK;
}

/* ---- paths --------------------------------------------------------------- */

/* Adds the path through FROM, which may be HPROF_NO_OBJECT. */
static enum hprof_status add_path(struct hp_root_paths *paths,
				  struct dominator_path *t,
				  const struct hp_bounded_bfs *search,
				  uint64_t from, struct hp_path_set *set,
				  struct hprof_error *error)
{
	size_t count = t->count;

	HP_TRY(append_path(t, search, from, true, error));
	HP_TRY(hp_root_paths_make(paths, t->objects, t->count,
				  &set->paths[set->count], error));
	set->count++;
	t->count = count;
	return HPROF_OK;
}

/* Whether NODE needs no other object to be alive, or only its loader. */
static bool is_start(const struct hprof_graph *graph, uint64_t node)
{
	return hprof_graph_is_root(graph, node) ||
	       hp_kind_is_class(hp_graph_kind(graph, (uint32_t)node));
}

/* Whether the first path to TOP is a static of a class, and nothing else. */
static bool is_by_static(const struct hprof_graph *graph,
			 const struct target *top)
{
	return top->count &&
	       hp_bounded_bfs_before(top->search, top->by[0]) ==
		       HPROF_NO_OBJECT &&
	       hp_kind_is_class(hp_graph_kind(graph, (uint32_t)top->by[0])) &&
	       !hp_kind_is_class(hp_graph_kind(graph, (uint32_t)top->object));
}

/*
 * Whether the first path to TOP, which a stack holds, does not begin at a stack. If the
 * frame is one of the Java runtime, it has to begin at a class, or at what refers to TOP,
 * or to lead from a thread to the pool that it works for.
 */
static bool says_more(const struct hprof_graph *graph, const struct target *top)
{
	uint64_t at = HPROF_NO_OBJECT, before = top->by[0];
	bool works = false;

	while (before != HPROF_NO_OBJECT) {
		at = before;
		before = hp_bounded_bfs_before(top->search, at);
		works |= hp_shunned_edges_is_worker(
			&top->paths->shunned,
			hp_graph_kind(graph, (uint32_t)at));
	}
	if (hp_kind_is_class(hp_graph_kind(graph, (uint32_t)at)))
		return true;
	return !hp_root_paths_pass(top->paths, at) &&
	       (!top->runtime || works || at == top->by[0]);
}

/* Adds the path that begins at the pool whose queue TOP is, if there is one. */
static enum hprof_status add_pool(struct hp_root_paths *paths,
				  struct dominator_path *t,
				  const struct target *top,
				  struct hp_path_set *set,
				  struct hprof_error *error)
{
	size_t count = t->count;
	uint64_t pool;

	HP_TRY(hp_pool_of_queue(paths, top->object, &pool, error));
	if (pool == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(append(t, pool, error));
	HP_TRY(add_path(paths, t, NULL, HPROF_NO_OBJECT, set, error));
	t->count = count;
	return HPROF_OK;
}

static enum hprof_status make_paths(struct hp_root_paths *paths,
				    struct dominator_path *t,
				    const struct target *top, size_t most,
				    struct hp_path_set *set,
				    struct hprof_error *error)
{
	size_t i = 0;

	set->paths = hp_arena_take(paths->arena, most * sizeof *set->paths);
	if (!set->paths)
		return hp_no_memory(error);
	/* A static says more than the stack that uses it at the moment. */
	if (is_by_static(paths->look.graph, top) ||
	    (top->count && hp_root_paths_pass(paths, top->object) &&
	     says_more(paths->look.graph, top)))
		HP_TRY(add_path(paths, t, top->search, top->by[i++], set,
				error));
	else if (top->runtime)
		HP_TRY(add_pool(paths, t, top, set, error));
	if (set->count < most &&
	    (set->from_top || is_start(paths->look.graph, top->object)))
		HP_TRY(add_path(paths, t, NULL, HPROF_NO_OBJECT, set, error));
	for (; i < top->count && set->count < most; i++) {
		HP_TRY(add_path(paths, t, top->search, top->by[i], set, error));
		set->paths[set->count - 1].alike = top->alike[i];
	}
	return HPROF_OK;
}

/* ---- all sets ------------------------------------------------------------ */

/* The work for all sets. */
struct work {
	struct hp_root_paths *paths;
	struct hp_path_set *sets;
	struct dominator_path *climbed; /* of each set */
	size_t count;
	size_t most;
};

static uint64_t top_of(const struct dominator_path *t)
{
	return t->found ? t->objects[t->count - 1] : HPROF_NO_OBJECT;
}

/*
 * All paths up the dominator tree that lead to TOP, of the sets that are to
 * begin at a root, or of the others.
 */
static enum hprof_status finish(struct work *w, const struct target *top,
				bool from_top, struct hprof_error *error)
{
	bool found = from_top || top->count > 0 ||
		     is_start(w->paths->look.graph, top->object);

	for (size_t i = 0; i < w->count; i++) {
		struct dominator_path *t = &w->climbed[i];

		if (top_of(t) != top->object || w->sets[i].from_top != from_top)
			continue;
		t->found = found;
		if (found)
			HP_TRY(make_paths(w->paths, t, top, w->most,
					  &w->sets[i], error));
	}
	return HPROF_OK;
}

/* Whether a class object is alive without the object that is searched for. */
static bool is_apart(void *user, size_t row, uint64_t object)
{
	const struct target *target = user;

	return hp_root_paths_is_apart(target->paths, row, object,
				      target->object);
}

static enum hprof_status search_roots(struct work *w, uint64_t top,
				      struct hprof_error *error)
{
	struct target target = target_for(w->paths, top, w->most);
	struct hp_bounded_bfs s = search_for(w->paths, &target);
	bool is_known = is_start(w->paths->look.graph, top);
	bool passes = hp_root_paths_pass(w->paths, top);
	enum hprof_status status;

	if (is_known && (w->most == 1 || is_lasting(w->paths, top)) &&
	    !passes && !hp_root_index_on_stack(&w->paths->roots, top))
		return finish(w, &target, false, error);
	HP_TRY(hp_root_index_in_runtime(&w->paths->roots, top, &target.runtime,
					error));
	target.search = &s;
	if (is_known)
		s.limit = passes ? w->paths->stack_most : MORE;
	if (hp_bounded_bfs_begin(&s) == HPROF_OK) {
		hp_bounded_bfs_add_roots(&s, top);
		hp_bounded_bfs_add_classes(&s, is_apart, &target);
		status = hp_bounded_bfs_run(&s, error);
	} else {
		status = hp_no_memory(error);
	}
	if (passes)
		hp_bounded_bfs_note(&s, target.count > 0,
				    &w->paths->stack_most);
	else
		hp_bounded_bfs_note(&s, target.count || is_known,
				    &w->paths->search_most);
	if (status == HPROF_OK)
		status = finish(w, &target, false, error);
	hp_bounded_bfs_end(&s);
	return status;
}

/* Whether set I is the first of its kind with its uppermost dominator. */
static bool is_first(const struct work *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (top_of(&w->climbed[k]) == top_of(&w->climbed[i]) &&
		    w->sets[k].from_top == w->sets[i].from_top)
			return false;
	return true;
}

static enum hprof_status find_all(struct work *w, struct hprof_error *error)
{
	for (size_t i = 0; i < w->count; i++) {
		uint64_t object = w->sets[i].object;

		if (object != HPROF_NO_OBJECT &&
		    hprof_graph_is_reachable(w->paths->look.graph, object))
			HP_TRY(climb(w->paths, &w->sets[i], &w->climbed[i],
				     error));
	}
	for (size_t i = 0; i < w->count; i++) {
		struct target top = { .object = top_of(&w->climbed[i]) };

		if (!w->climbed[i].found || !is_first(w, i))
			continue;
		if (w->sets[i].from_top)
			HP_TRY(finish(w, &top, true, error));
		else
			HP_TRY(search_roots(w, top.object, error));
	}
	return HPROF_OK;
}

enum hprof_status hp_dominator_paths_find(struct hp_root_paths *paths,
					  struct hp_path_set *sets,
					  size_t count, size_t most,
					  bool *ret_found,
					  struct hprof_error *error)
{
	struct work w = { paths, sets, hp_calloc(count + 1, sizeof *w.climbed),
			  count, most };
	enum hprof_status status;

	for (size_t i = 0; i < count; i++) {
		sets[i].paths = NULL;
		sets[i].count = 0;
	}
	status = w.climbed ? find_all(&w, error) : hp_no_memory(error);
	for (size_t i = 0; w.climbed && i < count; i++) {
		ret_found[i] = w.climbed[i].found;
		hp_free(w.climbed[i].objects);
	}
	hp_free(w.climbed);
	return status;
}
