/* SPDX-License-Identifier: MIT */
/*
 * id_table.h - maps identifiers to pointers, for the strings, frames and
 * classes of a stream of records.
 */
#ifndef TOOLS_ID_TABLE_H
#define TOOLS_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct id_table {
	struct id_slot *slots;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

struct id_slot {
	uint64_t id;
	void *value; /* NULL: the slot is free */
};

void *id_table_get(const struct id_table *table, uint64_t id);

/* Returns the value that was replaced, or NULL. VALUE is not NULL. */
void *id_table_put(struct id_table *table, uint64_t id, void *value);

/* Frees the table. FREE_VALUE, which may be NULL, is called for each value. */
void id_table_done(struct id_table *table, void (*free_value)(void *value));

#endif
