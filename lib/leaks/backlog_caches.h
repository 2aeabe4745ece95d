/* SPDX-License-Identifier: MIT */
/*
 * backlog_caches.h - which object has most of what soft references keep: a map of them,
 * if they are in one, else a reference.
 */
#ifndef HP_BACKLOG_CACHES_H
#define HP_BACKLOG_CACHES_H

#include "leaks/backlog_work.h"

struct hp_backlog_caches {
	const struct hp_look *look;
	uint8_t *sort; /* of each class; see the source */
	struct hp_u64_map
		numbers; /* object + 1 -> its place in ITEMS, plus 1 */
	struct hp_backlog_cache {
		uint64_t object, bytes;
		uint32_t holder; /* the key of the class that holds it */
	} *items;
	size_t count, room;
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. LOOK stays the caller's. */
enum hprof_status hp_backlog_caches_init(struct hp_backlog_caches *caches,
					 const struct hp_look *look);
void hp_backlog_caches_done(struct hp_backlog_caches *caches);

/*
 * The number of the cache that REFERENCE is in, which the class with key HOLDER holds;
 * HP_NO_NUMBER: there are too many. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_backlog_caches_find(struct hp_backlog_caches *caches,
					 uint32_t reference, uint32_t holder,
					 size_t *ret_number);

/* Of those of HOLDER the one with most bytes; HPROF_NO_OBJECT if it has none. */
uint64_t hp_backlog_caches_largest(const struct hp_backlog_caches *caches,
				   uint32_t holder);

#endif
