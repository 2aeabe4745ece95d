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

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

struct table {
	const struct table_column *columns;
	size_t column_count;
	size_t *widths;
	/* row by row; the cells of a line are NULL but for the first */
	char **cells;
	size_t cell_count, room;
};

struct table *table_new(const struct table_column *columns, size_t count)
{
	struct table *table = cli_calloc(1, sizeof(*table));

	table->columns = columns;
	table->column_count = count;
	table->widths = cli_calloc(count, sizeof(table->widths[0]));
	for (size_t i = 0; i < count; i++)
		if (columns[i].title)
			table->widths[i] = escape_width(columns[i].title);
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->widths);
	free(table);
}

static void add_cell(struct table *table, char *cell)
{
	if (table->cell_count == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = cli_realloc(table->cells, table->room,
					   sizeof(table->cells[0]));
	}
	table->cells[table->cell_count++] = cell;
}

void table_line(struct table *table, const char *text)
{
	add_cell(table, cli_strdup(text));
	for (size_t i = 1; i < table->column_count; i++)
		add_cell(table, NULL);
}

void table_text(struct table *table, const char *text)
{
	size_t column = table->cell_count % table->column_count;
	size_t width = escape_width(text);

	add_cell(table, cli_strdup(text));
	if (width > table->widths[column])
		table->widths[column] = width;
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

/*
 * Prints a cell after GAP blanks. Returns how many blanks are due before the
 * next text, so that no line ends in blanks.
 */
static size_t print_cell(FILE *out, const char *text, size_t width, bool right,
			 size_t gap)
{
	size_t used = escape_width(text),
	       fill = width > used ? width - used : 0;

	if (!used)
		return gap + width;
	fprintf(out, "%*s%s", (int)(gap + (right ? fill : 0)), "", text);
	return right ? 0 : fill;
}

static void print_row(const struct table *table, FILE *out, unsigned indent,
		      char *const *cells)
{
	size_t gap = indent;

	for (size_t i = 0; i < table->column_count; i++) {
		const char *text = cells ? cells[i] : table->columns[i].title;

		gap = print_cell(out, text ? text : "", table->widths[i],
				 table->columns[i].align == TABLE_RIGHT, gap);
		gap += 2;
	}
	putc('\n', out);
}

void table_print(const struct table *table, FILE *out, unsigned indent)
{
	bool has_titles = false;

	assert(table->cell_count % table->column_count == 0);
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].title && table->columns[i].title[0])
			has_titles = true;
	if (has_titles)
		print_row(table, out, indent, NULL);
	for (size_t i = 0; i < table->cell_count; i += table->column_count) {
		char *const *cells = table->cells + i;

		if (table->column_count > 1 && !cells[1])
			fprintf(out, "%*s%s\n", (int)indent, "", cells[0]);
		else
			print_row(table, out, indent, cells);
	}
}
