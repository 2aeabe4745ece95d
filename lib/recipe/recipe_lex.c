/* SPDX-License-Identifier: MIT */
/*
 * recipe_lex.c - the lexical elements of a recipe: names, numbers, strings,
 * hexadecimal digits. They are read directly from the text; there is no array
 * of tokens. Errors say at which line and column something was expected.
 */
#include "base/error.h"
#include "base/mem.h"
#include "recipe/recipe.h"
#include "base/wire.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors -------------------------------------------------------------- */

/* Needed only for errors, so lines are counted anew from the start. */
struct hp_recipe_place hp_recipe_find(const struct hp_recipe *r, const char *at)
{
	struct hp_recipe_place place = r->base;
	const char *line = r->text, *newline;

	place.offset += (uint64_t)(at - r->text);
	while (line < at &&
	       (newline = memchr(line, '\n', (size_t)(at - line))) != NULL) {
		place.line++;
		place.column = 0;
		line = newline + 1;
	}
	for (; line < at; line++)
		place.column += ((unsigned char)*line & 0xc0) != 0x80;
	return place;
}

bool hp_recipe_fail_at(struct hp_recipe *r, enum hprof_status status,
		       const struct hp_recipe_place *place, const char *what)
{
	if (r->status == HPROF_OK)
		r->status =
			hp_fail(r->error, status, place->offset,
				"line %llu, column %llu: %s",
				(unsigned long long)place->line + 1,
				(unsigned long long)place->column + 1, what);
	return false;
}

bool hp_recipe_fail(struct hp_recipe *r, enum hprof_status status,
		    const char *at, const char *format, ...)
{
	struct hp_recipe_place place;
	char what[256];
	va_list values;

	if (r->status != HPROF_OK)
		return false;
	va_start(values, format);
	vsnprintf(what, sizeof what, format, values);
	va_end(values);
	place = hp_recipe_find(r, at);
	return hp_recipe_fail_at(r, status, &place, what);
}

/* ---- characters ---------------------------------------------------------- */

bool hp_recipe_expect(struct hp_recipe *r, char c)
{
	if (hp_recipe_accept(r, c))
		return true;
	return hp_recipe_bad(r, r->p, "expected '%c'", c);
}

void hp_recipe_skip_blanks(struct hp_recipe *r)
{
	while (r->p < r->end &&
	       (*r->p == ' ' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
	if (r->p < r->end && *r->p == '#')
		while (r->p < r->end && *r->p != '\n')
			r->p++;
}

void hp_recipe_skip_lines(struct hp_recipe *r)
{
	do
		hp_recipe_skip_blanks(r);
	while (hp_recipe_accept(r, '\n'));
}

bool hp_recipe_delimited(struct hp_recipe *r)
{
	switch (r->p == r->end ? '\n' : *r->p) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case '#':
	case ']':
	case '}':
		return true;
	}
	return hp_recipe_bad(r, r->p,
			     "expected a blank or the end of the line");
}

/* The value of a hexadecimal digit plus 1; 0 for other characters. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* The value of a hexadecimal digit, 0 to 15; -1 for other characters. */
static inline int hex_digit(char c)
{
	return hex_digits[(unsigned char)c] - 1;
}

/* A set of characters: the letters, digits and '_' that words consist of. */
static const uint32_t word_letters[8] = {
	[1] = 0x03ff0000, /* 0 to 9 */
	[2] = 0x87fffffe, /* A to Z, _ */
	[3] = 0x07fffffe, /* a to z */
};

static inline bool is_word(char c)
{
	unsigned char u = (unsigned char)c;

	return word_letters[u >> 5] >> (u & 31) & 1;
}

/* ---- words and numbers --------------------------------------------------- */

bool hp_recipe_word(struct hp_recipe *r, const char *what, const char **ret,
		    size_t *ret_size)
{
	const char *start = r->p;

	while (r->p < r->end && is_word(*r->p))
		r->p++;
	if (r->p == start)
		return hp_recipe_bad(r, start, "expected %s", what);
	*ret = start;
	*ret_size = (size_t)(r->p - start);
	return true;
}

/*
 * Reads up to 16 hexadecimal digits, which always fit in 64 bits. False, with
 * the cursor unchanged, if there are none or more.
 */
static bool get_short_hex(struct hp_recipe *r, uint64_t *ret)
{
	size_t left = (size_t)(r->end - r->p), most = left < 16 ? left : 16;
	uint64_t value = 0;
	size_t i = 0;
	int digit;

	for (; i < most && (digit = hex_digit(r->p[i])) >= 0; i++)
		value = value << 4 | (unsigned)digit;
	if (i == 0 || (i == 16 && i < left && hex_digit(r->p[i]) >= 0))
		return false;
	r->p += i;
	*ret = value;
	return true;
}

/* Reads digits of BASE; fails if there are none or they exceed 64 bits. */
static bool get_digits(struct hp_recipe *r, unsigned base, uint64_t *ret)
{
	const char *start = r->p;
	bool fits = true;
	uint64_t value = 0;

	for (; r->p < r->end; r->p++) {
		int digit = hex_digit(*r->p);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		fits = fits && !__builtin_mul_overflow(value, base, &value) &&
		       !__builtin_add_overflow(value, (unsigned)digit, &value);
	}
	if (r->p == start)
		return hp_recipe_bad(r, start, "expected a number");
	if (!fits)
		return hp_recipe_bad(r, start, "expected a number of 64 bits");
	*ret = value;
	return true;
}

bool hp_recipe_number(struct hp_recipe *r, struct hp_number *ret)
{
	const char *start = r->p;
	unsigned base = 10;

	ret->negative = hp_recipe_peek(r) == '-';
	ret->sign = ret->negative || hp_recipe_peek(r) == '+';
	if (ret->sign)
		r->p++;
	if (r->end - r->p > 2 && r->p[0] == '0' && r->p[1] == 'x') {
		r->p += 2;
		base = 16;
	}
	if ((base != 16 || !get_short_hex(r, &ret->value)) &&
	    !get_digits(r, base, &ret->value))
		return false;
	if (ret->negative) {
		if (ret->value > (uint64_t)1 << 63)
			return hp_recipe_bad(r, start,
					     "expected a number of 64 bits");
		ret->value = 0 - ret->value;
	}
	return true;
}

bool hp_recipe_unsigned(struct hp_recipe *r, uint64_t max, uint64_t *ret)
{
	const char *start = r->p;
	struct hp_number number;

	if (!hp_recipe_number(r, &number))
		return false;
	if (number.negative || number.value > max)
		return hp_recipe_bad(r, start,
				     "expected a number from 0 to %#llx",
				     (unsigned long long)max);
	*ret = number.value;
	return true;
}

bool hp_recipe_integer(struct hp_recipe *r, unsigned width, uint64_t *ret)
{
	const char *start = r->p;
	uint64_t lowest = 0 - ((uint64_t)1 << (8 * width - 1));
	struct hp_number number;

	if (!hp_recipe_number(r, &number))
		return false;
	if (number.negative ? number.value < lowest && number.value != 0
			    : !hp_id_fits(number.value, width))
		return hp_recipe_bad(r, start, "expected a number of %u bits",
				     8 * width);
	*ret = number.value;
	return true;
}

/* ---- bytes --------------------------------------------------------------- */

uint8_t *hp_recipe_grow(struct hp_recipe *r, struct hp_buffer *to, size_t size)
{
	size_t needed;
	size_t room = to->room;

	if (__builtin_add_overflow(to->used, size, &needed) ||
	    needed > HP_RECIPE_OUTPUT_MAX) {
		hp_recipe_fail(r, HPROF_E_LIMIT, r->p,
			       "a record of more than %llu bytes",
			       (unsigned long long)HP_RECIPE_OUTPUT_MAX);
		return NULL;
	}
	if (needed > room) {
		room = room * 2 > needed ? room * 2 : needed + 64;
		uint8_t *data = hp_realloc(to->data, room, 1);
		if (!data) {
			hp_recipe_fail(r, HPROF_E_NOMEM, r->p, "out of memory");
			return NULL;
		}
		to->data = data;
		to->room = room;
	}
	to->used = needed;
	return to->data + needed - size;
}

bool hp_recipe_put(struct hp_recipe *r, struct hp_buffer *to, uint64_t value,
		   unsigned width)
{
	uint8_t *p = hp_recipe_grow(r, to, width);

	if (p)
		hp_put_id(p, width, value);
	return p;
}

static bool get_hex_byte(struct hp_recipe *r, uint8_t *ret)
{
	int high = r->p < r->end ? hex_digit(r->p[0]) : -1;
	int low = r->end - r->p > 1 ? hex_digit(r->p[1]) : -1;

	if (high < 0 || low < 0)
		return hp_recipe_bad(r, r->p,
				     "expected two hexadecimal digits");
	*ret = (uint8_t)(high << 4 | low);
	r->p += 2;
	return true;
}

static bool get_escape(struct hp_recipe *r, uint8_t *ret)
{
	static const char names[] = "\\\\\"\"n\nt\tr\r";
	char c = hp_recipe_peek(r);

	r->p += r->p < r->end;
	if (c == 'x')
		return get_hex_byte(r, ret);
	for (const char *name = names; *name; name += 2) {
		if (*name == c) {
			*ret = (uint8_t)name[1];
			return true;
		}
	}
	return hp_recipe_bad(r, r->p - 1,
			     "expected \\\\ \\\" \\n \\t \\r or \\xHH");
}

/* Copies the characters up to the next quote, escape or control character. */
static bool put_plain(struct hp_recipe *r, struct hp_buffer *to)
{
	const char *start = r->p;
	uint8_t *p;

	while (r->p < r->end && (unsigned char)*r->p >= 0x20 && *r->p != '"' &&
	       *r->p != '\\')
		r->p++;
	if (r->p == start)
		return true;
	p = hp_recipe_grow(r, to, (size_t)(r->p - start));
	if (p)
		memcpy(p, start, (size_t)(r->p - start));
	return p;
}

bool hp_recipe_string(struct hp_recipe *r, struct hp_buffer *to)
{
	const char *start = r->p;

	if (!hp_recipe_expect(r, '"'))
		return false;
	while (put_plain(r, to) && !hp_recipe_accept(r, '"')) {
		uint8_t byte = (uint8_t)hp_recipe_peek(r);
		if (r->p == r->end || byte == '\n')
			return hp_recipe_bad(r, start, "a string without end");
		if (byte < 0x20 && byte != '\t')
			return hp_recipe_bad(r, r->p,
					     "expected \\x%02x for this byte",
					     byte);
		r->p++;
		if (byte == '\\' && !get_escape(r, &byte))
			return false;
		if (!hp_recipe_put(r, to, byte, 1))
			return false;
	}
	return r->status == HPROF_OK;
}

/* Reads as many pairs of hexadecimal digits as there are. */
static bool put_pairs(struct hp_recipe *r, struct hp_buffer *to)
{
	const char *end = r->p;
	uint8_t *p;

	while (r->end - end > 1 && hex_digit(end[0]) >= 0 &&
	       hex_digit(end[1]) >= 0)
		end += 2;
	if (end == r->p)
		return true;
	p = hp_recipe_grow(r, to, (size_t)(end - r->p) / 2);
	if (!p)
		return false;
	for (; r->p < end; r->p += 2)
		*p++ = (uint8_t)(hex_digit(r->p[0]) << 4 | hex_digit(r->p[1]));
	return true;
}

bool hp_recipe_hex(struct hp_recipe *r, struct hp_buffer *to)
{
	const char *start = r->p;
	uint8_t byte;

	if (!put_pairs(r, to))
		return false;
	/* No digits at all, or a half pair or letter after them: an error. */
	if (r->p == start || (r->p < r->end && is_word(*r->p)))
		return get_hex_byte(r, &byte);
	return true;
}
