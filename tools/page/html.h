/* SPDX-License-Identifier: MIT */
/*
 * html.h - writes HTML into memory: text that cannot become markup, and tables
 * that never grow beyond a limit.
 *
 * A page must stay small whatever the dump has. So a table shows the rows that
 * it has room for and adds up the rest, and the document as a whole has a limit
 * that no row crosses. Texts come from dumps: they are escaped for a terminal,
 * which makes characters visible that would change the order of others, and
 * then for HTML.
 */
#ifndef TOOLS_PAGE_HTML_H
#define TOOLS_PAGE_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct html {
	char *text;
	size_t size, room;
	size_t limit;	  /* that rows of tables may fill */
	unsigned next_id; /* of what is named by another element */
};

void html_free(struct html *html);

/* Markup of ours, as it is. */
void html_put(struct html *html, const char *markup);
void html_put_bytes(struct html *html, const char *bytes, size_t size);
void html_putf(struct html *html, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text for an element or a quoted attribute; NULL gives nothing. */
void html_text(struct html *html, const char *text);
/* The same, and frees TEXT. */
void html_own(struct html *html, char *text);

/* <TAG>TEXT</TAG>; TAG without attributes. */
void html_element(struct html *html, const char *tag, const char *text);

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
	size_t begin;	/* where the table begins in the page */
	size_t row;	/* where the row begins */
	size_t at;	/* the next column */
	size_t shown;
	uint64_t left; /* rows that are not shown … */
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
void html_cell_number(struct html_table *table, uint64_t number);

void html_cell_change(struct html_table *table, uint64_t before,
		      uint64_t after);

/* Rows that have no cells, because there are too many of them. */
void html_table_skip(struct html_table *table, uint64_t rows);

void html_table_end(struct html_table *table);

#endif
