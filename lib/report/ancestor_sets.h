/* SPDX-License-Identifier: MIT */
/*
 * ancestor_sets.h - the sets of kinds among the dominators of objects. There
 * are many objects, but mostly only some hundred different sets; each set is
 * stored once and has a number.
 *
 * All functions may be called from several threads, but for those that begin
 * and end it. Numbers differ from run to run.
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
	uint32_t label; /* of who uses it; equal sets of two labels are two */
	uint32_t count;
	const uint32_t *kinds; /* ascending */
	uint16_t next;	       /* with the same head */
};

struct hp_ancestor_sets {
	struct hp_ancestor_set *items; /* by number */
	size_t count, room;
	uint16_t heads[HP_ANCESTOR_SETS_HEADS];
	struct hp_u64_map steps; /* number and kind -> number */
	struct hp_arena arena;
	uint64_t elements; /* of all sets */
	pthread_mutex_t lock;
	bool no_memory, too_many;
};

/* Fails only with HPROF_E_NOMEM; ended in any case. */
enum hprof_status hp_ancestor_sets_begin(struct hp_ancestor_sets *all);
void hp_ancestor_sets_end(struct hp_ancestor_sets *all);

/* The empty set of LABEL. 0: no_memory or too_many is set. */
uint16_t hp_ancestor_sets_empty(struct hp_ancestor_sets *all, uint32_t label);

/* Set FROM and KIND; the same label. 0: as for the empty set. */
uint16_t hp_ancestor_sets_add(struct hp_ancestor_sets *all, uint16_t from,
			      uint32_t kind);

#endif
