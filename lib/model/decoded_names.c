/* SPDX-License-Identifier: MIT */
/*
 * decoded_names.c - see decoded_names.h.
 */
#include "model/decoded_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

enum { CLASS_NAME_MOST = 65535 }; /* bytes, the limit of all JVMs */

typedef size_t decode_fn(const void *bytes, size_t size, char *out,
			 size_t room);

enum hprof_status hp_decoded_names_init(struct hp_decoded_names *d,
					const struct hp_string_table *strings,
					struct hp_arena *arena)
{
	*d = (struct hp_decoded_names){ .strings = strings, .arena = arena };
	HP_TRY(hp_u64_map_init(&d->texts, 3));
	return hp_u64_map_init(&d->class_names, 3);
}

void hp_decoded_names_done(struct hp_decoded_names *d)
{
	hp_u64_map_done(&d->texts);
	hp_u64_map_done(&d->class_names);
}

static const struct hp_text *keep(struct hp_decoded_names *d,
				  struct hp_u64_map *known, uint64_t string_id,
				  struct hp_text *text)
{
	if (text && hp_u64_map_put(known, string_id, text) == HPROF_OK)
		return text;
	d->no_memory = true;
	return NULL;
}

static const struct hp_text *decode(struct hp_decoded_names *d,
				    struct hp_u64_map *known,
				    uint64_t string_id, decode_fn *fn,
				    size_t most)
{
	const struct hp_string *string =
		hp_string_table_find(d->strings, string_id);
	struct hp_text *text;
	size_t raw, size;

	if (!string)
		return NULL;
	raw = string->size < most ? string->size : most;
	size = fn(string->bytes, raw, NULL, 0);
	text = hp_arena_take(d->arena, sizeof *text + size + 1);
	if (text) {
		text->size = size;
		fn(string->bytes, raw, text->text, size);
		text->text[size] = '\0';
	}
	return keep(d, known, string_id, text);
}

const struct hp_text *hp_decoded_text(struct hp_decoded_names *d,
				      uint64_t string_id)
{
	const struct hp_text *text = hp_u64_map_get(&d->texts, string_id);

	return text ? text
		    : decode(d, &d->texts, string_id, hprof_text_decode,
			     SIZE_MAX);
}

const struct hp_text *hp_decoded_class_name(struct hp_decoded_names *d,
					    uint64_t string_id)
{
	const struct hp_text *name = hp_u64_map_get(&d->class_names, string_id);

	return name ? name
		    : decode(d, &d->class_names, string_id,
			     hprof_class_name_decode, CLASS_NAME_MOST);
}

static const struct hp_text *name_by_id(struct hp_decoded_names *d,
					struct hp_u64_map *known,
					uint64_t string_id)
{
	enum { ROOM = 48 };
	struct hp_text *text = hp_arena_take(d->arena, sizeof *text + ROOM);

	if (text)
		text->size = (size_t)snprintf(
			text->text, ROOM, "unknown-name@0x%" PRIx64, string_id);
	return keep(d, known, string_id, text);
}

const struct hp_text *hp_decoded_text_or_id(struct hp_decoded_names *d,
					    uint64_t string_id)
{
	const struct hp_text *text = hp_decoded_text(d, string_id);

	return text || hp_string_table_find(d->strings, string_id)
		       ? text
		       : name_by_id(d, &d->texts, string_id);
}

const struct hp_text *hp_decoded_class_name_or_id(struct hp_decoded_names *d,
						  uint64_t string_id)
{
	const struct hp_text *name = hp_decoded_class_name(d, string_id);

	return name || hp_string_table_find(d->strings, string_id)
		       ? name
		       : name_by_id(d, &d->class_names, string_id);
}
