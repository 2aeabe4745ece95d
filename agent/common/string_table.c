/* SPDX-License-Identifier: MIT */
/*
 * string_table.c - texts in an arena, found by an open hash table.
 *
 * Ids ascend by 1 in the order in which texts are added, so that writing the
 * table is a walk over one array.
 */
#include "agent/common/string_table.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

struct name {
	const char *text;
	uint32_t size;
	uint32_t hash;
};

struct ag_names {
	struct hp_arena arena;
	uint64_t before;  /* the id before the first */
	struct name *all; /* by number */
	size_t count, room;
	uint32_t *slots;   /* numbers + 1; 0: free */
	size_t slot_count; /* a power of two */
	size_t written;
	bool failed;
};

enum { FIRST_SLOTS = 4096 };

struct ag_names *ag_names_new(uint64_t before)
{
	struct ag_names *names = hp_calloc(1, sizeof *names);

	if (!names)
		return NULL;
	names->before = before;
	names->slot_count = FIRST_SLOTS;
	names->slots = hp_calloc(FIRST_SLOTS, sizeof *names->slots);
	if (!names->slots) {
		hp_free(names);
		return NULL;
	}
	return names;
}

void ag_names_free(struct ag_names *names)
{
	if (!names)
		return;
	hp_arena_done(&names->arena);
	hp_free(names->all);
	hp_free(names->slots);
	hp_free(names);
}

uint64_t ag_name_class(struct ag_names *names, const char *signature)
{
	size_t size = strlen(signature);

	if (signature[0] == 'L' && size > 2)
		return ag_name_sized(names, signature + 1, size - 2);
	return ag_name_sized(names, signature, size);
}

bool ag_names_failed(const struct ag_names *names)
{
	return names->failed;
}

static uint32_t hash_of(const char *text, size_t size)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t *find(const struct ag_names *names, const char *text,
		      size_t size, uint32_t hash)
{
	size_t i = hash & (names->slot_count - 1);

	while (names->slots[i]) {
		const struct name *n = &names->all[names->slots[i] - 1];

		if (n->hash == hash && n->size == size &&
		    memcmp(n->text, text, size) == 0)
			break;
		i = (i + 1) & (names->slot_count - 1);
	}
	return &names->slots[i];
}

static int grow_slots(struct ag_names *names)
{
	size_t count = names->slot_count * 2;
	uint32_t *slots = hp_calloc(count, sizeof *slots);

	if (!slots)
		return -1;
	for (size_t number = 0; number < names->count; number++) {
		size_t i = names->all[number].hash & (count - 1);

		while (slots[i])
			i = (i + 1) & (count - 1);
		slots[i] = (uint32_t)number + 1;
	}
	hp_free(names->slots);
	names->slots = slots;
	names->slot_count = count;
	return 0;
}

static uint64_t add(struct ag_names *names, const char *text, size_t size,
		    uint32_t hash)
{
	if (names->before + names->count >= UINT32_MAX - 1 ||
	    size > UINT32_MAX / 2 ||
	    hp_grow((void **)&names->all, &names->room, names->count,
		    sizeof *names->all) != 0 ||
	    (2 * names->count >= names->slot_count && grow_slots(names) != 0))
		return 0;
	char *copy = hp_arena_text(&names->arena, text, size);
	if (!copy)
		return 0;
	uint32_t *slot = find(names, text, size, hash);
	names->all[names->count] = (struct name){ copy, (uint32_t)size, hash };
	*slot = (uint32_t)++names->count;
	return names->before + *slot;
}

uint64_t ag_names_last(const struct ag_names *names)
{
	return names->before + names->count;
}

size_t ag_names_room(const struct ag_names *names)
{
	return names->room * sizeof *names->all +
	       names->slot_count * sizeof *names->slots;
}

uint64_t ag_name_sized(struct ag_names *names, const char *text, size_t size)
{
	if (!text || size == 0)
		return 0;
	uint32_t hash = hash_of(text, size);
	uint32_t *slot = find(names, text, size, hash);
	if (*slot)
		return names->before + *slot;
	uint64_t id = add(names, text, size, hash);
	if (id == 0)
		names->failed = true;
	return id;
}

uint64_t ag_name(struct ag_names *names, const char *text)
{
	return text ? ag_name_sized(names, text, strlen(text)) : 0;
}

enum hprof_status ag_names_write(struct ag_names *names,
				 struct hprof_writer *writer)
{
	while (names->written < names->count) {
		const struct name *n = &names->all[names->written];
		struct hprof_record r = { .tag = HPROF_UTF8 };

		r.u.utf8.string_id = names->before + names->written + 1;
		r.u.utf8.text.data = (const uint8_t *)n->text;
		r.u.utf8.text.size = n->size;
		enum hprof_status status = hprof_writer_put(writer, &r);
		if (status != HPROF_OK)
			return status;
		names->written++;
	}
	return HPROF_OK;
}
