/* SPDX-License-Identifier: MIT */
/* cursor_string.c - strings, in any layout; see java_text.h. */
#include <string.h>

#include "heap/cursor.h"
#include "base/error.h"
#include "java/utf16.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { PIECE = 32 << 10 /* bytes of characters per read */ };

/* The fields that java.lang.String declares, by name. */
static enum hprof_status read_fields(struct hprof_cursor *c,
				     const struct hp_spot *spot,
				     struct hp_java_string *ret,
				     uint64_t *ret_value)
{
	struct hp_level level = hp_cursor_first_level(spot);
	struct hprof_field f;
	enum hprof_status status;

	for (uint64_t i = 0;
	     (status = hp_cursor_field(c, spot, &level, i, &f)) == HPROF_OK;
	     i++) {
		bool is_ref = f.type == HPROF_TYPE_OBJECT;
		if (is_ref && !*ret_value && strcmp(f.name, "value") == 0) {
			*ret_value = f.value;
		} else if (!is_ref && strcmp(f.name, "coder") == 0) {
			ret->has_coder = true;
			ret->coder = f.value;
		} else if (!is_ref && strcmp(f.name, "offset") == 0) {
			ret->has_offset = true;
			ret->offset = f.value;
		} else if (!is_ref && strcmp(f.name, "count") == 0) {
			ret->has_count = true;
			ret->count = f.value;
		}
	}
	return status < 0 ? status : HPROF_OK;
}

static bool is_builder(const char *name)
{
	return strcmp(name, "java.lang.StringBuilder") == 0 ||
	       strcmp(name, "java.lang.StringBuffer") == 0;
}

/* Finds the array of the characters, and which part of it they are. */
static enum hprof_status find_characters(struct hprof_cursor *c,
					 const struct hp_spot *spot,
					 struct hp_spot *array,
					 struct hp_utf16_view *view)
{
	struct hp_java_string string = { 0 };
	uint64_t value = 0, index;
	bool builder = false;

	*array = *spot;
	if (spot->object.kind == HPROF_OBJECT_INSTANCE) {
		builder = spot->of && is_builder(spot->of->info->name);
		if (!builder && (!spot->of || strcmp(spot->of->info->name,
						     "java.lang.String") != 0))
			return HPROF_END;
		HP_TRY(read_fields(c, spot, &string, &value));
		index = hp_heap_find(c->heap, value);
		if (value == 0 || index == HPROF_NO_OBJECT)
			return HPROF_END;
		HP_TRY(hp_cursor_find(c, index, array));
	} else if (spot->object.type != HPROF_TYPE_CHAR) {
		return HPROF_END;
	}
	if (array->object.kind != HPROF_OBJECT_PRIM_ARRAY ||
	    (array->object.data == 0 && array->object.length != 0))
		return HPROF_END;
	string.type = array->object.type;
	string.length = array->object.length;
	if (!hp_utf16_view(&string, view))
		return HPROF_END;
	/* The array of a builder has room for more characters. */
	if (builder && string.has_count && string.count < view->units)
		view->units = string.count;
	return HPROF_OK;
}

static enum hprof_status make_text_room(struct hprof_cursor *c, size_t used,
					size_t more)
{
	size_t room = c->text_room ? c->text_room : 256;
	char *larger;

	while (room - used < more) {
		if (room > SIZE_MAX / 2)
			return hp_no_memory(&c->error);
		room *= 2;
	}
	if (room == c->text_room)
		return HPROF_OK;
	larger = hp_realloc(c->text, room, 1);
	if (!larger)
		return hp_no_memory(&c->error);
	c->text = larger;
	c->text_room = room;
	return HPROF_OK;
}

/*
 * Adds characters of UNITS as long as *LEFT is not 0; updates *LEFT and *USED.
 */
static enum hprof_status add_units(struct hprof_cursor *c,
				   const struct hp_utf16_units *units,
				   bool last, uint64_t *left, size_t *used,
				   size_t *ret_taken)
{
	size_t i = 0;

	/* A unit takes at most 3 bytes, a surrogate pair 4. */
	HP_TRY(make_text_room(c, *used, 3 * units->count + 1));
	while (i < units->count && *left > 0) {
		/*
		 * The first half of a surrogate pair whose second half was not
		 * read yet.
		 */
		if (!last && i + 1 == units->count &&
		    hp_utf16_is_high(units, i))
			break;
		char *to = c->text + *used;
		*used += (size_t)(hp_utf8_put(to, hp_utf16_next(units, &i)) -
				  to);
		--*left;
	}
	*ret_taken = i;
	return HPROF_OK;
}

static enum hprof_status read_text(struct hprof_cursor *c,
				   const struct hp_spot *array,
				   const struct hp_utf16_view *view,
				   uint64_t left)
{
	uint64_t at = 0;
	size_t used = 0, taken;

	HP_TRY(make_text_room(c, 0, 1));
	while (at < view->units && left > 0) {
		uint64_t more = view->units - at;
		struct hp_utf16_units units = {
			.width = view->width,
			.big_endian =
				!view->native_order || c->heap->big_endian,
			.count = PIECE / view->width,
		};
		if (more < units.count)
			units.count = (size_t)more;
		units.bytes = hp_cursor_bytes(
			c, array->values + view->start + at * view->width,
			units.count * view->width);
		if (!units.bytes)
			return c->error.status;
		HP_TRY(add_units(c, &units, units.count == more, &left, &used,
				 &taken));
		at += taken;
	}
	c->text[used] = '\0';
	return HPROF_OK;
}

enum hprof_status hp_cursor_text(struct hprof_cursor *c,
				 const struct hp_spot *spot, size_t most,
				 const char **ret_text, uint64_t *ret_length)
{
	struct hp_utf16_view view;
	struct hp_spot array;
	enum hprof_status status;

	status = find_characters(c, spot, &array, &view);
	if (status != HPROF_OK)
		return status;
	HP_TRY(read_text(c, &array, &view, most ? most : UINT64_MAX));
	*ret_text = c->text;
	if (ret_length)
		*ret_length = view.units;
	return HPROF_OK;
}

enum hprof_status hprof_cursor_text(struct hprof_cursor *c, size_t most,
				    const char **ret_text, uint64_t *ret_length)
{
	HP_NEED(NULL, c);
	HP_NEED(&c->error, ret_text);
	if (!c->on)
		return hp_fail(&c->error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "the cursor is on no object");
	return hp_cursor_text(c, &c->here.spot, most, ret_text, ret_length);
}
