/* SPDX-License-Identifier: MIT */
/*
 * string_map.c - see string_map.h. The keys of the table are hashes, seeded
 * with a random number of the process, so that no file can be made whose texts
 * collide.
 */
#include "base/string_map.h"

#include <string.h>

struct hp_string_pair {
	struct hp_string_pair *next; /* in order */
	size_t size, value_size;
	uint8_t bytes[]; /* key, then value */
};

static uint64_t hash(const struct hp_string_map *map, const uint8_t *p,
		     size_t size)
{
	uint64_t h = map->slots.multiplier;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3;
	return h;
}

static struct hp_string_pair *find(const struct hp_string_map *map,
				   const void *key, size_t size,
				   uint64_t *ret_slot)
{
	uint64_t slot = hash(map, key, size);

	for (;; slot++) {
		struct hp_string_pair *pair = hp_u64_map_get(&map->slots, slot);
		*ret_slot = slot;
		if (!pair ||
		    (pair->size == size && memcmp(pair->bytes, key, size) == 0))
			return pair;
	}
}

bool hp_string_map_get(const struct hp_string_map *map, const void *key,
		       size_t size, struct hprof_bytes *ret)
{
	uint64_t slot;
	struct hp_string_pair *pair =
		map->ready && size ? find(map, key, size, &slot) : NULL;

	if (!pair)
		return false;
	*ret = (struct hprof_bytes){ pair->bytes + size, pair->value_size };
	return true;
}

bool hp_string_map_put(struct hp_string_map *map, const void *key, size_t size,
		       const void *value, size_t value_size)
{
	struct hp_string_pair *pair;
	uint64_t slot;

	if (size == 0)
		return true; /* an empty key is not stored */
	if (!map->ready) {
		map->last = &map->first;
		map->ready = hp_u64_map_init(&map->slots, 2) == HPROF_OK;
	}
	if (!map->ready)
		return false;
	if (find(map, key, size, &slot))
		return true;
	pair = hp_arena_take(&map->arena, sizeof *pair + size + value_size);
	if (!pair || hp_u64_map_put(&map->slots, slot, pair) != HPROF_OK)
		return false;
	*pair = (struct hp_string_pair){ .size = size,
					 .value_size = value_size };
	memcpy(pair->bytes, key, size);
	if (value_size)
		memcpy(pair->bytes + size, value, value_size);
	*map->last = pair;
	map->last = &pair->next;
	return true;
}

void hp_string_map_each(const struct hp_string_map *map,
			void (*fn)(void *user, const uint8_t *key, size_t size,
				   const uint8_t *value, size_t value_size),
			void *user)
{
	for (const struct hp_string_pair *p = map->first; p; p = p->next)
		fn(user, p->bytes, p->size, p->bytes + p->size, p->value_size);
}

void hp_string_map_done(struct hp_string_map *map)
{
	if (map->ready)
		hp_u64_map_done(&map->slots);
	hp_arena_done(&map->arena);
	*map = (struct hp_string_map){ 0 };
}
