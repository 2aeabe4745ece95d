/* SPDX-License-Identifier: MIT */
/*
 * bounded_bfs.h - a search along references, object by object, for as long as
 * that is cheaper than to keep the references of all objects.
 *
 * Breadth first, each level by number: of several shortest paths to an object
 * that by the lowest numbers counts, as with hprof_shortest_paths_build.
 */
#ifndef HP_BOUNDED_BFS_H
#define HP_BOUNDED_BFS_H

#include "report/object_info.h"
#include "base/u64_map.h"

/* An object that a search has come to, and from where. */
struct hp_step {
	uint64_t object;
	const struct hp_step *before; /* NULL: it is where the search began */
};

struct hp_steps {
	struct hp_step **items;
	size_t count, room;
};

/*
 * FROM refers to OBJECT, in a way that holds. The search goes on behind OBJECT
 * if the answer is true.
 */
struct hp_bounded_bfs;
typedef bool hp_bounded_bfs_fn(struct hp_bounded_bfs *search, uint64_t object,
			       const struct hp_step *from);

struct hp_bounded_bfs {
	const struct hp_look *look;
	hp_bounded_bfs_fn *meets;
	void *user;
	uint64_t limit; /* of objects that are looked at */
	bool inside;	/* only what some object dominates matters */
	bool enough;	/* set by MEETS: this level is the last */
	/* Its own. */
	struct hp_u64_map seen; /* object + 1 -> struct hp_step */
	struct hp_arena arena;
	struct hp_steps level, next;
	uint64_t objects, edges;
	bool no_memory;
};

/* Of LOOK, MEETS, USER, LIMIT, INSIDE a search. Fails only with
 * HPROF_E_NOMEM. */
enum hprof_status hp_bounded_bfs_begin(struct hp_bounded_bfs *search);
void hp_bounded_bfs_end(struct hp_bounded_bfs *search);

/* A limit up to which a search costs less than a graph with all references. */
uint64_t hp_bounded_bfs_most(const struct hp_look *look);

/*
 * A search has come to *LIMIT in vain if it has not FOUND what it was for:
 * halves it, so that several of them do not cost much more than one.
 */
void hp_bounded_bfs_note(bool found, uint64_t *limit);

/* OBJECT is where the search begins, or one of several. */
void hp_bounded_bfs_add(struct hp_bounded_bfs *search, uint64_t object);

/* The roots are, but for EXCEPT (HPROF_NO_OBJECT: all of them). */
void hp_bounded_bfs_add_roots(struct hp_bounded_bfs *search, uint64_t except);

/* Searches until it has enough, or comes to its limit or end. */
enum hprof_status hp_bounded_bfs_run(struct hp_bounded_bfs *search,
				     struct hprof_error *error);

/* NULL: the search has not come to OBJECT. */
static inline const struct hp_step *
hp_bounded_bfs_get(const struct hp_bounded_bfs *search, uint64_t object)
{
	return hp_u64_map_get(&search->seen, object + 1);
}

#endif
