/* SPDX-License-Identifier: MIT */
/*
 * canvas.h - a screen in memory: what is drawn before a terminal shows it, and
 * what tests compare.
 */
#ifndef TOOLS_BROWSE_CANVAS_H
#define TOOLS_BROWSE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

enum canvas_look {
	LOOK_PLAIN,
	LOOK_TITLE,  /* of the column that has the focus */
	LOOK_FAINT,  /* titles of the others, notes */
	LOOK_HEAD,   /* of columns, and headings among the rows */
	LOOK_CURSOR, /* the row that keys are about */
	LOOK_MARK,
	LOOK_BAR,
	LOOK_COUNT
};

#define CANVAS_TEXT 16 /* bytes of a character and what joins it, with NUL */

struct canvas_cell {
	char text[CANVAS_TEXT]; /* "": the second half of a wide character */
	unsigned char look;
};

struct canvas {
	size_t width, height;
	struct canvas_cell *cells; /* row by row */
};

/* A rectangle of a canvas. */
struct area {
	size_t x, y, width, height;
};

/* Makes the canvas that size, and blank. */
void canvas_reset(struct canvas *canvas, size_t width, size_t height);
void canvas_done(struct canvas *canvas);

/*
 * Puts TEXT, which must be escaped already, at X and Y, in at most WIDTH
 * columns. Returns how many it took. What lies outside is left out.
 */
size_t canvas_put(struct canvas *canvas, size_t x, size_t y, size_t width,
		  const char *text, enum canvas_look look);

/* Changes how a part of a line looks. */
void canvas_tint(struct canvas *canvas, size_t x, size_t y, size_t width,
		 enum canvas_look look);

const struct canvas_cell *canvas_at(const struct canvas *canvas, size_t x,
				    size_t y);

#endif
