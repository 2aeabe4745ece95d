/* SPDX-License-Identifier: MIT */
/*
 * string_table.h - the strings of a dump by their ids, as bytes.
 *
 * If several texts have one id, the first one is kept. Users of this table may
 * keep more for each string: then struct hp_string is the first member of their
 * own struct.
 */
#ifndef HP_STRING_TABLE_H
#define HP_STRING_TABLE_H

#include <string.h>

#include "base/arena.h"
#include "base/u64_map.h"
#include "hprof/reader.h"

struct hp_string {
	const uint8_t *bytes; /* as in the dump; NULL: only the id is known */
	uint32_t size;
};

struct hp_string_table {
	struct hp_arena arena;
	struct hp_u64_map by_id;
	size_t item_size;
	uint32_t most; /* bytes that are kept of a string */
};

/*
 * ITEM_SIZE: size of the struct that begins with struct hp_string. Fails only
 * with HPROF_E_NOMEM. A failed or zeroed one may be freed.
 */
enum hprof_status hp_string_table_init(struct hp_string_table *t,
				       size_t item_size, uint32_t most);
void hp_string_table_done(struct hp_string_table *t);

/* The string with ID; NULL if no record has named it yet. */
static inline void *hp_string_table_get(const struct hp_string_table *t,
					uint64_t id)
{
	return hp_u64_map_get(&t->by_id, id);
}

/* The same, but creates it if necessary, zeroed; NULL without memory. */
void *hp_string_table_add(struct hp_string_table *t, uint64_t id);

/*
 * The text that a reference to ID means; NULL if the dump has none. Id 0 in a
 * reference is no string, even if a record defines it (Q33).
 */
static inline const struct hp_string *
hp_string_table_find(const struct hp_string_table *t, uint64_t id)
{
	const struct hp_string *string = id ? hp_string_table_get(t, id) : NULL;

	return string && string->bytes ? string : NULL;
}

enum hp_string_taken {
	HP_STRING_NEW,
	HP_STRING_SAME,	  /* it has this text already */
	HP_STRING_CLASH,  /* it has another text, which is kept */
	HP_STRING_UNREAD, /* too long to be loaded, and there is no READER */
	HP_STRING_NO_MEMORY
};

/*
 * Records a UTF8 record. A text that is not in memory is read from READER; if
 * that is NULL, it is left alone for another reader.
 */
enum hp_string_taken hp_string_table_take(struct hp_string_table *t,
					  const struct hprof_utf8 *utf8,
					  struct hprof_reader *reader);

/* Reads as much as there is of the SIZE bytes that READER gives next. */
size_t hp_read_long_field(struct hprof_reader *reader, uint8_t *to,
			  size_t size);

/* Inline, so that the length of a literal is a constant. */
static inline bool hp_string_is(const struct hp_string *string,
				const char *text)
{
	return string && string->bytes && string->size == strlen(text) &&
	       memcmp(string->bytes, text, string->size) == 0;
}

#endif
