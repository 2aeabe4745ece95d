/* SPDX-License-Identifier: MIT */
/*
 * html.c - see html.h.
 */
#include "tools/page/html.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"

/* Of one text; a prose has several names, which are shorter. */
enum {
	PIECES_MOST = DESCRIBE_NAME_LIMIT * 4,
	TEXT_MOST = 6000,
	SHORT_NAME = 16, /* fits into a column */
	PART_LEAST = 8	 /* characters of a name on a line of their own */
};

void html_free(struct html *html)
{
	free(html->text);
	*html = (struct html){ 0 };
}

void html_put_bytes(struct html *html, const char *bytes, size_t size)
{
	if (html->room - html->size <= size) {
		html->room = 2 * (html->room + size) + 4096;
		html->text = cli_realloc(html->text, html->room, 1);
	}
	memcpy(html->text + html->size, bytes, size);
	html->size += size;
	html->text[html->size] = '\0';
}

void html_put(struct html *html, const char *markup)
{
	html_put_bytes(html, markup, strlen(markup));
}

void html_putf(struct html *html, const char *format, ...)
{
	char text[512];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	assert(length >= 0 && (size_t)length < sizeof(text));
	(void)length;
	html_put(html, text);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || is_letter(c);
}

/*
 * Whether a line may end before TEXT, which is not where what it is part of begins:
 * between the parts of a name, as in java.util.|Map|$Entry|@0x7f, and not in those of a
 * number.
 */
static bool may_break(const char *text)
{
	if (text[-1] == '.')
		return is_letter(text[0]);
	return is_word(text[-1]) &&
	       (text[0] == '$' || text[0] == '@' || text[0] == '/');
}

static void put_text(struct html *html, const char *text, bool breaks)
{
	size_t size = text ? strlen(text) : 0, most = html->size + TEXT_MOST;
	size_t part = 0;

	for (size_t count = 0; size > 0; count++) {
		char piece[ESCAPE_MAX];
		size_t n;

		if (breaks && part++ >= PART_LEAST && may_break(text)) {
			html_put(html, "<wbr>");
			part = 1;
		}
		if (count == PIECES_MOST || html->size > most) {
			html_put(html, "...");
			return;
		}
		if (*text == ' ')
			part = 0;
		n = escape_next(&text, &size, ESCAPE_TERMINAL, piece);
		if (n == 1 && entity(piece[0]))
			html_put(html, entity(piece[0]));
		else
			html_put_bytes(html, piece, n);
	}
}

void html_text(struct html *html, const char *text)
{
	put_text(html, text, false);
}

void html_name(struct html *html, const char *name)
{
	put_text(html, name, name && strlen(name) > SHORT_NAME);
}

void html_own(struct html *html, char *text)
{
	html_text(html, text);
	free(text);
}

void html_element(struct html *html, const char *tag, const char *text)
{
	html_putf(html, "<%s>", tag);
	html_name(html, text);
	html_putf(html, "</%s>\n", tag);
}

void html_warning(struct html *html, const char *text)
{
	html_put(html, "<div class=\"warn\" role=\"note\">\n");
	html_element(html, "p", text);
	html_put(html, "</div>\n");
}

/* ---- room ---------------------------------------------------------------- */

static size_t room_of(const struct html *html)
{
	return html->limit > html->size ? html->limit - html->size : 0;
}

bool html_has_room(const struct html *html, size_t bytes)
{
	return html->size <= html->limit && room_of(html) >= bytes;
}

size_t html_keep(struct html *html, size_t bytes)
{
	size_t before = html->limit, room = room_of(html);

	html->limit = html->size + (room > bytes ? room - bytes : 0);
	return before;
}

size_t html_share(struct html *html, size_t count)
{
	size_t before = html->limit;

	html->limit = html->size + room_of(html) / count;
	return before;
}

/* ---- stacks -------------------------------------------------------------- */

void html_frames(struct html *html, const struct hprof_stack_frame *frames,
		 size_t count, size_t most)
{
	size_t shown = 0;

	html_put(html, "<pre>");
	for (; shown < count && shown < most; shown++) {
		if (shown && !html_has_room(html, 0))
			break;
		html_put(html, "at ");
		html_own(html, describe_frame(&frames[shown]));
		html_put(html, "\n");
	}
	if (shown < count)
		html_putf(html, "... %zu more frames\n", count - shown);
	html_put(html, "</pre>\n");
}
