/* SPDX-License-Identifier: MIT */
/*
 * dominator_search.h - passes over all objects, in threads, that find those which
 * dominator_children.h makes lists of.
 */
#ifndef HP_DOMINATOR_SEARCH_H
#define HP_DOMINATOR_SEARCH_H

#include "leaks/dominator_children.h"

/* What was found, in ascending order. */
struct hp_found_objects {
	struct hp_found_stretch {
		uint32_t begin; /* where the search for ITEMS began */
		uint32_t *items;
		size_t count;
	} *each;
	size_t count;
	bool good; /* false: no memory, and nothing was found */
};

void hp_found_objects_drop(struct hp_found_objects *found);

/* The reachable objects that retain from LEAST up to MOST bytes. */
struct hp_found_objects
hp_dominator_search_large(const struct hp_dominator_children *children,
			  uint64_t least, uint64_t most);

/* Those that one of children->parents dominates. */
struct hp_found_objects
hp_dominator_search_kids(const struct hp_dominator_children *children);

#endif
