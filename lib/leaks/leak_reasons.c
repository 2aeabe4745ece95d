/* SPDX-License-Identifier: MIT */
/*
 * leak_reasons.c - see leak_reasons.h.
 *
 * What dominates the head of a member is on every way to it, so that tells why
 * it is alive. For the others, one search finds the nearest object of each: its
 * loader, its class or its head. Of a loader that may be any of its classes and their
 * instances: what is behind the first of them explains nothing. Members are grouped
 * by the classes on the way from their owner.
 */
#include "leaks/leak_reasons.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "leaks/leak_subject.h"
#include "report/bounded_bfs.h"
#include "report/dominator_paths.h"

enum {
	MEMBERS = 300,	  /* that are looked at */
	REASONS = 5,	  /* that are kept */
	SHAPE_STEPS = 6,  /* that tell ways apart, without an owner */
	PATH_MOST = 1000, /* steps */
	CLIMB_MOST = 1000 /* dominators of a class */
};

/* How a member was reached. */
struct way {
	uint64_t object; /* of the member; HPROF_NO_OBJECT: not reached */
	uint64_t from;	 /* HPROF_NO_OBJECT: it is a root, or dominated */
	bool dominated;
	uint64_t shape;
};

struct reasons {
	struct hp_root_paths *paths;
	const struct hp_leak_crowd *crowd;
	const struct hp_bounded_bfs *search;
	struct hp_u64_map members; /* node + 1 -> struct way */
	struct way *ways;
	struct way **of_class; /* each row: that of its loader, or NULL */
	size_t class_count;
	size_t missing;
};

/* The way of the member that OBJECT belongs to, or NULL. */
static struct way *way_of(const struct reasons *r, uint64_t object)
{
	struct way *way = hp_u64_map_get(&r->members, object + 1);
	size_t row = hp_kind_row(
		hp_graph_kind(r->paths->look.graph, (uint32_t)object));

	return !way && row < r->class_count ? r->of_class[row] : way;
}

/* ---- the search ---------------------------------------------------------- */

static void reach(struct reasons *r, uint64_t object, uint64_t from)
{
	struct way *way = way_of(r, object);

	if (!way || way->object != HPROF_NO_OBJECT)
		return;
	*way = (struct way){ .object = object, .from = from };
	r->missing--;
}

static bool meets(struct hp_bounded_bfs *s, uint64_t object, uint64_t from)
{
	struct reasons *r = s->user;

	reach(r, object, from);
	s->enough = r->missing == 0;
	return !way_of(r, object);
}

/* Whether the class object NODE is alive without any member of the crowd. */
static bool is_apart(void *user, size_t row, uint64_t node)
{
	const struct reasons *r = user;
	const struct hp_look *look = &r->paths->look;
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	uint64_t at =
		hprof_heap_find(look->heap, summary->class_rows[row].loader_id);

	if (at != HPROF_NO_OBJECT && hp_u64_map_get(&r->members, at + 1))
		return false;
	at = node;
	for (unsigned i = 0; i < CLIMB_MOST && at != HPROF_NO_OBJECT; i++) {
		if (hp_u64_map_get(&r->members, at + 1))
			return false;
		at = hprof_graph_dominator(look->graph, at);
	}
	return at == HPROF_NO_OBJECT;
}

static void reach_roots(struct reasons *r)
{
	for (size_t i = 0; i < r->crowd->count; i++)
		if (hp_root_paths_begin_at(r->paths, r->crowd->nodes[i].node))
			reach(r, r->crowd->nodes[i].node, HPROF_NO_OBJECT);
}

static enum hprof_status find_classes(struct reasons *r)
{
	const struct hprof_heap *heap = r->paths->look.heap;
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	r->class_count = summary->class_count;
	r->of_class = hp_calloc(r->class_count + 1, sizeof *r->of_class);
	for (size_t i = 0; r->of_class && i < r->class_count; i++) {
		uint64_t loader =
			hprof_heap_find(heap, summary->class_rows[i].loader_id);

		if (loader != HPROF_NO_OBJECT)
			r->of_class[i] =
				hp_u64_map_get(&r->members, loader + 1);
	}
	return r->of_class ? HPROF_OK : HPROF_E_NOMEM;
}

static enum hprof_status begin(struct reasons *r)
{
	const struct hp_leak_crowd *crowd = r->crowd;
	size_t every = crowd->members / MEMBERS + 1;

	r->ways = hp_calloc(crowd->members + 1, sizeof *r->ways);
	if (!r->ways || hp_u64_map_init(&r->members, 2) != HPROF_OK)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < crowd->members; i++)
		r->ways[i].object = HPROF_NO_OBJECT;
	for (size_t i = 0; i < crowd->count; i++)
		HP_TRY(hp_u64_map_put(&r->members,
				      (uint64_t)crowd->nodes[i].node + 1,
				      &r->ways[crowd->nodes[i].member]));
	HP_TRY(find_classes(r));
	r->missing = crowd->members / every;
	for (size_t i = 0; i < crowd->members; i++) {
		uint64_t head = crowd->nodes[i].node;

		if (hprof_graph_dominator(r->paths->look.graph, head) ==
		    HPROF_NO_OBJECT)
			continue;
		r->ways[i] = (struct way){ .object = head,
					   .from = HPROF_NO_OBJECT,
					   .dominated = true };
		r->missing -= r->missing != 0;
	}
	return HPROF_OK;
}

/* ---- ways that are alike ------------------------------------------------- */

/* Whether people would say that OBJECT holds what it leads to, a member. */
static bool is_owner(const struct reasons *r, uint64_t object)
{
	const struct hp_look *look = &r->paths->look;
	uint32_t kind = hp_graph_kind(look->graph, (uint32_t)object);
	const char *name = hp_class_name(look->heap, hp_kind_row(kind));

	return !way_of(r, object) &&
	       (hp_kind_is_class(kind) || !hp_class_is_runtime(name));
}

/* The object before on the way; *AT is what it came from, and moves on. */
static uint64_t before(const struct reasons *r, const struct way *way,
		       uint64_t object, uint64_t *at)
{
	uint64_t from = *at;

	if (way->dominated)
		return hprof_graph_dominator(r->paths->look.graph, object);
	if (from != HPROF_NO_OBJECT)
		*at = hp_bounded_bfs_before(r->search, from);
	return from;
}

static void find_shape(const struct reasons *r, struct way *way)
{
	const struct hp_look *look = &r->paths->look;
	uint64_t at = way->from;
	struct hp_shape shape = { 0 };
	uint64_t object = way->object;

	for (unsigned i = 0; i < SHAPE_STEPS; i++) {
		hp_shape_add(&shape, r->paths, object);
		object = before(r, way, object, &at);
		if (object == HPROF_NO_OBJECT)
			break;
		if (!is_owner(r, object))
			continue;
		hp_shape_add(&shape, r->paths, object);
		if (hp_kind_is_class(
			    hp_graph_kind(look->graph, (uint32_t)object)))
			hp_shape_mix(&shape, object);
		break;
	}
	way->shape = shape.sum;
}

static int compare_ways(const void *left, const void *right)
{
	const struct way *a = left, *b = right;

	if (a->shape != b->shape)
		return a->shape < b->shape ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

/* The way down from the uppermost dominator. */
static enum hprof_status make_dominator_path(const struct reasons *r,
					     const struct way *way,
					     struct hprof_path *ret,
					     struct hprof_error *error)
{
	struct hp_path_set set = { .object = way->object, .from_top = true };
	bool found = false;

	HP_TRY(hp_dominator_paths_find(r->paths, &set, 1, 1, &found, error));
	if (!found || !set.count)
		return hp_root_paths_make(r->paths, &way->object, 1, ret,
					  error);
	*ret = set.paths[0];
	return HPROF_OK;
}

static enum hprof_status make_path(const struct reasons *r,
				   const struct way *way,
				   struct hprof_path *ret,
				   struct hprof_error *error)
{
	uint64_t objects[PATH_MOST];
	size_t count = 0;

	if (way->dominated)
		return make_dominator_path(r, way, ret, error);
	objects[count++] = way->object;
	for (uint64_t at = way->from;
	     at != HPROF_NO_OBJECT && count < PATH_MOST;
	     at = hp_bounded_bfs_before(r->search, at))
		objects[count++] = at;
	return hp_root_paths_make(r->paths, objects, count, ret, error);
}

/* Ends PATH at the first object of the member that it leads to. */
static void cut_path(const struct reasons *r, struct hprof_path *path)
{
	size_t i = 0;

	while (i < path->count && !way_of(r, path->steps[i].held.object))
		i++;
	if (i >= path->count)
		return;
	if (path->left_out && i < path->gap)
		path->left_out = path->gap = 0;
	path->count = i + 1;
}

/* Keeps a reason if it has more members than others, most first. */
static void keep(struct hprof_leak *leak, const struct way **of,
		 const struct way *way, uint64_t members)
{
	size_t i = leak->reason_count;

	if (i == REASONS && leak->reasons[i - 1].members >= members)
		return;
	if (i == REASONS)
		i--;
	else
		leak->reason_count++;
	for (; i && leak->reasons[i - 1].members < members; i--) {
		leak->reasons[i] = leak->reasons[i - 1];
		of[i] = of[i - 1];
	}
	leak->reasons[i] = (struct hprof_leak_reason){ .members = members };
	of[i] = way;
}

/* ---- reasons ------------------------------------------------------------- */

static enum hprof_status describe(struct reasons *r, size_t count,
				  struct hprof_leak *leak,
				  struct hprof_error *error)
{
	const struct way *of[REASONS];

	leak->reasons =
		hp_arena_take(r->paths->arena, REASONS * sizeof *leak->reasons);
	if (!leak->reasons)
		return hp_no_memory(error);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (r->ways[end].shape != r->ways[i].shape)
				break;
		keep(leak, of, &r->ways[i], end - i);
	}
	for (size_t i = 0; i < leak->reason_count; i++) {
		struct hprof_leak_reason *reason = &leak->reasons[i];

		HP_TRY(make_path(r, of[i], &reason->path, error));
		cut_path(r, &reason->path);
		reason->owner_step = hp_leak_owner_step(
			&r->paths->look, &reason->path, reason->path.count - 1);
	}
	return HPROF_OK;
}

/* Leaves only members that were reached, those of one shape together. */
static size_t sort_ways(struct reasons *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->crowd->members; i++) {
		if (r->ways[i].object == HPROF_NO_OBJECT)
			continue;
		r->ways[count] = r->ways[i];
		find_shape(r, &r->ways[count++]);
	}
	if (count)
		qsort(r->ways, count, sizeof *r->ways, compare_ways);
	return count;
}

static enum hprof_status search(struct reasons *r, struct hprof_leak *leak,
				struct hprof_error *error)
{
	struct hp_bounded_bfs s = { .look = &r->paths->look,
				    .meets = meets,
				    .user = r,
				    .shunned = &r->paths->shunned,
				    .passing = r->paths->passing,
				    .all = true,
				    .limit = hp_bounded_bfs_most(
					    &r->paths->look) };
	enum hprof_status status;

	r->search = &s;
	if (hp_bounded_bfs_begin(&s) != HPROF_OK)
		return hp_no_memory(error);
	reach_roots(r);
	hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
	hp_bounded_bfs_add_classes(&s, is_apart, r);
	status = r->missing ? hp_bounded_bfs_run(&s, error) : HPROF_OK;
	if (status == HPROF_OK)
		status = describe(r, sort_ways(r), leak, error);
	hp_bounded_bfs_end(&s);
	return status;
}

enum hprof_status hp_leak_reasons_find(struct hp_root_paths *paths,
				       const struct hp_leak_crowd *crowd,
				       struct hprof_leak *leak,
				       struct hprof_error *error)
{
	struct reasons r = { .paths = paths, .crowd = crowd };
	enum hprof_status status = begin(&r) == HPROF_OK
					   ? search(&r, leak, error)
					   : hp_no_memory(error);

	if (r.members.slots)
		hp_u64_map_done(&r.members);
	hp_free(r.of_class);
	hp_free(r.ways);
	return status;
}
