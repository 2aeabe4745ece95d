/* SPDX-License-Identifier: MIT */
/*
 * recipe_out.c - writes words, lists and strings of a recipe; see recipe_out.h.
 */
#include "recipe/recipe_out.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	WIDTH = 100, /* lines of a list are broken at this column */
	PAIRS = 32,  /* bytes whose digits are put at once */
};

/* ---- text ---------------------------------------------------------------- */

enum hprof_status hp_out_flush(struct hp_recipe_out *o)
{
	if (o->status == HPROF_OK && o->used > 0 &&
	    o->write(o->user, o->buffer, o->used) != 0)
		o->status = HPROF_E_SYS;
	o->used = 0;
	return o->status;
}

static void put(struct hp_recipe_out *o, const char *text, size_t size)
{
	if (size > sizeof o->buffer - o->used)
		hp_out_flush(o);
	assert(size <= sizeof o->buffer - o->used);
	memcpy(o->buffer + o->used, text, size);
	o->used += size;
	o->column += size;
}

void hp_out_format(struct hp_recipe_out *o, const char *format, ...)
{
	char text[128];
	va_list values;

	va_start(values, format);
	int size = vsnprintf(text, sizeof text, format, values);
	va_end(values);
	assert(size >= 0 && (size_t)size < sizeof text);
	put(o, text, size < 0 ? 0 : (size_t)size);
}

/* Not with printf, which took four fifths of the time of a conversion. */
void hp_out_text(struct hp_recipe_out *o, const char *text)
{
	put(o, text, strlen(text));
}

void hp_out_decimal(struct hp_recipe_out *o, uint64_t value)
{
	char text[24], *p = text + sizeof text;

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(o, p, (size_t)(text + sizeof text - p));
}

void hp_out_signed(struct hp_recipe_out *o, int64_t value)
{
	if (value < 0)
		put(o, "-", 1);
	hp_out_decimal(o, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static const char digits[] = "0123456789abcdef";

void hp_out_hex(struct hp_recipe_out *o, uint64_t value)
{
	char text[18], *p = text + sizeof text;

	do {
		*--p = digits[value & 15];
		value >>= 4;
	} while (value);
	*--p = 'x';
	*--p = '0';
	put(o, p, (size_t)(text + sizeof text - p));
}

void hp_out_pairs(struct hp_recipe_out *o, const uint8_t *p, size_t size)
{
	char text[2 * PAIRS];

	for (size_t n; size > 0; size -= n, p += n) {
		n = size < PAIRS ? size : PAIRS;
		for (size_t i = 0; i < n; i++) {
			text[2 * i] = digits[p[i] >> 4];
			text[2 * i + 1] = digits[p[i] & 15];
		}
		put(o, text, 2 * n);
	}
}

void hp_out_line(struct hp_recipe_out *o)
{
	put(o, "\n", 1);
	o->column = 0;
}

void hp_out_key(struct hp_recipe_out *o, const char *name)
{
	if (!o->tight)
		put(o, " ", 1);
	put(o, name, strlen(name));
	put(o, "=", 1);
	o->tight = false;
}

void hp_out_begin_list(struct hp_recipe_out *o)
{
	put(o, "[", 1);
	o->items = 0;
}

void hp_out_item(struct hp_recipe_out *o, size_t width)
{
	if (o->column + 1 + width > WIDTH && o->items) {
		hp_out_line(o);
		for (unsigned i = 0; i < o->indent + 2; i++)
			put(o, "\t", 1);
		o->column = (o->indent + 2) * 8;
	} else if (o->items) {
		put(o, " ", 1);
	}
	o->items++;
}

void hp_out_end_list(struct hp_recipe_out *o)
{
	put(o, "]", 1);
}

/* ---- strings ------------------------------------------------------------- */

/*
 * The size of the UTF-8 character at P if it can be written as it is, otherwise
 * 0: for bytes that are not UTF-8, control characters, and characters that are
 * invisible or change the direction of the text.
 */
static size_t printable(const uint8_t *p, size_t size)
{
	uint32_t code;
	size_t used = hp_utf8_next(p, size, &code);

	if (used == 0 || used > 4 || code < 0x20)
		return 0;
	if (code < 0x7f)
		return used;
	if (code < 0xa1 || code == 0xad || (code >= 0xd800 && code < 0xf900))
		return 0;
	if ((code >= 0x2000 && code <= 0x206f &&
	     (code < 0x2010 || code > 0x2027)) ||
	    code == 0xfeff || (code >= 0xfff0 && code <= 0xffff) ||
	    code >= 0xe0000)
		return 0;
	return used;
}

static const char *escape(uint8_t byte)
{
	switch (byte) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	case '\r':
		return "\\r";
	default:
		return NULL;
	}
}

/* Writes the next character of a string; returns its size in bytes. */
static size_t put_character(struct hp_recipe_out *o, const uint8_t *p,
			    size_t size)
{
	const char *escaped = escape(p[0]);
	size_t used = printable(p, size);

	if (escaped) {
		put(o, escaped, 2);
		return 1;
	}
	if (used == 0) {
		put(o, "\\x", 2);
		hp_out_pairs(o, p, 1);
		return 1;
	}
	put(o, (const char *)p, used);
	return used;
}

void hp_out_string(struct hp_recipe_out *o, const uint8_t *p, size_t size)
{
	put(o, "\"", 1);
	for (size_t i = 0; i < size;)
		i += put_character(o, p + i, size - i);
	put(o, "\"", 1);
}
