/* SPDX-License-Identifier: MIT */
/*
 * string_table.c - see string_table.h. Everything is in an arena: strings are
 * many and short, and all are freed together.
 */
#include "model/string_table.h"

#include <assert.h>
#include <string.h>

enum hprof_status hp_string_table_init(struct hp_string_table *t,
				       size_t item_size, uint32_t most)
{
	assert(item_size >= sizeof(struct hp_string));
	*t = (struct hp_string_table){ .item_size = item_size, .most = most };
	return hp_u64_map_init(&t->by_id, 3);
}

void hp_string_table_done(struct hp_string_table *t)
{
	hp_u64_map_done(&t->by_id);
	hp_arena_done(&t->arena);
}

/* Makes a new string, with SIZE bytes of room behind it. */
static struct hp_string *make(struct hp_string_table *t, uint64_t id,
			      size_t size)
{
	struct hp_string *string =
		hp_arena_take(&t->arena, t->item_size + size);

	if (!string || hp_u64_map_put(&t->by_id, id, string) != HPROF_OK)
		return NULL;
	memset(string, 0, t->item_size);
	return string;
}

void *hp_string_table_add(struct hp_string_table *t, uint64_t id)
{
	struct hp_string *string = hp_string_table_get(t, id);

	return string ? string : make(t, id, 0);
}

size_t hp_read_long_field(struct hprof_reader *reader, uint8_t *to, size_t size)
{
	size_t done = 0, n;

	while (done < size &&
	       hprof_reader_body(reader, to + done, size - done, &n) ==
		       HPROF_OK &&
	       n > 0)
		done += n;
	return done;
}

/* Room for the text of a string: behind it, if the string is new. */
static uint8_t *make_room(struct hp_string_table *t, uint64_t id, size_t size,
			  struct hp_string **string)
{
	if (*string)
		return hp_arena_take(&t->arena, size ? size : 1);
	*string = make(t, id, size);
	return *string ? (uint8_t *)*string + t->item_size : NULL;
}

enum hp_string_taken hp_string_table_take(struct hp_string_table *t,
					  const struct hprof_utf8 *utf8,
					  struct hprof_reader *reader)
{
	struct hp_string *string = hp_string_table_get(t, utf8->string_id);
	const struct hprof_bytes *text = &utf8->text;
	const bool loaded = text->data || text->size == 0;
	size_t size = text->size < t->most ? (size_t)text->size : t->most;
	uint8_t *bytes;

	if (string && string->bytes)
		return loaded && string->size == size &&
				       (size == 0 ||
					memcmp(string->bytes, text->data,
					       size) == 0)
			       ? HP_STRING_SAME
			       : HP_STRING_CLASH;
	if (!loaded && !reader)
		return HP_STRING_UNREAD;
	bytes = make_room(t, utf8->string_id, size, &string);
	if (!bytes)
		return HP_STRING_NO_MEMORY;
	if (!loaded)
		size = hp_read_long_field(reader, bytes, size);
	else if (size)
		memcpy(bytes, text->data, size);
	string->bytes = bytes;
	string->size = (uint32_t)size;
	return HP_STRING_NEW;
}
