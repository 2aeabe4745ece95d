/* SPDX-License-Identifier: MIT */
/*
 * escape.c - see escape.h.
 *
 * UTF-8 is decoded by hand: mbrtowc and iswprint depend on the locale, but the
 * same dump must give the same output everywhere.
 */
#include "text/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <hprof/text.h>

/*
 * The smallest code point that needs a sequence of that length. A longer
 * sequence than needed is overlong, and invalid.
 */
static const uint32_t least_point[5] = { 0, 0, 0x80, 0x800, 0x10000 };

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead < 0xE0)
		return 2;
	if (lead >= 0xE0 && lead < 0xF0)
		return 3;
	if (lead >= 0xF0 && lead < 0xF5)
		return 4;
	return 0;
}

size_t escape_decode(const char *bytes, size_t size, uint32_t *ret_point)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t length = size ? sequence_length(at[0]) : 0;
	uint32_t point;

	if (!length || length > size)
		return 0;
	point = length == 1 ? at[0] : at[0] & (0xFFu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3Fu);
	}
	if (point < least_point[length] || point > 0x10FFFF ||
	    (point >= 0xD800 && point < 0xE000))
		return 0;
	*ret_point = point;
	return length;
}

/*
 * Writes OPEN, at least LEAST hexadecimal digits, and CLOSE; returns the
 * length.
 */
static size_t put_hex(char *out, const char *open, uint32_t value,
		      unsigned least, const char *close)
{
	static const char digits[] = "0123456789abcdef";
	unsigned count = least;
	char *at = out;

	while (count < 8 && value >> 4 * count)
		count++;
	while (*open)
		*at++ = *open++;
	while (count--)
		*at++ = digits[value >> 4 * count & 15];
	while (*close)
		*at++ = *close++;
	return (size_t)(at - out);
}

/* The letter of a short escape, or 0. */
static char short_escape(uint32_t point, enum escape_form form)
{
	switch (point) {
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	case '\b':
		return form == ESCAPE_JSON ? 'b' : 0;
	case '\f':
		return form == ESCAPE_JSON ? 'f' : 0;
	case '"':
		return form == ESCAPE_JSON ? '"' : 0;
	case '\\':
		return form != ESCAPE_TERMINAL ? '\\' : 0;
	default:
		return 0;
	}
}

static size_t put_unsafe(uint32_t point, enum escape_form form,
			 char out[ESCAPE_MAX])
{
	size_t length;

	if (point <= 0xFFFF)
		return put_hex(out, "\\u", point, 4, "");
	if (form != ESCAPE_JSON)
		return put_hex(out, "\\u{", point, 1, "}");
	point -= 0x10000;
	length = put_hex(out, "\\u", 0xD800 + (point >> 10), 4, "");
	return length +
	       put_hex(out + length, "\\u", 0xDC00 + (point & 0x3FF), 4, "");
}

static size_t put_invalid(unsigned char byte, enum escape_form form,
			  char out[ESCAPE_MAX])
{
	if (form != ESCAPE_JSON)
		return put_hex(out, "\\x", byte, 2, "");
	memcpy(out, "\xEF\xBF\xBD", 3);
	return 3;
}

size_t escape_next(const char **text, size_t *size, enum escape_form form,
		   char out[ESCAPE_MAX])
{
	const char *at = *text;
	uint32_t point = 0;
	size_t length = escape_decode(at, *size, &point);
	size_t used = length ? length : 1;

	*text += used;
	*size -= used;
	if (!length)
		return put_invalid((unsigned char)*at, form, out);
	out[0] = '\\';
	out[1] = short_escape(point, form);
	if (out[1])
		return 2;
	if (hprof_char_is_unsafe(point))
		return put_unsafe(point, form, out);
	memcpy(out, at, length);
	if (form == ESCAPE_CSV && point == '"')
		out[length++] = '"';
	return length;
}
