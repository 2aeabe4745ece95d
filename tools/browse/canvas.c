/* SPDX-License-Identifier: MIT */
/*
 * canvas.c - see canvas.h.
 */
#include "tools/browse/canvas.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/char_width.h"
#include "tools/common/cli.h"
#include "tools/common/escape.h"

#include <hprof.h>

void canvas_reset(struct canvas *c, size_t width, size_t height)
{
	size_t count = width * height;

	if (c->width != width || c->height != height || !c->cells)
		c->cells = cli_realloc(c->cells, count + 1, sizeof(*c->cells));
	c->width = width;
	c->height = height;
	for (size_t i = 0; i < count; i++)
		c->cells[i] = (struct canvas_cell){ .text = " " };
}

void canvas_done(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){ 0 };
}

static struct canvas_cell *cell_at(struct canvas *c, size_t x, size_t y)
{
	return &c->cells[y * c->width + x];
}

const struct canvas_cell *canvas_at(const struct canvas *c, size_t x, size_t y)
{
	return &c->cells[y * c->width + x];
}

/* A character that takes no column joins the one before it, if it has room. */
static void join(struct canvas_cell *cell, const char *bytes, size_t size)
{
	size_t used = strlen(cell->text);

	if (used + size < CANVAS_TEXT) {
		memcpy(cell->text + used, bytes, size);
		cell->text[used + size] = '\0';
	}
}

static void set(struct canvas_cell *cell, const char *bytes, size_t size,
		enum canvas_look look)
{
	memcpy(cell->text, bytes, size);
	cell->text[size] = '\0';
	cell->look = (unsigned char)look;
}

size_t canvas_put(struct canvas *c, size_t x, size_t y, size_t width,
		  const char *text, enum canvas_look look)
{
	size_t left = strlen(text), used = 0;

	if (y >= c->height || x >= c->width)
		return 0;
	if (width > c->width - x)
		width = c->width - x;
	while (left) {
		uint32_t point;
		size_t size = escape_decode(text, left, &point);
		size_t columns;

		/* A fault of the caller's must not reach the terminal. */
		if (size && hprof_char_is_unsafe(point))
			size = 0;
		columns = size ? char_width(point) : 1;
		if (used + columns > width)
			break;
		if (!size)
			set(cell_at(c, x + used, y), "?", 1, look);
		else if (columns)
			set(cell_at(c, x + used, y), text, size, look);
		else if (used)
			join(cell_at(c, x + used - 1, y), text, size);
		if (columns == 2)
			set(cell_at(c, x + used + 1, y), "", 0, look);
		used += columns;
		text += size ? size : 1;
		left -= size ? size : 1;
	}
	return used;
}

void canvas_tint(struct canvas *c, size_t x, size_t y, size_t width,
		 enum canvas_look look)
{
	if (y >= c->height)
		return;
	for (size_t i = x; i < x + width && i < c->width; i++)
		cell_at(c, i, y)->look = (unsigned char)look;
}
