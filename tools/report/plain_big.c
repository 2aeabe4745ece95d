/* SPDX-License-Identifier: MIT */
/*
 * plain_big.c - see plain_big.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/report/plain_big.h"
#include "tools/report/plain_fields.h"

/* 32 bits are fewer than 10 digits; a step of the division makes 9. */
enum { WORDS_MOST = 104, GROUP = 1000000000, GROUPS = WORDS_MOST * 10 / 9 + 1 };

/* ---- whole numbers ------------------------------------------------------- */

/* The words of MAG, the most significant first. False: too many. */
static bool read_words(struct hprof_cursor *cursor, uint64_t array,
		       uint64_t words[WORDS_MOST], size_t *ret_count)
{
	struct hprof_object at;

	return hprof_cursor_seek(cursor, array, &at) == HPROF_OK &&
	       at.kind == HPROF_OBJECT_PRIM_ARRAY &&
	       at.type == HPROF_TYPE_INT && at.length <= WORDS_MOST &&
	       hprof_cursor_elements(cursor, 0, WORDS_MOST, words, ret_count) ==
		       HPROF_OK &&
	       *ret_count == at.length;
}

/* Divides the number in WORDS by 10^9 and returns the remainder. */
static uint32_t divide(uint64_t *words, size_t count)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t part = rest << 32 | (uint32_t)words[i];

		words[i] = part / GROUP;
		rest = part % GROUP;
	}
	return (uint32_t)rest;
}

static char *to_decimal(uint64_t *words, size_t count, bool negative)
{
	char text[GROUPS * 9 + 2], *at = text + sizeof(text) - 1;
	size_t first = 0;

	*at = '\0';
	while (first < count) {
		uint32_t group = divide(words + first, count - first);

		for (int i = 0; i < 9; i++, group /= 10)
			*--at = (char)('0' + group % 10);
		while (first < count && !words[first])
			first++;
	}
	while (*at == '0')
		at++;
	if (!*at)
		return cli_strdup("0");
	if (negative)
		*--at = '-';
	return cli_strdup(at);
}

char *plain_big_integer(struct hprof_cursor *cursor,
			const struct hprof_heap *heap, uint64_t object)
{
	uint64_t words[WORDS_MOST], array;
	int64_t sign;
	size_t count;

	if (!plain_number(cursor, object, "signum", &sign) ||
	    !plain_object(cursor, object, "mag", heap, &array) ||
	    !read_words(cursor, array, words, &count))
		return NULL;
	return to_decimal(words, count, sign < 0);
}

/* ---- numbers with a scale ------------------------------------------------ */

/* As BigDecimal.toString() has it: plain, or with an exponent. */
static char *with_scale(const char *digits, int64_t scale)
{
	const char *sign = *digits == '-' ? "-" : "";
	size_t count = strlen(digits += *sign != '\0');
	int64_t exponent = (int64_t)count - 1 - scale;
	int zeros, whole;

	if (scale == 0)
		return describe_format("%s%s", sign, digits);
	if (scale < 0 || exponent < -6)
		return describe_format("%s%c%s%sE%+" PRId64, sign, *digits,
				       count > 1 ? "." : "", digits + 1,
				       exponent);
	if (exponent >= 0) {
		whole = (int)exponent + 1;
		return describe_format("%s%.*s.%s", sign, whole, digits,
				       digits + whole);
	}
	zeros = (int)-exponent - 1;
	return describe_format("%s0.%.*s%s", sign, zeros, "00000", digits);
}

char *plain_big_decimal(struct hprof_cursor *cursor,
			const struct hprof_heap *heap, uint64_t object)
{
	int64_t scale, compact;
	char *digits, *text;
	uint64_t whole;

	if (!plain_number(cursor, object, "scale", &scale) ||
	    !plain_number(cursor, object, "intCompact", &compact))
		return NULL;
	if (compact != INT64_MIN)
		digits = describe_format("%" PRId64, compact);
	else if (plain_object(cursor, object, "intVal", heap, &whole))
		digits = plain_big_integer(cursor, heap, whole);
	else
		return NULL;
	text = digits ? with_scale(digits, scale) : NULL;
	free(digits);
	return text;
}
