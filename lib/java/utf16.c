/* SPDX-License-Identifier: MIT */
/*
 * utf16.c - see utf16.h. The layouts of java.lang.String:
 *
 *   JDK up to 7u5, Android up to 5   char[] value, int offset, int count
 *   JDK 7u6 to 8                     char[] value
 *   JDK 9 and later                  byte[] value, byte coder
 *   Android 6 and later              value: char[], or byte[] with one byte per
 *                                    character; count is not the length
 *
 * With coder 1 (UTF16) the byte[] has the byte order of the dumped machine,
 * because writers of dumps do not swap the bytes of a byte[].
 */
#include "java/utf16.h"

#include "hprof/record.h"
#include "base/wire.h"

enum { REPLACEMENT = 0xfffd, SYMBOL_FOR_NULL = 0x2400 };

/* ---- layouts ------------------------------------------------------------- */

/* Strings of JDK 6 may share an array; each is a range of it. */
static void apply_offset_and_count(struct hp_utf16_view *view, uint64_t offset,
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
			apply_offset_and_count(ret, s->offset, s->count);
	} else if (s->has_coder && s->coder == 1) {
		ret->width = 2;
		ret->units /= 2; /* a last odd byte is ignored */
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
