/* SPDX-License-Identifier: MIT */
/*
 * ancestor_sets.h - the sets of kinds among the dominators of objects. There
 * are many objects, but mostly only some hundred different sets; each set is
 * stored once and has a number.
 *
 * Where the order matters, sets are paths instead: those that were made by adding
 * kinds in another order differ. Of a path, the kinds are not sorted, and one may
 * come twice, but not twice in a row.
 *
 * All functions except those that begin and end it may be called from several
 * threads. Numbers differ from run to run.
 */
#ifndef HP_ANCESTOR_SETS_H
#define HP_ANCESTOR_SETS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/u64_map.h"

enum {
	HP_ANCESTOR_SETS_MOST = 0x7fff, /* numbers are from 1 to this */
	HP_ANCESTOR_SETS_HEADS = 1 << 12
};

struct hp_ancestor_set {
	uint32_t label; /* of its user; sets of different labels differ */
	uint32_t count;
	const uint32_t *kinds; /* ascending; of a path, in its order */
	uint16_t next;	       /* with the same head */
	uint16_t from;	       /* the path that it extends, by one kind */
};

struct hp_ancestor_sets {
	struct hp_ancestor_set *items; /* by number */
	size_t count, room;
	uint16_t heads[HP_ANCESTOR_SETS_HEADS];
	struct hp_u64_map steps; /* number and kind -> number */
	struct hp_arena arena;
	uint64_t elements; /* of all sets */
	bool paths;
	pthread_mutex_t lock;
	bool no_memory, too_many;
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_ancestor_sets_begin(struct hp_ancestor_sets *all,
					 bool paths);
void hp_ancestor_sets_end(struct hp_ancestor_sets *all);

/* The number of LABEL's empty set; 0 if no_memory or too_many was set. */
uint16_t hp_ancestor_sets_empty(struct hp_ancestor_sets *all, uint32_t label);

/* The number of set FROM plus KIND, with FROM's label; 0 as above. */
uint16_t hp_ancestor_sets_add(struct hp_ancestor_sets *all, uint16_t from,
			      uint32_t kind);

#endif
