/* SPDX-License-Identifier: MIT */
/*
 * id_table.c - see id_table.h. Open addressing, at most half full. Identifiers
 * come from a file, so they are mixed with a secret of the process: nobody can
 * make them collide on purpose.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/export/id_table.h"

static uint64_t secret(void)
{
	static uint64_t value;

	if (!value) {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		value = ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)now.tv_sec ^
			((uint64_t)getpid() << 16) ^ (uintptr_t)&now;
		value |= 1;
	}
	return value;
}

static uint64_t mix(uint64_t id)
{
	id = (id ^ secret()) * 0x9E3779B97F4A7C15u;
	id = (id ^ id >> 32) * 0xD6E8FEB86659FD93u;
	return id ^ id >> 29;
}

/* The slot of ID, or the free one for it. */
static struct id_slot *find(const struct id_table *table, uint64_t id)
{
	size_t at = (size_t)mix(id) & (table->room - 1);

	while (table->slots[at].value && table->slots[at].id != id)
		at = (at + 1) & (table->room - 1);
	return &table->slots[at];
}

void *id_table_get(const struct id_table *table, uint64_t id)
{
	return table->room ? find(table, id)->value : NULL;
}

static void grow(struct id_table *table)
{
	struct id_table larger = { .room = table->room ? 2 * table->room : 1024,
				   .count = table->count };

	larger.slots = cli_calloc(larger.room, sizeof(*larger.slots));
	for (size_t i = 0; i < table->room; i++)
		if (table->slots[i].value)
			*find(&larger, table->slots[i].id) = table->slots[i];
	free(table->slots);
	*table = larger;
}

void *id_table_put(struct id_table *table, uint64_t id, void *value)
{
	struct id_slot *slot;
	void *old;

	if (2 * table->count >= table->room)
		grow(table);
	slot = find(table, id);
	old = slot->value;
	slot->id = id;
	slot->value = value;
	table->count += old == NULL;
	return old;
}

void id_table_done(struct id_table *table, void (*free_value)(void *value))
{
	for (size_t i = 0; free_value && i < table->room; i++)
		if (table->slots[i].value)
			free_value(table->slots[i].value);
	free(table->slots);
}
