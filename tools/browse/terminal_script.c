/* SPDX-License-Identifier: MIT */
/*
 * terminal_script.c - keys from a text, screens to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/browse/keys.h"
#include "tools/browse/terminal.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"

struct script {
	struct terminal base;
	const char *at;
	size_t width, height;
	char *last; /* the screen as it was shown, lines without blanks behind */
};

static void size(struct terminal *t, size_t *width, size_t *height)
{
	const struct script *s = (const struct script *)t;

	*width = s->width;
	*height = s->height;
}

/* A line of the canvas as text; returns its length. */
static size_t take_line(const struct canvas *c, size_t y, char *out)
{
	size_t length = 0, used = 0;

	for (size_t x = 0; x < c->width; x++) {
		const char *text = canvas_at(c, x, y)->text;
		size_t bytes = strlen(text);

		memcpy(out + length, text, bytes);
		length += bytes;
		if (strcmp(text, " ") != 0)
			used = length;
	}
	return used;
}

static void show(struct terminal *t, const struct canvas *c)
{
	struct script *s = (struct script *)t;
	size_t length = 0;

	s->last = cli_realloc(s->last,
			      c->height * (c->width * CANVAS_TEXT + 1) + 1, 1);
	for (size_t y = 0; y < c->height; y++) {
		length += take_line(c, y, s->last + length);
		s->last[length++] = '\n';
	}
	s->last[length] = '\0';
}

static void print(const struct script *s)
{
	if (s->last)
		fputs(s->last, stdout);
	for (size_t i = 0; i < s->width; i++)
		putchar('-');
	putchar('\n');
}

/* The next key, and in *TEXT what is behind it; KEY_NONE: no such key. */
static int take_key(const char **text)
{
	const char *end = **text == '<' ? strchr(*text, '>') : NULL;
	const char *name = *text + 1;
	uint32_t point;
	size_t size;

	if (end) {
		*text = end + 1;
		return keys_named(name, (size_t)(end - name));
	}
	size = escape_decode(*text, strlen(*text), &point);
	*text += size ? size : 1;
	return size ? (int)point : KEY_NONE;
}

static int key(struct terminal *t, bool busy)
{
	static const char print_name[] = "<Print>";
	struct script *s = (struct script *)t;

	(void)busy;
	while (strncmp(s->at, print_name, strlen(print_name)) == 0) {
		print(s);
		s->at += strlen(print_name);
	}
	if (!*s->at)
		return KEY_OF_CLOSED;
	return take_key(&s->at);
}

static void redraw(struct terminal *t)
{
	(void)t;
}

static void copy(struct terminal *t, const char *text)
{
	(void)t;
	fputs("copied: ", stdout);
	escape_write(stdout, text, ESCAPE_TERMINAL);
	putchar('\n');
}

static void close_script(struct terminal *t)
{
	struct script *s = (struct script *)t;

	print(s);
	free(s->last);
	free(s);
}

/* Says which key there is not. */
static bool check(const char *keys)
{
	while (*keys) {
		const char *at = keys;

		if (strncmp(keys, "<Print>", strlen("<Print>")) == 0)
			keys += strlen("<Print>");
		else if (take_key(&keys) == KEY_NONE) {
			cli_message("there is no key %.*s", (int)(keys - at),
				    at);
			return false;
		}
	}
	return true;
}

struct terminal *terminal_script(const char *keys, size_t width, size_t height)
{
	struct script *s;

	if (!check(keys))
		return NULL;
	s = cli_calloc(1, sizeof(*s));
	s->base = (struct terminal){ .is_patient = true,
				     .size = size,
				     .show = show,
				     .key = key,
				     .redraw = redraw,
				     .copy = copy,
				     .close = close_script };
	s->at = keys;
	s->width = width;
	s->height = height;
	return &s->base;
}
