/* SPDX-License-Identifier: MIT */
/* answer.c - see answer.h. */
#include "agent/net/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static void add(struct ag_answer *a, const char *bytes, size_t size)
{
	size_t room = a->room;
	char *text;

	while (room - a->size < size + 1)
		room = room ? 2 * room : 1024;
	if (room != a->room) {
		text = a->failed ? NULL : hp_realloc(a->text, room, 1);
		if (!text) {
			a->failed = true;
			return;
		}
		a->text = text;
		a->room = room;
	}
	memcpy(a->text + a->size, bytes, size);
	a->size += size;
	a->text[a->size] = '\0';
}

static void add_text(struct ag_answer *a, const char *text)
{
	add(a, text, strlen(text));
}

/* What comes before a value. */
static void begin(struct ag_answer *a, const char *name)
{
	if (!a->first)
		add_text(a, ",");
	a->first = false;
	if (!name)
		return;
	add_text(a, "\"");
	add_text(a, name);
	add_text(a, "\":");
}

void ag_answer_begin(struct ag_answer *a, size_t size)
{
	*a = (struct ag_answer){ .first = true };
	while (size-- > 0)
		add(a, "", 1);
}

void ag_answer_done(struct ag_answer *a)
{
	hp_free(a->text);
	*a = (struct ag_answer){ 0 };
}

void ag_answer_open(struct ag_answer *a, const char *name, char bracket)
{
	begin(a, name);
	add(a, &bracket, 1);
	a->first = true;
}

void ag_answer_close(struct ag_answer *a, char bracket)
{
	add(a, &bracket, 1);
	a->first = false;
}

void ag_answer_number(struct ag_answer *a, const char *name, int64_t value)
{
	char text[24];

	begin(a, name);
	snprintf(text, sizeof text, "%" PRId64, value);
	add_text(a, text);
}

/* Not by the decimal point of the program's locale; JSON has no NaN. */
void ag_answer_double(struct ag_answer *a, const char *name, double value)
{
	char text[40], *point;

	begin(a, name);
	if (!isfinite(value)) {
		add_text(a, isnan(value) ? "\"NaN\""
			    : value > 0	 ? "\"Infinity\""
					 : "\"-Infinity\"");
		return;
	}
	snprintf(text, sizeof text, "%.17g", value);
	point = text + strspn(text, "-0123456789");
	if (*point && *point != 'e')
		*point = '.';
	add_text(a, text);
}

void ag_answer_flag(struct ag_answer *a, const char *name, bool value)
{
	begin(a, name);
	add_text(a, value ? "true" : "false");
}

void ag_answer_null(struct ag_answer *a, const char *name)
{
	begin(a, name);
	add_text(a, "null");
}

static void add_char(struct ag_answer *a, unsigned c)
{
	char text[8];

	if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
		snprintf(text, sizeof text, "%c", (int)c);
	else
		snprintf(text, sizeof text, "\\u%04x", c & 0xffff);
	add_text(a, text);
}

void ag_answer_chars(struct ag_answer *a, const char *name,
		     const uint16_t *chars, size_t count)
{
	begin(a, name);
	add_text(a, "\"");
	for (size_t i = 0; i < count; i++)
		add_char(a, chars[i]);
	add_text(a, "\"");
}

/*
 * The JVM's names have characters above U+FFFF as two of three bytes each, which
 * are the halves that JSON wants. What is no UTF-8 is taken byte by byte.
 */
static size_t next_char(const unsigned char *p, unsigned *ret)
{
	if ((p[0] & 0xe0) == 0xc0 && (p[1] & 0xc0) == 0x80) {
		*ret = (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
		return 2;
	}
	if ((p[0] & 0xf0) == 0xe0 && (p[1] & 0xc0) == 0x80 &&
	    (p[2] & 0xc0) == 0x80) {
		*ret = (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 |
		       (p[2] & 0x3fu);
		return 3;
	}
	if ((p[0] & 0xf8) == 0xf0 && (p[1] & 0xc0) == 0x80 &&
	    (p[2] & 0xc0) == 0x80 && (p[3] & 0xc0) == 0x80) {
		*ret = (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 |
		       (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
		return 4;
	}
	*ret = p[0];
	return 1;
}

void ag_answer_text(struct ag_answer *a, const char *name, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	unsigned c;

	if (!text) {
		ag_answer_null(a, name);
		return;
	}
	begin(a, name);
	add_text(a, "\"");
	while (*p) {
		p += next_char(p, &c);
		if (c > 0xffff)
			add_char(a, 0xd7c0 + (c >> 10));
		add_char(a, c > 0xffff ? 0xdc00 + (c & 0x3ff) : c);
	}
	add_text(a, "\"");
}
