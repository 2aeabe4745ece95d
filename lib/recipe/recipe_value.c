/* SPDX-License-Identifier: MIT */
/*
 * recipe_value.c - reads the values of a recipe: typed values, plain bytes,
 * lists, and the repetition "*N", which any item of a list may have.
 */
#include "base/mem.h"
#include "recipe/recipe.h"
#include "base/utf8.h"
#include "base/wire.h"

/* ---- typed values -------------------------------------------------------- */

/* The code of the type named WORD; 0 if there is none. */
static unsigned find_type(const char *word, size_t size)
{
	for (unsigned type = HPROF_TYPE_OBJECT; type <= HPROF_TYPE_LONG;
	     type++) {
		const char *name = hprof_type_name(type);
		if (name && hp_recipe_word_is(word, size, name))
			return type;
	}
	return 0;
}

bool hp_recipe_type(struct hp_recipe *r, uint64_t *ret_type)
{
	const char *start = r->p;
	const char *word;
	size_t size;

	if (hp_recipe_peek(r) >= '0' && hp_recipe_peek(r) <= '9')
		return hp_recipe_unsigned(r, 0xff, ret_type);
	if (!hp_recipe_word(r, "a type", &word, &size))
		return false;
	*ret_type = find_type(word, size);
	if (*ret_type == 0)
		return hp_recipe_bad(r, start,
				     "expected object, boolean, char, float, "
				     "double, byte, short, int or long");
	return true;
}

double hp_recipe_decimal(uint64_t mantissa, unsigned scale, bool negative)
{
	double power = 1;

	while (scale-- > 0)
		power *= 10;
	return (negative ? -1.0 : 1.0) * ((double)mantissa / power);
}

/* Reads a decimal fraction. Not with strtod, which depends on the locale. */
static bool get_decimal(struct hp_recipe *r, double *ret)
{
	const char *start = r->p;
	bool negative = hp_recipe_accept(r, '-');
	uint64_t mantissa = 0;
	unsigned digits = 0;
	unsigned scale = 0;
	bool point = false;

	for (; r->p < r->end; r->p++) {
		if (*r->p == '.' && !point && digits) {
			point = true;
		} else if (*r->p >= '0' && *r->p <= '9') {
			if (++digits > HP_RECIPE_DIGITS)
				return hp_recipe_bad(r, start,
						     "too many digits; write "
						     "the bits as 0x...");
			mantissa = mantissa * 10 + (unsigned)(*r->p - '0');
			scale += point;
		} else {
			break;
		}
	}
	if (scale == 0)
		return hp_recipe_bad(r, start,
				     "expected a number with a "
				     "point, or bits as 0x...");
	*ret = hp_recipe_decimal(mantissa, scale, negative);
	return true;
}

static bool get_float(struct hp_recipe *r, unsigned width, uint64_t *ret)
{
	double value = 0;
	float single;
	uint32_t bits;

	if (r->end - r->p > 1 && r->p[0] == '0' && r->p[1] == 'x')
		return hp_recipe_integer(r, width, ret);
	if (!get_decimal(r, &value))
		return false;
	if (width == sizeof value) {
		memcpy(ret, &value, sizeof *ret);
	} else {
		single = (float)value;
		memcpy(&bits, &single, sizeof bits);
		*ret = bits;
	}
	return true;
}

bool hp_recipe_value(struct hp_recipe *r, unsigned type, struct hp_buffer *to)
{
	unsigned width = hprof_type_size(type, r->id_size);
	uint64_t value;
	bool found;

	if (width == 0 && type == HPROF_TYPE_OBJECT)
		return hp_recipe_bad(r, r->p, "the width of ids is not known");
	if (width == 0)
		return hp_recipe_hex(r, to);
	if (type == HPROF_TYPE_FLOAT || type == HPROF_TYPE_DOUBLE)
		found = get_float(r, width, &value);
	else if (type == HPROF_TYPE_OBJECT)
		found = hp_recipe_unsigned(r, UINT64_MAX >> (64 - 8 * width),
					   &value);
	else
		found = hp_recipe_integer(r, width, &value);
	return found && hp_recipe_put(r, to, value, width);
}

/* ---- lists --------------------------------------------------------------- */

/* If "*N" follows, repeats the item that occupies TO from START on N times. */
static bool repeat(struct hp_recipe *r, struct hp_buffer *to, size_t start,
		   uint64_t *ret_times)
{
	const char *at = r->p;
	size_t size = to->used - start;
	uint64_t total;

	*ret_times = 1;
	if (!hp_recipe_accept(r, '*'))
		return true;
	if (!hp_recipe_unsigned(r, UINT64_MAX, ret_times))
		return false;
	if (__builtin_mul_overflow(size, *ret_times, &total) ||
	    *ret_times > HP_RECIPE_REPEAT_MAX || total > HP_RECIPE_REPEAT_MAX)
		return hp_recipe_fail(r, HPROF_E_LIMIT, at,
				      "a repetition of more than %llu bytes",
				      (unsigned long long)HP_RECIPE_REPEAT_MAX);
	to->used = start;
	if (total == 0)
		return true;
	if (!hp_recipe_grow(r, to, (size_t)total))
		return false;
	for (size_t step; size < total; size += step) {
		step = size < total - size ? size : (size_t)total - size;
		memcpy(to->data + start + size, to->data + start, step);
	}
	return true;
}

bool hp_recipe_list(struct hp_recipe *r, hp_recipe_item_fn *item,
		    const void *context, struct hp_buffer *to,
		    uint64_t *ret_count)
{
	uint64_t times;
	size_t start;

	*ret_count = 0;
	if (!hp_recipe_expect(r, '['))
		return false;
	for (;;) {
		hp_recipe_skip_lines(r);
		if (hp_recipe_accept(r, ']'))
			return true;
		if (r->p == r->end)
			return hp_recipe_bad(r, r->p, "expected ']'");
		start = to->used;
		if (!item(r, context, to) || !repeat(r, to, start, &times) ||
		    !hp_recipe_delimited(r))
			return false;
		*ret_count += times;
	}
}

bool hp_recipe_id_item(struct hp_recipe *r, const void *context,
		       struct hp_buffer *to)
{
	(void)context;
	return hp_recipe_value(r, HPROF_TYPE_OBJECT, to);
}

/* ---- bytes --------------------------------------------------------------- */

/* Reads a prefix such as "int:"; does not move the cursor if there is none. */
static bool accept_prefix(struct hp_recipe *r, const char **ret,
			  size_t *ret_size)
{
	const char *p = r->p;

	while (p < r->end && *p >= 'a' && *p <= 'z')
		p++;
	if (p == r->p || p == r->end || *p != ':')
		return false;
	*ret = r->p;
	*ret_size = (size_t)(p - r->p);
	r->p = p + 1;
	return true;
}

static bool piece_item(struct hp_recipe *r, const void *context,
		       struct hp_buffer *to)
{
	const char *start = r->p;
	const char *word;
	size_t size;

	(void)context;
	if (hp_recipe_peek(r) == '"')
		return hp_recipe_string(r, to);
	if (!accept_prefix(r, &word, &size) ||
	    hp_recipe_word_is(word, size, "hex"))
		return hp_recipe_hex(r, to);
	unsigned type = find_type(word, size);
	if (type == 0)
		return hp_recipe_bad(r, start,
				     "expected a type or hex before "
				     "':'");
	return hp_recipe_value(r, type, to);
}

bool hp_recipe_piece(struct hp_recipe *r, struct hp_buffer *to)
{
	size_t start = to->used;
	uint64_t times;

	return piece_item(r, NULL, to) && repeat(r, to, start, &times) &&
	       hp_recipe_delimited(r);
}

bool hp_recipe_bytes(struct hp_recipe *r, struct hp_buffer *to)
{
	uint64_t count;

	if (hp_recipe_peek(r) == '[')
		return hp_recipe_list(r, piece_item, NULL, to, &count);
	return hp_recipe_piece(r, to);
}

/* ---- elements of primitive arrays ---------------------------------------- */

/* Converts TEXT from UTF-8 to UTF-16 and appends it to TO. */
static bool widen(struct hp_recipe *r, const char *at, struct hp_buffer *text,
		  struct hp_buffer *to)
{
	size_t used;

	for (size_t i = 0; i < text->used; i += used) {
		uint32_t code;
		used = hp_utf8_next(text->data + i, text->used - i, &code);
		if (used == 0)
			return hp_recipe_bad(r, at, "this string is not UTF-8");
		if (code > 0xffff) {
			code -= 0x10000;
			if (!hp_recipe_put(r, to, 0xd800 + (code >> 10), 2))
				return false;
			code = 0xdc00 + (code & 0x3ff);
		}
		if (!hp_recipe_put(r, to, code, 2))
			return false;
	}
	return true;
}

static bool char_string(struct hp_recipe *r, struct hp_buffer *to)
{
	const char *start = r->p;
	struct hp_buffer text = { 0 };
	bool fine = hp_recipe_string(r, &text) && widen(r, start, &text, to);

	hp_free(text.data);
	return fine;
}

bool hp_recipe_element_item(struct hp_recipe *r, const void *context,
			    struct hp_buffer *to)
{
	unsigned type = *(const unsigned *)context;
	const char *start = r->p;
	const char *word;
	size_t size;

	if (hp_recipe_peek(r) == '"')
		return type == HPROF_TYPE_CHAR ? char_string(r, to)
					       : hp_recipe_string(r, to);
	if (!accept_prefix(r, &word, &size))
		return hp_recipe_value(r, type, to);
	if (!hp_recipe_word_is(word, size, "hex"))
		return hp_recipe_bad(r, start,
				     "expected a value, \"text\" or hex:...");
	return hp_recipe_hex(r, to);
}
