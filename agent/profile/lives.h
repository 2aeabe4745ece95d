/* SPDX-License-Identifier: MIT */
/*
 * lives.h - objects from allocation to release: each has an id, its tag, and a
 * record here with its site and the number of collections before its birth. Of
 * those that have ended, sites know how many collections they lived through.
 *
 * Threads: any function by any thread at any time; ag_lives_collection and
 * ag_lives_end also in callbacks of collections, since they wait for nothing that
 * a collection stops.
 */
#ifndef AG_LIVES_H
#define AG_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_lives;

/*
 * Ages are collections lived through, in classes: [0] none, [i] 2^(i-1) to
 * 2^i - 1, the last all above.
 */
enum { AG_AGES = 17 };

struct ag_life {
	uint32_t site, age;
	uint64_t size;	/* bytes */
	uint64_t parts; /* objects that it stands for, times AG_OBJECT_PARTS */
};

/* Of one site; numbers of objects are parts. */
struct ag_life_sum {
	uint64_t ages[AG_AGES]; /* those that ended, and those that live */
	uint64_t live, live_bytes;
	uint64_t late; /* that ended after one collection or more */
};

struct ag_lives *ag_lives_new(void);	    /* NULL without memory */
void ag_lives_free(struct ag_lives *lives); /* NULL is fine */

/* A collection begins. */
void ag_lives_collection(struct ag_lives *lives);

/* Collections so far. */
uint32_t ag_lives_collections(const struct ag_lives *lives);

/*
 * An object was allocated; SITE is above 0. Its id, which no other object ever
 * has, from 1; 0 without memory.
 */
uint64_t ag_lives_add(struct ag_lives *lives, uint32_t site, uint64_t size,
		      uint64_t parts);

/*
 * The collection that began last took the object. False if there is none with
 * this id.
 */
bool ag_lives_end(struct ag_lives *lives, uint64_t id, struct ag_life *ret);

/* Objects in parts: that live, and that ever did. */
struct ag_life_count {
	uint64_t live, made;
};
struct ag_life_count ag_lives_count(struct ag_lives *lives);

/* For the next sum: the object can be reached. Also in heap callbacks. */
void ag_lives_reach(struct ag_lives *lives, uint64_t id);

/*
 * The sums by site number - 1. With REACHED, only those objects count as live.
 * Freed by hp_free; NULL without memory.
 */
struct ag_life_sum *ag_lives_sum(struct ag_lives *lives, size_t sites,
				 bool reached);

/* Forgets the ages of what has ended so far; what lives is as before. */
void ag_lives_clear(struct ag_lives *lives);

#endif
