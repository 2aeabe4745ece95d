/* SPDX-License-Identifier: MIT */
/*
 * html.h - writes HTML into memory: text that cannot become markup, and tables
 * that never grow beyond a limit.
 *
 * A page must stay small whatever the dump has. So the document has a limit, and
 * all that repeats, rows, frames, blocks of text, stops there and says how much is
 * left out. For a while the limit can be lower, so that there is room for what
 * comes later. Only what comes once, and the first of what repeats, crosses it,
 * and each text has a limit of its own.
 *
 * Texts come from dumps: they are escaped for a terminal, which makes characters
 * visible that would change the order of others, and then for HTML.
 */
#ifndef TOOLS_PAGE_HTML_H
#define TOOLS_PAGE_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof.h>

struct html {
	char *text;
	size_t size, room;
	size_t limit;	  /* that what repeats may fill */
	unsigned next_id; /* of what is named by another element */
};

void html_free(struct html *html);

/* Markup of ours, as it is. */
void html_put(struct html *html, const char *markup);
void html_put_bytes(struct html *html, const char *bytes, size_t size);
void html_putf(struct html *html, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Text for an element or a quoted attribute; NULL gives nothing. However long it is,
 * about 6,000 bytes are shown.
 */
void html_text(struct html *html, const char *text);
/*
 * The same of a name, or of a sentence with names, which may be broken between their
 * parts if they are long.
 */
void html_name(struct html *html, const char *name);
/* As html_text, and frees TEXT. */
void html_own(struct html *html, char *text);

/* <TAG>TEXT</TAG>, TEXT as html_name has it; TAG without attributes. */
void html_element(struct html *html, const char *tag, const char *text);
/* A box with the sentence TEXT. */
void html_warning(struct html *html, const char *text);

/* ---- room ---------------------------------------------------------------- */

/* Whether BYTES more fit below the limit; false also if it has been crossed. */
bool html_has_room(const struct html *html, size_t bytes);

/*
 * Lower the limit: so that BYTES of the room stay free, or to one of COUNT equal
 * shares of it. Both return the limit that the caller puts back.
 */
size_t html_keep(struct html *html, size_t bytes);
size_t html_share(struct html *html, size_t count);

/* ---- stacks -------------------------------------------------------------- */

/* The first frames as an element pre, at most MOST, and how many more there are. */
void html_frames(struct html *html, const struct hprof_stack_frame *frames,
		 size_t count, size_t most);

/* ---- tables -------------------------------------------------------------- */

enum html_cell {
	HTML_NAME,  /* text that names the row: its header */
	HTML_TEXT,  /* other text */
	HTML_COUNT, /* a number */
	HTML_BYTES, /* a size */
	HTML_SHARE, /* a size as a part of the whole, with a bar */
	HTML_CHANGE /* by how much a number grew or shrank */
};

struct html_column {
	const char *title;
	enum html_cell cell;
	bool sum; /* rows that are not shown are added up */
};

enum { HTML_COLUMNS = 12 };

struct html_table {
	struct html *html;
	const struct html_column *columns;
	size_t column_count;
	uint64_t whole; /* of shares */
	size_t most;	/* rows; 0: no limit but that of the page */
	size_t row;	/* where the row begins */
	size_t at;	/* the next column */
	size_t shown;
	const char *one, *many; /* what rows are of; NULL: rows */
	uint64_t left;		/* rows that are not shown … */
	uint64_t values[HTML_COLUMNS],
		sums[HTML_COLUMNS]; /* … and their sums */
};

/*
 * Begins a table of COUNT columns, which must outlive it. MOST: see the struct.
 */
void html_table_begin(struct html_table *table, struct html *html,
		      const char *caption, const struct html_column *columns,
		      size_t count, size_t most, uint64_t whole);

/*
 * The next cell of a row, which ends with its last one. Each kind of number is
 * shown as its column says.
 */
void html_cell_text(struct html_table *table, const char *text);
void html_cell_own(struct html_table *table, char *text); /* frees TEXT */
/*
 * The name of a row of a tree, DEPTH levels below the uppermost: a dot for each row
 * above it, and, for those who hear the page, the number of its level.
 */
void html_cell_tree(struct html_table *table, const char *name, size_t depth);
void html_cell_number(struct html_table *table, uint64_t number);

void html_cell_change(struct html_table *table, uint64_t before,
		      uint64_t after);

/* Rows that have no cells: what is left out of a tree. */
void html_table_skip(struct html_table *table, uint64_t rows);

/*
 * Instead of rows and their sums: LEFT of what ONE and MANY are words for, "more
 * object", "more objects", have no row, and in COLUMN they have the sum SUM. The
 * words must outlive the table.
 */
void html_table_rest(struct html_table *table, uint64_t left, const char *one,
		     const char *many, size_t column, uint64_t sum);

void html_table_end(struct html_table *table);

#endif
