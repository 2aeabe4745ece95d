/* SPDX-License-Identifier: MIT */
/*
 * bounded_bfs.h - a search along references, object by object, as long as that
 * is cheaper than keeping the references of all objects.
 *
 * It is breadth first, and visits each level by number: of several shortest
 * paths to an object it finds the one by the lowest numbers, as
 * hprof_shortest_paths_build does.
 *
 * Shunned references are put off until no others are left, or many objects have
 * been visited: so a path without them is found first, even if it is longer. Roots of
 * passing_roots.h come last of all.
 */
#ifndef HP_BOUNDED_BFS_H
#define HP_BOUNDED_BFS_H

#include "report/object_info.h"
#include "report/shunned_edges.h"

/*
 * Called when a reference of FROM that holds leads to OBJECT, and with HPROF_NO_OBJECT
 * when the search begins at OBJECT since that is in PASSING. The search continues beyond
 * OBJECT if this returns true.
 */
struct hp_bounded_bfs;
typedef bool hp_bounded_bfs_fn(struct hp_bounded_bfs *search, uint64_t object,
			       uint64_t from);

struct hp_numbers {
	uint32_t *items;
	size_t count, room;
};

struct hp_bounded_bfs {
	const struct hp_look *look;
	hp_bounded_bfs_fn *meets;
	void *user;
	uint64_t limit;				/* of objects to visit */
	const struct hp_shunned_edges *shunned; /* or NULL */
	const uint64_t *passing; /* bits: roots to begin at last; or NULL */
	/*
	 * How many objects are yet to be met, all of which are needed; or NULL. Then no
	 * level is begun of which LIMIT leaves most unvisited, or probably one of these.
	 */
	const size_t *missing;
	/*
	 * Also come to objects that nothing follows but what they dominate. The
	 * graph's kept references, which are much faster, lack these.
	 */
	bool all;
	bool once;    /* MEETS need not know who else refers to an object */
	bool inside;  /* visit only objects that have a dominator */
	bool enough;  /* set by MEETS: this level is the last */
	bool refused; /* a level of which LIMIT leaves most was not begun */
	/* Private members. */
	uint64_t *seen;	  /* bits */
	uint32_t *before; /* of those seen: number plus 1; 0: begun at */
	struct hp_mapped_tables tables;
	struct hp_mapped_table before_table;
	uint64_t seen_count;
	struct hp_numbers level, next;
	struct hp_put_off *put_off; /* shunned references */
	size_t put_off_count, put_off_room;
	uint64_t objects, edges;
	uint64_t except; /* the root that is not begun at */
	bool waits;	 /* those of PASSING have yet to be */
	bool no_memory;
};

/*
 * Begins a search with the members that are set. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_bounded_bfs_begin(struct hp_bounded_bfs *search);
void hp_bounded_bfs_end(struct hp_bounded_bfs *search);

/* A limit at which a search costs less than a graph with all references. */
uint64_t hp_bounded_bfs_most(const struct hp_look *look);

/*
 * Halves *LIMIT after a search that has not FOUND its target, so that several
 * such searches do not cost much more than one; also if it ended early as it was in
 * vain. If a level was refused, takes an eighth of what was visited off: others may well
 * find theirs within the limit.
 */
void hp_bounded_bfs_note(const struct hp_bounded_bfs *search, bool found,
			 uint64_t *limit);

/* Adds OBJECT to those where the search begins. */
void hp_bounded_bfs_add(struct hp_bounded_bfs *search, uint64_t object);

/*
 * Adds all roots except EXCEPT, which may be HPROF_NO_OBJECT; those of PASSING when there
 * is nothing else left, or half of the limit has been used up.
 */
void hp_bounded_bfs_add_roots(struct hp_bounded_bfs *search, uint64_t except);

/*
 * Adds the reachable class objects that IS_APART chooses: ROW is that of the
 * class, OBJECT its class object.
 */
typedef bool hp_class_choice_fn(void *user, size_t row, uint64_t object);
void hp_bounded_bfs_add_classes(struct hp_bounded_bfs *search,
				hp_class_choice_fn *is_apart, void *user);

/*
 * Searches until ENOUGH is set, a level is refused, or to the limit or the end. If ENOUGH
 * was set and hp_bounded_bfs_is_over is false, clear it and call again to go on with the
 * next level.
 */
enum hprof_status hp_bounded_bfs_run(struct hp_bounded_bfs *search,
				     struct hprof_error *error);

/* Whether the limit is reached, perhaps within a level. */
bool hp_bounded_bfs_is_over(const struct hp_bounded_bfs *search);

/* Whether the search has come to OBJECT. */
bool hp_bounded_bfs_has(const struct hp_bounded_bfs *search, uint64_t object);

/*
 * What refers to OBJECT on the way to it; HPROF_NO_OBJECT if the search began
 * there, or has not come to it.
 */
uint64_t hp_bounded_bfs_before(const struct hp_bounded_bfs *search,
			       uint64_t object);

#endif
