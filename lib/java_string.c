/*
 * java_string.c - see java_string.h.
 *
 *   JDK up to 7u5, Android up to 5   char[] value, int offset, int count
 *   JDK 7u6 to 8                     char[] value
 *   JDK 9 and later                  byte[] value, byte coder
 *   Android 6 and later              value: char[], or byte[] with one byte a
 *                                    character; count means something else
 *
 * With coder 1 the byte[] is UTF-16 in the byte order of the dumped machine,
 * since writers do not swap the elements of a byte[].
 */
#include "java_string.h"

#include <string.h>

#include "wire.h"

enum {
	REPLACEMENT = 0xfffd,
	SYMBOL_FOR_NULL = 0x2400,
	TEXTS_MAX = 1 << 27 /* bytes of all texts: arrays may be shared */
};

/* The characters of a string. */
struct characters {
	const uint8_t *bytes;
	size_t count;	/* of units */
	unsigned width; /* of a unit */
	bool big_endian;
};

/* ---- to UTF-8 ------------------------------------------------------------ */

static uint32_t unit_at(const struct characters *c, size_t i)
{
	const uint8_t *p = c->bytes + i * c->width;

	if (c->width == 1)
		return p[0];
	return c->big_endian ? hp_get16(p) : (uint32_t)(p[1] << 8 | p[0]);
}

/* The code point at *I, which moves behind it. */
static uint32_t next_code(const struct characters *c, size_t *i)
{
	uint32_t code = unit_at(c, (*i)++);

	if (code == 0)
		return SYMBOL_FOR_NULL;
	if (code < 0xd800 || code > 0xdfff)
		return code;
	uint32_t low = *i < c->count ? unit_at(c, *i) : 0;
	if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	(*i)++;
	return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

static size_t code_size(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static char *put_code(char *out, uint32_t code)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = code_size(code);

	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(first[size] | code);
	return out + size;
}

static const char *to_utf8(struct hp_strings *s, const struct characters *c)
{
	size_t size = 1;
	char *text, *out;

	if (s->arena->taken > TEXTS_MAX)
		return NULL;
	for (size_t i = 0; i < c->count;)
		size += code_size(next_code(c, &i));
	text = out = hp_arena_take(s->arena, size);
	if (!text) {
		s->no_memory = true;
		return NULL;
	}
	for (size_t i = 0; i < c->count;)
		out = put_code(out, next_code(c, &i));
	*out = '\0';
	return text;
}

/* ---- layouts ------------------------------------------------------------- */

static bool is_big_endian(struct hp_strings *s)
{
	struct hp_layouts *l = s->layouts;
	uint64_t high = 0, low = 0;
	uint32_t index;

	if (s->order_known)
		return s->big_endian;
	index = hp_layout_class(l, "java.lang.StringUTF16");
	s->big_endian = hp_layout_static(l, index, "HI_BYTE_SHIFT",
					 HPROF_TYPE_INT, &high) &&
			hp_layout_static(l, index, "LO_BYTE_SHIFT",
					 HPROF_TYPE_INT, &low) &&
			high == 8 && low == 0;
	s->order_known = true;
	return s->big_endian;
}

/* All of an array, as far as it is kept. */
static bool of_array(const struct hp_object *array, struct characters *ret)
{
	if (!array || array->kind != HP_OBJECT_PRIM_ARRAY ||
	    (array->type != HPROF_TYPE_CHAR && array->type != HPROF_TYPE_BYTE))
		return false;
	*ret = (struct characters){
		.bytes = array->bytes,
		.width = array->type == HPROF_TYPE_CHAR ? 2 : 1,
		.big_endian = true, /* a char[] is, in the dump */
	};
	ret->count = array->kept / ret->width;
	return true;
}

/* The part of the array that a JDK 6 string is. */
static void cut_part(struct characters *c, uint64_t offset, uint64_t count)
{
	if (offset > c->count)
		offset = c->count;
	c->bytes += offset * c->width;
	c->count -= (size_t)offset;
	if (count < c->count)
		c->count = (size_t)count;
}

static bool of_string(struct hp_strings *s, const struct hp_object *string,
		      struct characters *ret)
{
	struct hp_layouts *l = s->layouts;
	uint64_t value = hp_layout_ref(l, string, HP_STRING_VALUE);
	uint64_t coder = 0, offset, count;

	if (!of_array(hp_objects_get(s->objects, value), ret))
		return false;
	if (ret->width == 2) {
		if (hp_layout_get(l, string, HP_STRING_OFFSET, &offset) &&
		    hp_layout_get(l, string, HP_STRING_COUNT, &count))
			cut_part(ret, offset, count);
		return true;
	}
	if (hp_layout_get(l, string, HP_STRING_CODER, &coder) && coder == 1) {
		ret->width = 2;
		ret->count /= 2; /* of an odd number the last byte is none */
		ret->big_endian = is_big_endian(s);
	}
	return true;
}

void hp_strings_want(const struct hp_strings *s, uint64_t id)
{
	const struct hp_object *string = hp_objects_get(s->objects, id);

	hp_objects_want(s->layouts->objects,
			hp_layout_ref(s->layouts, string, HP_STRING_VALUE));
}

const char *hp_strings_text(struct hp_strings *s, uint64_t id)
{
	const struct hp_object *object = hp_objects_get(s->objects, id);
	const char *text = hp_idmap_get(&s->texts, id);
	struct characters characters;
	bool good;

	if (!object || text)
		return text;
	if (object->kind == HP_OBJECT_PRIM_ARRAY)
		good = of_array(object, &characters) && characters.width == 2;
	else
		good = of_string(s, object, &characters);
	if (good)
		text = to_utf8(s, &characters);
	if (text && hp_idmap_put(&s->texts, id, (char *)text) != 0)
		s->no_memory = true;
	return text;
}

bool hp_strings_is(const struct hp_strings *s, const struct hp_object *object)
{
	const char *name = hp_layout_class_name(s->layouts, object);

	return name && strcmp(name, "java.lang.String") == 0;
}

/* ---- life ---------------------------------------------------------------- */

int hp_strings_init(struct hp_strings *s, struct hp_layouts *layouts,
		    struct hp_arena *arena)
{
	memset(s, 0, sizeof *s);
	s->layouts = layouts;
	s->objects = layouts->objects;
	s->arena = arena;
	return hp_idmap_init(&s->texts, 3);
}

void hp_strings_done(struct hp_strings *s)
{
	hp_idmap_done(&s->texts);
}
