/* SPDX-License-Identifier: MIT */
/*
 * escape.c - see escape.h.
 */
#include <stdbool.h>
#include <string.h>

#include "tools/common/char_width.h"
#include "tools/common/escape.h"

/* How many bytes at the start of TEXT every form leaves as they are. */
static size_t plain_size(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && text[i] >= ' ' && text[i] <= '~' && text[i] != '"' &&
	       text[i] != '\\')
		i++;
	return i;
}

void escape_write(FILE *out, const char *text, enum escape_form form)
{
	size_t size = strlen(text);
	char piece[ESCAPE_MAX];

	while (size) {
		/* Names may be long, and belong to thousands of classes. */
		size_t plain = plain_size(text, size), length;

		fwrite(text, 1, plain, out);
		text += plain;
		size -= plain;
		if (!size)
			break;
		length = escape_next(&text, &size, form, piece);
		fwrite(piece, 1, length, out);
	}
}

const char *escape_csv_guard(const char *text)
{
	return *text && strchr("=+-@'", *text) ? "'" : "";
}

void escape_csv_field(FILE *out, const char *text)
{
	/* Line ends are escaped, so only commas and quotes need quoting. */
	bool quoted = strpbrk(text, ",\"") != NULL;

	if (quoted)
		putc('"', out);
	fputs(escape_csv_guard(text), out);
	escape_write(out, text, ESCAPE_CSV);
	if (quoted)
		putc('"', out);
}

size_t escape_width(const char *text, size_t size)
{
	size_t width = 0;
	char piece[ESCAPE_MAX];

	while (size) {
		size_t length =
			escape_next(&text, &size, ESCAPE_TERMINAL, piece);
		uint32_t point;

		if (escape_decode(piece, length, &point) == length)
			width += char_width(point);
		else
			width += length; /* an escape, in ASCII */
	}
	return width;
}
