/* SPDX-License-Identifier: MIT */
/*
 * string_map.h - a map from texts to texts that keeps the order of insertion.
 */
#ifndef HP_STRING_MAP_H
#define HP_STRING_MAP_H

#include <stdbool.h>

#include "base/arena.h"
#include "hprof/record.h"
#include "base/u64_map.h"

struct hp_string_map { /* all zero: empty */
	struct hp_arena arena;
	struct hp_u64_map slots; /* hash of the key, or the next free one */
	struct hp_string_pair *first, **last;
	bool ready;
};

bool hp_string_map_get(const struct hp_string_map *map, const void *key,
		       size_t size, struct hprof_bytes *ret_value);
/* Copies KEY, which must be new, and VALUE. False if out of memory. */
bool hp_string_map_put(struct hp_string_map *map, const void *key, size_t size,
		       const void *value, size_t value_size);
void hp_string_map_each(const struct hp_string_map *map,
			void (*fn)(void *user, const uint8_t *key, size_t size,
				   const uint8_t *value, size_t value_size),
			void *user);
void hp_string_map_done(struct hp_string_map *map);

#endif
