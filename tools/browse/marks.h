/* SPDX-License-Identifier: MIT */
/* marks.h - rows that the user wants to come back to. */
#ifndef TOOLS_BROWSE_MARKS_H
#define TOOLS_BROWSE_MARKS_H

#include "tools/browse/view.h"

struct marks {
	size_t count, room;
	struct view_row *rows; /* copies */
};

bool marks_has(const struct marks *marks, const struct view_row *row);

/* Marks the row, or if it is marked not any more. */
void marks_change(struct marks *marks, const struct view_row *row);
void marks_done(struct marks *marks);

#endif
