/* SPDX-License-Identifier: MIT */
/*
 * table.c - see table.h.
 *
 * Columns are separated by two blanks and no lines, which is easy to read and
 * to process with awk(1).
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/screen.h"
#include "tools/common/shorten.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

enum kind { KIND_NAMES, KIND_WORDS, KIND_FILE, KIND_TAIL };

struct cell {
	char *text; /* NULL: there is a line of text in place of the row */
	enum kind kind;
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	size_t *widths;
	size_t *words; /* of each column, width of what is never shortened */
	size_t *least; /* of each column, the width that its names need */
	bool files;    /* some cell is a KIND_FILE */
	bool tall;     /* titles of numbers have two lines */
	struct cell *cells; /* row by row */
	size_t cell_count, room;
};

/*
 * What LINE, 0 or 1, of the title of that column consists of. Only in a tall
 * table the first line is not empty.
 */
static const char *title_line(const struct table *table, size_t column,
			      unsigned line, size_t *ret_length)
{
	const char *title = table->columns[column].title, *blank;

	if (!title)
		title = "";
	*ret_length = strlen(title);
	blank = table->tall && table->columns[column].align == TABLE_RIGHT
			? strchr(title, ' ')
			: NULL;
	if (line == 0)
		*ret_length = blank ? (size_t)(blank - title) : 0;
	else if (blank)
		*ret_length -= (size_t)(blank + 1 - title);
	return line && blank ? blank + 1 : title;
}

static size_t title_width(const struct table *table, size_t column)
{
	size_t upper, lower;

	title_line(table, column, 0, &upper);
	title_line(table, column, 1, &lower);
	return upper > lower ? upper : lower;
}

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *table = cli_calloc(1, sizeof(*table));

	table->columns = columns;
	table->column_count = count;
	table->widths = cli_calloc(count, sizeof(table->widths[0]));
	table->words = cli_calloc(count, sizeof(table->words[0]));
	table->least = cli_calloc(count, sizeof(table->least[0]));
	for (size_t i = 0; i < count; i++)
		table->widths[i] = table->words[i] = title_width(table, i);
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i].text);
	free(table->cells);
	free(table->widths);
	free(table->words);
	free(table->least);
	free(table);
}

static void add_cell(struct table *table, const char *text, enum kind kind)
{
	if (table->cell_count == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = cli_realloc(table->cells, table->room,
					   sizeof(table->cells[0]));
	}
	table->cells[table->cell_count++] =
		(struct cell){ text ? cli_strdup(text) : NULL, kind };
}

/* Is the row of that cell a line of text? */
static bool is_line(const struct table *table, size_t cell)
{
	size_t first = cell - cell % table->column_count;

	return table->column_count > 1 && !table->cells[first + 1].text;
}

void table_line(struct table *table, const char *text)
{
	add_cell(table, text, KIND_NAMES);
	for (size_t i = 1; i < table->column_count; i++)
		add_cell(table, NULL, KIND_NAMES);
}

static void add_text(struct table *table, const char *text, enum kind kind)
{
	size_t column = table->cell_count % table->column_count;
	size_t width = escape_width(text, strlen(text));

	add_cell(table, text, kind);
	if (kind == KIND_TAIL)
		return;
	if (width > table->widths[column])
		table->widths[column] = width;
	if (kind == KIND_WORDS && width > table->words[column])
		table->words[column] = width;
}

void table_text(struct table *table, const char *text)
{
	add_text(table, text, KIND_NAMES);
}

void table_words(struct table *table, const char *text)
{
	add_text(table, text, KIND_WORDS);
}

void table_tail(struct table *table, const char *text)
{
	add_text(table, text, KIND_TAIL);
}

void table_file(struct table *table, const char *path)
{
	add_text(table, path, KIND_FILE);
	table->files = true;
}

void table_count(struct table *table, uint64_t count)
{
	char text[UNITS_MAX];

	table_text(table, units_count(count, text));
}

void table_share(struct table *table, uint64_t part, uint64_t whole)
{
	char text[UNITS_MAX];

	table_text(table, units_share(part, whole, text));
}

/* ---- widths ------------------------------------------------------------- */

#define GAP 2
/* Names are not made shorter than that, even if lines are too long then. */
#define NAME_LEAST 12
/* With less than that, the names of the last column get lines of their own. */
#define NAME_ENOUGH 24
/*
 * Words of most names are not made shorter than that to keep them beside the rest of
 * their row: those of the last column are what the row is about.
 */
#define WORD_ENOUGH 10
#define LAST_WORD_ENOUGH 16
/* So many of them at least; one long name among many is no reason. */
#define MOST(count) ((count) - (count) / 5)
/* The least that shorten.h allows; no name has numbers in pieces for the others. */
#define WORD_LEAST 7
/* A name that needs more loses its middle. */
#define NEED_MOST 48

/* A name has few words, as in "static a.b.C.d" or "a.b.C @0x1 "app"". */
#define BLANKS_MOST 3

/* May the text lose its middle, since it is more than a name? */
static bool is_sentence(const char *text)
{
	size_t blanks = 0;

	text += strspn(text, " ");
	for (bool quoted = false; *text; text++) {
		quoted ^= *text == '"';
		blanks += *text == ' ' && !quoted;
	}
	return blanks > BLANKS_MOST;
}

/* How many columns a cell needs, if words of names may have so many. */
static size_t need_of(const char *text, size_t word)
{
	size_t need = is_sentence(text) ? 0 : shorten_least(text, word);

	return need < NEED_MOST ? need : NEED_MOST;
}

static int compare_sizes(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* How many columns the names of a column need. */
static size_t column_need(const struct table *table, size_t column)
{
	size_t columns = table->column_count, count = 0, need = 0;
	size_t word = column == columns - 1 ? LAST_WORD_ENOUGH : WORD_ENOUGH;
	size_t *needs =
		cli_calloc(table->cell_count / columns + 1, sizeof(needs[0]));

	for (size_t i = column; i < table->cell_count; i += columns) {
		const struct cell *cell = &table->cells[i];
		size_t least;

		if (cell->kind != KIND_NAMES || is_line(table, i))
			continue;
		needs[count++] = need_of(cell->text, word);
		least = need_of(cell->text, WORD_LEAST);
		need = least > need ? least : need;
	}
	if (count) {
		qsort(needs, count, sizeof(needs[0]), compare_sizes);
		if (need < needs[MOST(count) - 1])
			need = needs[MOST(count) - 1];
	}
	free(needs);
	return need;
}

/* Called before cells are shortened. */
static void find_needs(struct table *table)
{
	size_t last = table->column_count - 1;

	for (size_t i = 0; i <= last; i++) {
		size_t need = i && i == last ? NAME_ENOUGH : NAME_LEAST;

		table->least[i] = need;
		if (table->columns[i].align == TABLE_RIGHT)
			continue;
		need = column_need(table, i);
		if (table->least[i] < need)
			table->least[i] = need;
	}
}

static size_t capped_width(const struct table *table, size_t column,
			   size_t limit)
{
	size_t width = table->widths[column];

	if (table->columns[column].align == TABLE_RIGHT)
		return width;
	if (limit < table->words[column])
		limit = table->words[column];
	if (limit < table->least[column])
		limit = table->least[column];
	return width < limit ? width : limit;
}

/* The width of all columns, if those with names have at most LIMIT. */
static size_t total_width(const struct table *table, size_t limit)
{
	size_t total = GAP * (table->column_count - 1);

	for (size_t i = 0; i < table->column_count; i++)
		total += capped_width(table, i, limit);
	return total;
}

/* The most columns that a name may have for the table to fit into WIDTH. */
static size_t find_limit(const struct table *table, size_t width)
{
	size_t low = NAME_LEAST, high = width > low ? width : low;

	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (total_width(table, middle) <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void shorten_cell(struct cell *cell, size_t limit)
{
	char *shorter;

	if (cell->kind == KIND_WORDS || cell->kind == KIND_TAIL)
		return;
	shorter = cell->kind == KIND_FILE ? shorten_file(cell->text, limit)
					  : shorten_text(cell->text, limit);
	free(cell->text);
	cell->text = shorter;
}

static void measure_column(struct table *table, size_t column)
{
	size_t width = title_width(table, column);

	for (size_t i = column; i < table->cell_count;
	     i += table->column_count) {
		const char *text = table->cells[i].text;
		size_t used = text && !is_line(table, i)
				      ? escape_width(text, strlen(text))
				      : 0;

		if (used > width)
			width = used;
	}
	table->widths[column] = width;
}

static void make_tall(struct table *table)
{
	table->tall = true;
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].align == TABLE_RIGHT)
			measure_column(table, i);
}

/* Shortens what is too long in a column. It may become narrower than LIMIT. */
static void shorten_column(struct table *table, size_t column, size_t limit)
{
	for (size_t i = column; i < table->cell_count; i += table->column_count)
		if (!is_line(table, i))
			shorten_cell(&table->cells[i], limit);
	measure_column(table, column);
}

static void shorten_columns(struct table *table, size_t count, size_t limit)
{
	for (size_t i = 0; i < count; i++) {
		size_t width = capped_width(table, i, limit);

		if (table->widths[i] > width)
			shorten_column(table, i, width);
	}
}

/* Does the table fit into WIDTH, with enough room for the last column? */
static bool has_room(const struct table *table, size_t width)
{
	size_t last = table->column_count - 1;

	if (total_width(table, SIZE_MAX) <= width)
		return true;
	if (table->files)
		return false;
	return last == 0 || table->columns[last].align == TABLE_RIGHT ||
	       total_width(table, 0) <= width;
}

bool table_has_room(struct table *table, unsigned indent)
{
	size_t width = screen_width_after(indent);

	if (total_width(table, SIZE_MAX) > width) {
		find_needs(table);
		make_tall(table);
	}
	return has_room(table, width);
}

/*
 * Makes the table fit into WIDTH. Returns false if its last column has to go to
 * lines of its own.
 */
static bool fit(struct table *table, size_t width)
{
	size_t count = table->column_count, last = count - 1;

	if (total_width(table, SIZE_MAX) > width) {
		find_needs(table);
		make_tall(table);
	}
	if (has_room(table, width)) {
		shorten_columns(table, count, find_limit(table, width));
		return true;
	}
	shorten_column(table, last, width);
	table->widths[last] = table->words[last] = 0;
	shorten_columns(table, last, find_limit(table, width));
	return false;
}

/* ---- printing ----------------------------------------------------------- */

/*
 * Prints a cell of that column after BEFORE blanks. Returns how many blanks are
 * due before the next text, so that no line ends in blanks.
 */
static size_t print_cell(FILE *out, const char *text, size_t size,
			 const struct table *table, size_t column,
			 size_t before)
{
	bool right = table->columns[column].align == TABLE_RIGHT;
	size_t width = table->widths[column], used = escape_width(text, size);
	size_t fill = width > used ? width - used : 0;

	if (!used)
		return before + width;
	fprintf(out, "%*s", (int)(before + (right ? fill : 0)), "");
	fwrite(text, 1, size, out);
	return right ? 0 : fill;
}

/* Prints the first COUNT cells of a row. */
static void print_row(const struct table *table, FILE *out, unsigned indent,
		      const struct cell *cells, size_t count)
{
	size_t before = indent;

	for (size_t i = 0; i < count; i++) {
		const char *text = cells[i].text;

		before = print_cell(out, text, strlen(text), table, i, before);
		before += GAP;
	}
	putc('\n', out);
}

/* Prints that line of the first COUNT titles, if it has any. */
static void print_titles(const struct table *table, FILE *out, unsigned indent,
			 unsigned line, size_t count)
{
	size_t before = indent, length;
	bool empty = true;

	for (size_t i = 0; i < count; i++) {
		title_line(table, i, line, &length);
		empty &= !length;
	}
	for (size_t i = 0; i < count && !empty; i++) {
		const char *title = title_line(table, i, line, &length);

		before = print_cell(out, title, length, table, i, before);
		before += GAP;
	}
	if (!empty)
		putc('\n', out);
}

/*
 * Prints the rows. If they are to be SPLIT, the last cell of each comes first,
 * on a line of its own.
 */
static void print_rows(const struct table *table, FILE *out, unsigned indent,
		       bool split)
{
	size_t columns = table->column_count, last = columns - 1;

	for (size_t i = 0; i < table->cell_count; i += columns) {
		const struct cell *cells = table->cells + i;

		if (is_line(table, i)) {
			screen_line(out, indent, cells[0].text);
			continue;
		}
		if (split)
			fprintf(out, "%*s%s\n", (int)indent, "",
				cells[last].text);
		print_row(table, out, indent, cells, columns - split);
	}
}

void table_print(struct table *table, FILE *out, unsigned indent)
{
	bool split;

	assert(table->cell_count % table->column_count == 0);
	split = !fit(table, screen_width_after(indent));
	print_titles(table, out, indent, 0, table->column_count - split);
	print_titles(table, out, indent, 1, table->column_count - split);
	print_rows(table, out, indent, split);
}
