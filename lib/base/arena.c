/* SPDX-License-Identifier: MIT */
/*
 * arena.c - see arena.h.
 */
#include "base/arena.h"

#include <string.h>

#include "base/mem.h"

enum { PART = 64 << 10 };

struct hp_arena_part {
	struct hp_arena_part *next;
	size_t used, room;
	_Alignas(8) uint8_t bytes[];
};

/* A large item gets a part of its own, linked behind the one being filled. */
static struct hp_arena_part *add_part(struct hp_arena *arena, size_t size)
{
	size_t room = size > PART / 4 ? size : PART;
	struct hp_arena_part *part;

	if (room > SIZE_MAX - sizeof *part)
		return NULL;
	part = hp_alloc(sizeof *part + room);
	if (!part)
		return NULL;
	part->used = 0;
	part->room = room;
	if (arena->parts && room == size) {
		part->next = arena->parts->next;
		arena->parts->next = part;
	} else {
		part->next = arena->parts;
		arena->parts = part;
	}
	return part;
}

void *hp_arena_take(struct hp_arena *arena, size_t size)
{
	struct hp_arena_part *part = arena->parts;

	if (size > SIZE_MAX - 8)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	if (!part || part->room - part->used < size)
		part = add_part(arena, size);
	if (!part)
		return NULL;
	void *memory = part->bytes + part->used;
	part->used += size;
	arena->taken += size;
	return memory;
}

char *hp_arena_text(struct hp_arena *arena, const char *text, size_t size)
{
	char *copy = size < SIZE_MAX ? hp_arena_take(arena, size + 1) : NULL;

	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

void hp_arena_done(struct hp_arena *arena)
{
	while (arena->parts) {
		struct hp_arena_part *next = arena->parts->next;
		hp_free(arena->parts);
		arena->parts = next;
	}
	arena->taken = 0;
}
