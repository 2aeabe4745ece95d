/* SPDX-License-Identifier: MIT */
/*
 * prose.c - see prose.h.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/prose.h"
#include "tools/common/screen.h"
#include "tools/common/shorten.h"

#define LINE_WIDTH 79

void prose_say(struct prose *prose, const char *format, ...)
{
	va_list arguments;
	char *sentence, *both;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	sentence = cli_calloc((size_t)(length > 0 ? length : 0) + 1, 1);
	va_start(arguments, format);
	vsnprintf(sentence, (size_t)length + 1, format, arguments);
	va_end(arguments);
	both = describe_format("%s%s%s", prose->text ? prose->text : "",
			       prose->text ? " " : "", sentence);
	free(sentence);
	free(prose->text);
	prose->text = both;
}

void prose_put(struct prose *prose, FILE *out, unsigned indent)
{
	fprintf(out, "%*s", (int)indent, "");
	prose_wrap(out, indent, prose->text ? prose->text : "");
	free(prose->text);
	prose->text = NULL;
}

/* A copy of the word at AT that is not wider than COLUMNS. */
static char *take_word(const char *at, size_t length, size_t columns)
{
	char *word = describe_format("%.*s", (int)length, at);
	char *shorter = shorten_text(word, columns);

	free(word);
	return shorter;
}

static void wrap(FILE *out, unsigned indent, size_t room, const char *text)
{
	size_t used = 0;

	while (*text) {
		size_t length = strcspn(text, " ");
		char *word = take_word(text, length, room);
		size_t width = escape_width(word, strlen(word));

		if (used && used + 1 + width > room) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = 0;
		} else if (used) {
			putc(' ', out);
			used++;
		}
		fputs(word, out);
		used += width;
		free(word);
		text += length;
		text += *text == ' ';
	}
	putc('\n', out);
}

void prose_wrap(FILE *out, unsigned indent, const char *text)
{
	size_t room = screen_width_after(indent);

	wrap(out, indent,
	     room < LINE_WIDTH - indent ? room : LINE_WIDTH - indent, text);
}

void prose_lines(FILE *out, unsigned indent, const char *text)
{
	wrap(out, indent, screen_width_after(indent), text);
}
