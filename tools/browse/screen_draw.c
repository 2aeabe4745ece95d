/* SPDX-License-Identifier: MIT */
/*
 * screen_draw.c - see screen_draw.h.
 */
#include "tools/browse/screen_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/browse/draw.h"
#include "tools/browse/keys.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"

enum { PROGRESS_BAR = 22 };

static const char *const questions[] = {
	[QUESTION_SEARCH] = "Search: ",
	[QUESTION_GO] = "Go to @ID or class: ",
	[QUESTION_TEXT] = "Strings that contain: ",
	[QUESTION_FILTER] = "Rows with: ",
	[QUESTION_FILE] = "Write to file: ",
};

/* What is being made, and how far it is. */
static char *progress_text(struct browser *b)
{
	char phase[40], bar[PROGRESS_BAR + 1];
	unsigned done;

	if (!model_progress(b->model, phase, &done))
		return NULL;
	if (!done)
		return describe_format("at work: %s", phase);
	draw_bar(bar, PROGRESS_BAR, done, 1000);
	return describe_format("at work: %s %s %u%%", phase, bar, done / 10);
}

static void put_status(struct browser *b, size_t y)
{
	char *progress = progress_text(b);
	size_t width = b->canvas.width, used;

	if (b->status)
		canvas_put(&b->canvas, 0, y, width, b->status, LOOK_PLAIN);
	if (progress) {
		used = escape_width(progress, strlen(progress));
		canvas_put(&b->canvas,
			   b->status && used < width ? width - used : 0, y,
			   width, progress, LOOK_MARK);
	}
	free(progress);
}

static void put_question(struct browser *b, size_t y)
{
	const char *question = questions[b->question];
	size_t width = b->canvas.width, x = strlen(question);
	size_t typed = escape_width(b->line.text, b->line.size);
	const char *text = b->line.text;

	/* Of a long line the end is seen. */
	while (x + typed + 1 > width && *text) {
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
		typed = escape_width(text, strlen(text));
	}
	canvas_put(&b->canvas, 0, y, width, question, LOOK_HEAD);
	x += canvas_put(&b->canvas, x, y, width, text, LOOK_PLAIN);
	canvas_put(&b->canvas, x, y, 1, "_", LOOK_CURSOR);
}

/* "?:help q:quit Enter:open ...": as many as fit. */
static void put_keys(struct browser *b, size_t y)
{
	size_t x = 0, width = b->canvas.width;

	for (size_t i = 0; i < key_table_count; i++) {
		const struct key_help *k = &key_table[i];
		size_t size = strcspn(k->keys, " ");
		char text[40];

		if (!k->brief)
			continue;
		snprintf(text, sizeof(text), "%.*s:%s", (int)size, k->keys,
			 k->brief);
		if (x + strlen(text) > width)
			break;
		canvas_put(&b->canvas, x, y, width, text, LOOK_FAINT);
		x += strlen(text) + 1;
	}
}

static void put_columns(struct browser *b)
{
	size_t width = b->canvas.width, height = b->canvas.height;
	size_t first, count;

	browser_window(b, width, &first, &count);
	for (size_t i = first; i < first + count; i++) {
		struct history *h = &b->columns[i];
		struct area a = browser_area(b, i, width, height);

		draw_view(&b->canvas, a, h->views[h->at], i == b->focus);
		for (size_t y = 0; i > first && y < a.height; y++)
			canvas_put(&b->canvas, a.x - 1, y, 1, "|", LOOK_FAINT);
	}
}

void screen_draw(struct browser *b)
{
	size_t width, height;

	b->terminal->size(b->terminal, &width, &height);
	canvas_reset(&b->canvas, width, height);
	if (height < SCREEN_LINES_LEAST || width < COLUMN_LEAST) {
		canvas_put(&b->canvas, 0, 0, width, "the window is too small",
			   LOOK_PLAIN);
	} else {
		put_columns(b);
		put_status(b, height - 2);
		if (b->question)
			put_question(b, height - 1);
		else
			put_keys(b, height - 1);
	}
	b->terminal->show(b->terminal, &b->canvas);
}
