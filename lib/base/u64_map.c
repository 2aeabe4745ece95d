/* SPDX-License-Identifier: MIT */
/*
 * u64_map.c - see u64_map.h.
 */
#include "base/u64_map.h"

#include <sys/random.h>

#include "base/mem.h"

/* Once a map exceeds the CPU's caches, a lower load factor gains nothing. */
enum { FIRST_BITS = 8, LARGE = 1 << 15 };

static void place(struct hp_u64_map *map, uint64_t key, void *value)
{
	size_t i = (size_t)((key * map->multiplier) >> map->shift);

	while (map->slots[i].value && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	map->slots[i].key = key;
	map->slots[i].value = value;
}

static enum hprof_status resize(struct hp_u64_map *map, unsigned bits)
{
	struct hp_u64_map_slot *old = map->slots;
	size_t old_size = old ? map->mask + 1 : 0;
	size_t size = (size_t)1 << bits;
	struct hp_u64_map_slot *slots = hp_calloc(size, sizeof *slots);

	if (!slots)
		return HPROF_E_NOMEM;
	map->slots = slots;
	map->mask = size - 1;
	map->shift = 64 - bits;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].value)
			place(map, old[i].key, old[i].value);
	hp_free(old);
	return HPROF_OK;
}

enum hprof_status hp_u64_map_init(struct hp_u64_map *map, unsigned quarters)
{
	*map = (struct hp_u64_map){ .quarters = quarters };
	if (getrandom(&map->multiplier, sizeof map->multiplier,
		      GRND_NONBLOCK) != sizeof map->multiplier)
		map->multiplier = 0x9e3779b97f4a7c15;
	map->multiplier |= 1;
	return resize(map, FIRST_BITS);
}

void hp_u64_map_done(struct hp_u64_map *map)
{
	hp_free(map->slots);
	map->slots = NULL;
	map->count = 0;
}

enum hprof_status hp_u64_map_put(struct hp_u64_map *map, uint64_t key,
				 void *value)
{
	if (!hp_u64_map_get(map, key)) {
		unsigned quarters = map->count < LARGE ? map->quarters : 3;
		if (4 * (map->count + 1) > quarters * (map->mask + 1) &&
		    resize(map, 64 - map->shift + 1) != HPROF_OK)
			return HPROF_E_NOMEM;
		map->count++;
	}
	place(map, key, value);
	return HPROF_OK;
}
