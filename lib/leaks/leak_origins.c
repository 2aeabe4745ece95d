/* SPDX-License-Identifier: MIT */
/*
 * leak_origins.c - see leak_origins.h.
 *
 * Paths form a tree: where those of two members meet, the rest is common to
 * both. So the path of one member is compared with those of all others; if that
 * member has another origin than most, another one is tried.
 */
#include "leaks/leak_origins.h"

#include "base/error.h"
#include "base/u64_map.h"
#include "base/mem.h"
#include "graph/kept_references.h"
#include "report/held_references.h"

enum {
	SAMPLES = 1000,	    /* members to look at */
	PIVOTS = 3,	    /* members whose paths are compared with others */
	PATH_MOST = 1 << 16 /* steps to follow on a path */
};

enum hprof_status hp_members_take(const struct hp_leak_search *search,
				  const struct hp_suspect *group,
				  struct hp_members *members)
{
	uint64_t every = group->members / SAMPLES + 1, seen = 0;
	const uint32_t *end;
	const uint32_t *child =
		hp_leak_search_children(search, group->dominator, &end);

	*members = (struct hp_members){ .dominator = group->dominator };
	members->nodes = hp_calloc(SAMPLES + 1, sizeof *members->nodes);
	if (!members->nodes)
		return HPROF_E_NOMEM;
	for (; child < end; child++)
		if (search->key[hp_graph_kind(search->graph, *child)] ==
			    group->key &&
		    seen++ % every == 0 && members->count < SAMPLES)
			members->nodes[members->count++] = *child;
	return HPROF_OK;
}

/* The number of members that makes an object the origin of all. */
static size_t needed(const struct hp_members *members)
{
	return (members->count * HP_LEAK_ORIGIN_PERCENT + 99) / 100;
}

/* ---- by paths ------------------------------------------------------------ */

/* The object before OBJECT on its path; HPROF_NO_OBJECT if it is the first. */
typedef uint64_t before_fn(const void *paths, uint64_t object);

/*
 * The path of one member, first object last, and how many paths join it where.
 */
struct pivot {
	before_fn *before;
	const void *paths;
	uint64_t *path;
	uint64_t *joined;
	size_t count;
	struct hp_u64_map at; /* object + 1 -> its place in joined */
};

static void join(const struct pivot *pivot, uint64_t object)
{
	size_t steps = 0;

	while (object != HPROF_NO_OBJECT && steps++ < PATH_MOST) {
		uint64_t *joined = hp_u64_map_get(&pivot->at, object + 1);

		if (joined) {
			++*joined;
			return;
		}
		object = pivot->before(pivot->paths, object);
	}
}

static enum hprof_status begin_pivot(struct pivot *pivot, uint64_t object)
{
	pivot->count = 0;
	hp_u64_map_done(&pivot->at);
	HP_TRY(hp_u64_map_init(&pivot->at, 2));
	while (object != HPROF_NO_OBJECT && pivot->count < PATH_MOST) {
		size_t i = pivot->count++;

		pivot->joined[i] = 0;
		pivot->path[i] = object;
		HP_TRY(hp_u64_map_put(&pivot->at, object + 1,
				      &pivot->joined[i]));
		object = pivot->before(pivot->paths, object);
	}
	return HPROF_OK;
}

/* Finds the origin on the path of member FIRST. */
static enum hprof_status origin_by(struct pivot *pivot,
				   const struct hp_members *members,
				   size_t first, uint64_t *ret)
{
	uint64_t sum = 0;

	HP_TRY(begin_pivot(pivot, members->nodes[first]));
	for (size_t i = 0; i < members->count; i++)
		join(pivot, members->nodes[i]);
	for (size_t i = 0; i < pivot->count; i++) {
		sum += pivot->joined[i];
		if (sum < needed(members) || i == 0)
			continue;
		*ret = pivot->path[i];
		break;
	}
	return HPROF_OK;
}

static enum hprof_status find(before_fn *before, const void *paths,
			      const struct hp_members *members, uint64_t *ret,
			      struct hprof_error *error)
{
	struct pivot pivot = { .before = before,
			       .paths = paths,
			       .path = hp_calloc(PATH_MOST,
						 sizeof *pivot.path) };
	bool good;

	pivot.joined = hp_calloc(PATH_MOST, sizeof *pivot.joined);
	good = pivot.path && pivot.joined;
	*ret = HPROF_NO_OBJECT;
	for (size_t i = 0; good && i < PIVOTS && *ret == HPROF_NO_OBJECT; i++)
		if (i < members->count)
			good = origin_by(&pivot, members,
					 members->count * i / PIVOTS,
					 ret) == HPROF_OK;
	hp_u64_map_done(&pivot.at);
	hp_free(pivot.path);
	hp_free(pivot.joined);
	return good ? HPROF_OK : hp_no_memory(error);
}

static uint64_t before_by_paths(const void *paths, uint64_t object)
{
	return hprof_shortest_paths_parent(paths, object);
}

enum hprof_status
hp_leak_origin_by_paths(const struct hprof_shortest_paths *shortest,
			const struct hp_members *members, uint64_t *ret,
			struct hprof_error *error)
{
	return find(before_by_paths, shortest, members, ret, error);
}

/* ---- without a search ---------------------------------------------------- */

/*
 * Counts the members that are roots, and those to which their dominator refers
 * directly.
 */
static enum hprof_status count_near(const struct hp_look *look,
				    const struct hp_members *members,
				    size_t *ret_roots, size_t *ret_direct,
				    struct hprof_error *error)
{
	*ret_roots = *ret_direct = 0;
	for (size_t i = 0; i < members->count; i++)
		*ret_roots +=
			hprof_graph_is_root(look->graph, members->nodes[i]);
	if (members->dominator == HP_NO_NODE)
		return HPROF_OK;
	return hp_look_count_held(look, members->dominator, members->nodes,
				  members->count, ret_direct, error);
}

/*
 * Roots have no origin; and if the dominator refers to an object directly,
 * nothing is in between.
 */
static enum hprof_status guess(const struct hp_look *look,
			       const struct hp_members *members,
			       uint64_t *ret_origin, bool *ret_known,
			       struct hprof_error *error)
{
	size_t roots, direct;

	HP_TRY(count_near(look, members, &roots, &direct, error));
	*ret_origin = HPROF_NO_OBJECT;
	*ret_known = members->count - roots < needed(members);
	if (members->dominator != HP_NO_NODE && direct >= needed(members)) {
		*ret_origin = members->dominator;
		*ret_known = true;
	}
	return HPROF_OK;
}

/* ---- by a bounded search ------------------------------------------------- */

static bool meets(struct hp_bounded_bfs *search, uint64_t object, uint64_t from)
{
	struct hp_missing *missing = search->user;

	(void)from;
	if (hp_bit(missing->bits, object)) {
		hp_bit_clear(missing->bits, object);
		search->enough = --missing->count == 0;
	}
	return true;
}

/*
 * Whether the member NODE needs no search: it has been met, or the search began there, or
 * it is left out: what refers to those is known.
 */
static bool is_found(const struct hp_origin_search *s, uint32_t node)
{
	return hp_bounded_bfs_has(&s->bfs, node) ||
	       hp_graph_leaves_out(s->bfs.look->graph, node);
}

static enum hprof_status mark_members(struct hp_origin_search *s,
				      const struct hp_members *members)
{
	struct hp_missing *missing = &s->missing;
	uint64_t count = s->bfs.look->graph->edges.count;

	missing->count = 0;
	missing->bits = hp_calloc(hp_bit_words(count), sizeof(uint64_t));
	if (!missing->bits)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < members->count; i++) {
		if (is_found(s, members->nodes[i]))
			continue;
		hp_bit_set(missing->bits, members->nodes[i]);
		missing->count++;
	}
	s->bfs.enough = missing->count == 0;
	return HPROF_OK;
}

static uint64_t before_in_search(const void *search, uint64_t object)
{
	return hp_bounded_bfs_before(search, object);
}

void hp_origin_search_end(struct hp_origin_search *s)
{
	hp_bounded_bfs_end(&s->bfs);
	hp_free(s->missing.bits);
	*s = (struct hp_origin_search){ .goes_on = false };
}

/*
 * Begins at the roots, or at the dominator of all members, through which all
 * their paths lead. Only if all members are found is that of use, and the
 * smaller part of a level, which can be a million objects, seldom has the last.
 *
 * It goes as far as any, though in kept references all shortest paths are soon found, too:
 * those, which come next, also begin at class objects, and can lead to other origins.
 */
static enum hprof_status begin_search(struct hp_origin_search *s,
				      const struct hp_root_paths *paths,
				      uint32_t dominator)
{
	hp_origin_search_end(s);
	s->dominator = dominator;
	s->bfs = (struct hp_bounded_bfs){ .look = &paths->look,
					  .meets = meets,
					  .user = &s->missing,
					  .passing = paths->passing,
					  .limit = paths->search_most,
					  .once = true,
					  .inside = dominator != HP_NO_NODE,
					  .missing = &s->missing.count };
	HP_TRY(hp_bounded_bfs_begin(&s->bfs));
	if (dominator == HP_NO_NODE)
		hp_bounded_bfs_add_roots(&s->bfs, HPROF_NO_OBJECT);
	else
		hp_bounded_bfs_add(&s->bfs, dominator);
	return HPROF_OK;
}

static enum hprof_status search_near(struct hp_root_paths *paths,
				     struct hp_origin_search *s,
				     const struct hp_members *members,
				     uint64_t *ret_origin, bool *ret_known,
				     struct hprof_error *error)
{
	enum hprof_status status;

	if (!s->goes_on || s->dominator != members->dominator ||
	    s->bfs.limit != paths->search_most)
		if (begin_search(s, paths, members->dominator) != HPROF_OK)
			return hp_no_memory(error);
	hp_free(s->missing.bits);
	if (mark_members(s, members) != HPROF_OK)
		return hp_no_memory(error);
	status = hp_bounded_bfs_run(&s->bfs, error);
	*ret_known = s->missing.count == 0;
	hp_bounded_bfs_note(&s->bfs, *ret_known, &paths->search_most);
	if (status == HPROF_OK && *ret_known)
		status = find(before_in_search, &s->bfs, members, ret_origin,
			      error);
	s->goes_on = *ret_known && !hp_bounded_bfs_is_over(&s->bfs);
	return status;
}

enum hprof_status hp_leak_origin_near(struct hp_root_paths *paths,
				      struct hp_origin_search *last,
				      const struct hp_members *members,
				      uint64_t *ret_origin, bool *ret_known,
				      struct hprof_error *error)
{
	HP_TRY(guess(&paths->look, members, ret_origin, ret_known, error));
	if (*ret_known)
		return HPROF_OK;
	return search_near(paths, last, members, ret_origin, ret_known, error);
}
