/* SPDX-License-Identifier: MIT */
/* line_edit.h - a line that the user types, as UTF-8. */
#ifndef TOOLS_BROWSE_LINE_EDIT_H
#define TOOLS_BROWSE_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

struct line_edit {
	char text[512];
	size_t size;
};

void line_edit_set(struct line_edit *line, const char *text);

/* Adds a character, or removes some: true if KEY was for the line. */
bool line_edit_key(struct line_edit *line, int key);

#endif
