/* SPDX-License-Identifier: MIT */
/*
 * utf16.c - see utf16.h.
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
#include "java/utf16.h"

#include "hprof/record.h"
#include "base/wire.h"

enum { REPLACEMENT = 0xfffd, SYMBOL_FOR_NULL = 0x2400 };

/* ---- layouts ------------------------------------------------------------- */

/* The part of the array that a JDK 6 string is. */
static void cut_part(struct hp_utf16_view *view, uint64_t offset,
		     uint64_t count)
{
	if (offset > view->units)
		offset = view->units;
	view->start += offset * view->width;
	view->units -= offset;
	if (count < view->units)
		view->units = count;
}

bool hp_utf16_view(const struct hp_java_string *s, struct hp_utf16_view *ret)
{
	if (s->type != HPROF_TYPE_CHAR && s->type != HPROF_TYPE_BYTE)
		return false;
	*ret = (struct hp_utf16_view){
		.units = s->length,
		.width = s->type == HPROF_TYPE_CHAR ? 2 : 1,
	};
	if (ret->width == 2) {
		if (s->has_offset && s->has_count)
			cut_part(ret, s->offset, s->count);
	} else if (s->has_coder && s->coder == 1) {
		ret->width = 2;
		ret->units /= 2; /* of an odd number the last byte is none */
		ret->native_order = true;
	}
	return true;
}

/* ---- to UTF-8 ------------------------------------------------------------ */

static uint32_t unit_at(const struct hp_utf16_units *u, size_t i)
{
	const uint8_t *p = u->bytes + i * u->width;

	if (u->width == 1)
		return p[0];
	return u->big_endian ? hp_get16(p) : (uint32_t)(p[1] << 8 | p[0]);
}

bool hp_utf16_is_high(const struct hp_utf16_units *u, size_t i)
{
	return unit_at(u, i) >> 10 == 0xd800 >> 10;
}

uint32_t hp_utf16_next(const struct hp_utf16_units *u, size_t *i)
{
	uint32_t code = unit_at(u, (*i)++);

	if (code == 0)
		return SYMBOL_FOR_NULL;
	if (code < 0xd800 || code > 0xdfff)
		return code;
	uint32_t low = *i < u->count ? unit_at(u, *i) : 0;
	if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return REPLACEMENT;
	(*i)++;
	return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

size_t hp_utf8_size(uint32_t code)
{
	return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

char *hp_utf8_put(char *out, uint32_t code)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size = hp_utf8_size(code);

	for (size_t i = size - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(first[size] | code);
	return out + size;
}
