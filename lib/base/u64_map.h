/* SPDX-License-Identifier: MIT */
/*
 * u64_map.h - a hash map from ids (or serials) to pointers.
 *
 * Open addressing in 16-byte slots: at most a quarter full for maps whose
 * look-ups dominate a pass over a dump, three quarters for others. The
 * multiplier is odd and random for each process, which makes multiply-shift
 * hashing universal, so no file can be made whose ids collide. Nothing depends
 * on the order of the slots.
 */
#ifndef HP_U64_MAP_H
#define HP_U64_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

struct hp_u64_map {
	struct hp_u64_map_slot {
		uint64_t key;
		void *value; /* NULL: empty */
	} *slots;
	uint64_t multiplier;
	unsigned shift;
	size_t mask;
	size_t count;
	unsigned quarters; /* maximum load, in quarters */
};

/* Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_u64_map_init(struct hp_u64_map *map, unsigned quarters);
void hp_u64_map_done(struct hp_u64_map *map);

static inline void *hp_u64_map_get(const struct hp_u64_map *map, uint64_t key)
{
	size_t i = (size_t)((key * map->multiplier) >> map->shift);

	for (;; i = (i + 1) & map->mask) {
		const struct hp_u64_map_slot *slot = &map->slots[i];
		if (slot->key == key || !slot->value)
			return slot->value;
	}
}

/*
 * Adds KEY or replaces its value (not NULL). Fails only with
 * HPROF_E_NOMEM, and then changes nothing.
 */
enum hprof_status hp_u64_map_put(struct hp_u64_map *map, uint64_t key,
				 void *value);

/* Numbers instead of pointers, any but SIZE_MAX, which is none. */
#define HP_NO_NUMBER SIZE_MAX

static inline size_t hp_u64_map_number(const struct hp_u64_map *map,
				       uint64_t key)
{
	return (size_t)(uintptr_t)hp_u64_map_get(map, key) - 1;
}

static inline enum hprof_status
hp_u64_map_put_number(struct hp_u64_map *map, uint64_t key, size_t number)
{
	return hp_u64_map_put(map, key, (void *)(uintptr_t)(number + 1));
}

#endif
