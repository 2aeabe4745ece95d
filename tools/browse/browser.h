/* SPDX-License-Identifier: MIT */
/*
 * browser.h - what is on the screen: columns, each with the views that were
 * opened in it, and the line at the bottom that asks for something.
 */
#ifndef TOOLS_BROWSE_BROWSER_H
#define TOOLS_BROWSE_BROWSER_H

#include "tools/browse/canvas.h"
#include "tools/browse/line_edit.h"
#include "tools/browse/marks.h"
#include "tools/browse/model.h"
#include "tools/browse/terminal.h"
#include "tools/browse/view.h"

enum { COLUMNS_MOST = 8, COLUMN_LEAST = 38, SCREEN_LINES_LEAST = 6 };

/* The views that were opened one from the other; those behind AT are ahead. */
struct history {
	struct view **views;
	size_t count, at;
};

/* What is asked for at the bottom. */
enum question {
	QUESTION_NONE,
	QUESTION_SEARCH,
	QUESTION_GO,
	QUESTION_TEXT,
	QUESTION_FILTER,
	QUESTION_FILE
};

struct browser {
	struct model *model;
	struct terminal *terminal;
	struct marks *marks;
	struct canvas canvas;
	struct history columns[COLUMNS_MOST];
	size_t column_count, focus;
	enum question question;
	struct line_edit line;
	char *search; /* what was searched for last; or NULL */
	char *status; /* the line above the keys; or NULL */
	/* Views that cannot be freed yet, since they are made. */
	struct view **orphans;
	size_t orphan_count;
	bool is_ending;
};

/* Begins with the overview. */
void browser_init(struct browser *browser, struct model *model,
		  struct terminal *terminal, struct marks *marks);
/* After the model's worker has ended. */
void browser_done(struct browser *browser);

struct view *browser_view(const struct browser *browser);

/* Opens the view, in the focused column or in one of its own to its right. */
void browser_open(struct browser *browser, const struct target *target,
		  bool in_column);
void browser_back(struct browser *browser);
void browser_forward(struct browser *browser);
void browser_close_column(struct browser *browser);

/* Takes TEXT, the answer to the last key. */
void browser_say(struct browser *browser, char *text);

/* Lets views that wait go on; true if something is still being made. */
bool browser_tick(struct browser *browser);

/* The columns that fit the screen: the first, how many. */
void browser_window(const struct browser *browser, size_t width,
		    size_t *ret_first, size_t *ret_count);

/* Where the focused view is drawn. */
struct area browser_area(const struct browser *browser, size_t column,
			 size_t width, size_t height);

#endif
