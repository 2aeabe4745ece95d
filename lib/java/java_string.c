/* SPDX-License-Identifier: MIT */
/*
 * java_string.c - see java_string.h; the layouts are described in utf16.c.
 */
#include "base/utf8.h"
#include "java/java_string.h"

#include <assert.h>
#include <string.h>

#include "java/utf16.h"

/*
 * Limit on the bytes of all decoded texts. Many Strings may share one array,
 * so the size of the file does not bound the size of the texts.
 */
enum { TEXTS_MAX = 1 << 27 };

/* ---- to UTF-8 ------------------------------------------------------------ */

static const char *to_utf8(struct hp_strings *s, const struct hp_utf16_units *c)
{
	size_t size = 1;
	char *text, *out;

	if (s->arena->taken > TEXTS_MAX)
		return NULL;
	for (size_t i = 0; i < c->count;)
		size += hp_utf8_size(hp_utf16_next(c, &i));
	text = out = hp_arena_take(s->arena, size);
	if (!text) {
		s->no_memory = true;
		return NULL;
	}
	for (size_t i = 0; i < c->count;)
		out = hp_utf8_put(out, hp_utf16_next(c, &i));
	assert(out == text + size - 1);
	*out = '\0';
	return text;
}

/* ---- layouts ------------------------------------------------------------- */

/*
 * The byte order of the dumped JVM: StringUTF16 stores the shift of the high
 * byte as 8 on big-endian machines. Computed on the first call.
 */
static bool is_big_endian(struct hp_strings *s)
{
	struct hp_field_lookup *l = s->layouts;
	uint64_t high = 0, low = 0;
	uint32_t index;

	if (s->order_known)
		return s->big_endian;
	index = hp_field_lookup_class(l, "java.lang.StringUTF16");
	s->big_endian = hp_field_lookup_static(l, index, "HI_BYTE_SHIFT",
					       HPROF_TYPE_INT, &high) &&
			hp_field_lookup_static(l, index, "LO_BYTE_SHIFT",
					       HPROF_TYPE_INT, &low) &&
			high == 8 && low == 0;
	s->order_known = true;
	return s->big_endian;
}

/* Sets *RET to the code units of ARRAY that VIEW selects. */
static void set_units(struct hp_strings *s, const struct hp_object *array,
		      const struct hp_utf16_view *view,
		      struct hp_utf16_units *ret)
{
	*ret = (struct hp_utf16_units){
		.bytes = array->bytes + view->start,
		.count = (size_t)view->units,
		.width = view->width,
		.big_endian = !view->native_order || is_big_endian(s),
	};
}

/* Type and length of an array, counting only the elements that were kept. */
static struct hp_java_string describe_array(const struct hp_object *array)
{
	bool good = array && array->kind == HP_OBJECT_PRIM_ARRAY;
	unsigned width = good ? hprof_type_size(array->type, 1) : 0;

	return (struct hp_java_string){
		.type = good ? array->type : 0,
		.length = width ? array->kept / width : 0,
	};
}

static bool find_string_units(struct hp_strings *s,
			      const struct hp_object *string,
			      struct hp_utf16_units *ret)
{
	struct hp_field_lookup *l = s->layouts;
	uint64_t value = hp_field_lookup_ref(l, string, HP_STRING_VALUE);
	const struct hp_object *array = hp_object_fetch_get(s->objects, value);
	struct hp_java_string known = describe_array(array);
	struct hp_utf16_view view;

	known.has_coder =
		hp_field_lookup_get(l, string, HP_STRING_CODER, &known.coder);
	known.has_offset =
		hp_field_lookup_get(l, string, HP_STRING_OFFSET, &known.offset);
	known.has_count =
		hp_field_lookup_get(l, string, HP_STRING_COUNT, &known.count);
	if (!hp_utf16_view(&known, &view))
		return false;
	set_units(s, array, &view, ret);
	return true;
}

void hp_strings_want(const struct hp_strings *s, uint64_t id)
{
	const struct hp_object *string = hp_object_fetch_get(s->objects, id);

	hp_object_fetch_want(
		s->layouts->objects,
		hp_field_lookup_ref(s->layouts, string, HP_STRING_VALUE));
}

const char *hp_strings_text(struct hp_strings *s, uint64_t id)
{
	const struct hp_object *object = hp_object_fetch_get(s->objects, id);
	const char *text = hp_u64_map_get(&s->texts, id);
	struct hp_utf16_units characters;
	struct hp_java_string array;
	struct hp_utf16_view view;
	bool good;

	if (!object || text)
		return text;
	if (object->kind == HP_OBJECT_PRIM_ARRAY) {
		array = describe_array(object);
		good = array.type == HPROF_TYPE_CHAR &&
		       hp_utf16_view(&array, &view);
		if (good)
			set_units(s, object, &view, &characters);
	} else
		good = find_string_units(s, object, &characters);
	if (good)
		text = to_utf8(s, &characters);
	if (text && hp_u64_map_put(&s->texts, id, (char *)text) != HPROF_OK)
		s->no_memory = true;
	return text;
}

bool hp_strings_is(const struct hp_strings *s, const struct hp_object *object)
{
	const char *name = hp_field_lookup_class_name(s->layouts, object);

	return name && strcmp(name, "java.lang.String") == 0;
}

/* ---- life ---------------------------------------------------------------- */

enum hprof_status hp_strings_init(struct hp_strings *s,
				  struct hp_field_lookup *layouts,
				  struct hp_arena *arena)
{
	memset(s, 0, sizeof *s);
	s->layouts = layouts;
	s->objects = layouts->objects;
	s->arena = arena;
	return hp_u64_map_init(&s->texts, 3);
}

void hp_strings_done(struct hp_strings *s)
{
	hp_u64_map_done(&s->texts);
}
