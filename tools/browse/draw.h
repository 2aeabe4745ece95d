/* SPDX-License-Identifier: MIT */
/* draw.h - a view on a canvas, and as text in a file. */
#ifndef TOOLS_BROWSE_DRAW_H
#define TOOLS_BROWSE_DRAW_H

#include <stdio.h>

#include "tools/browse/canvas.h"
#include "tools/browse/view.h"

/* Draws VIEW, and moves its window so that the cursor is in it. */
void draw_view(struct canvas *canvas, struct area area, struct view *view,
	       bool has_focus);

/* How many rows the area has room for. */
size_t draw_rows(struct area area);

/* "[####      ]", in WIDTH columns and a NUL. */
void draw_bar(char *out, size_t width, uint64_t part, uint64_t whole);

/* All rows that are shown, with whole texts and exact numbers. */
void draw_text(FILE *out, const struct view *view);

/* A row as text: its label and text. The caller frees it. */
char *draw_line(const struct view_row *row);

#endif
