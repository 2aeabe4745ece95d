/* SPDX-License-Identifier: MIT */
/*
 * growth.c - see growth.h.
 *
 * The lines need no script: their points are computed here. Where the dumps stand
 * is when they were taken, if the headers of all say so and each is younger than the
 * one before; otherwise they are at the same distance from each other.
 */
#include "tools/page/growth.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/common/units.h"

enum {
	POINTS_MOST = 400, /* of a line: dumps, of more every so many */
	MARKS_MOST = 50,
	/* The space in which lines are drawn; it is stretched to fit. */
	WIDTH = 1000,
	HEIGHT = 200
};

/* ---- where a dump is ----------------------------------------------------- */

struct axis {
	const struct dump_inputs *dumps;
	size_t points;
	bool timed;
};

static uint64_t time_of(const struct dump_inputs *dumps, size_t dump)
{
	return dumps->items[dump].summary->header.time_ms;
}

static bool have_times(const struct dump_inputs *dumps)
{
	if (!time_of(dumps, 0))
		return false;
	for (size_t i = 1; i < dumps->count; i++)
		if (time_of(dumps, i) <= time_of(dumps, i - 1))
			return false;
	return true;
}

/* The dump that point I of a line is about. */
static size_t dump_of(const struct axis *axis, size_t i)
{
	return i * (axis->dumps->count - 1) / (axis->points - 1);
}

static double place_of(const struct axis *axis, size_t dump)
{
	size_t last = axis->dumps->count - 1;
	uint64_t first = time_of(axis->dumps, 0);

	if (!axis->timed)
		return (double)dump * WIDTH / (double)last;
	return (double)(time_of(axis->dumps, dump) - first) * WIDTH /
	       (double)(time_of(axis->dumps, last) - first);
}

/* ---- the picture --------------------------------------------------------- */

static uint64_t value_of(const struct growth_line *line, size_t dump)
{
	return line->cells[dump].values[line->measure];
}

static uint64_t highest(const struct growth_line *lines, size_t count,
			size_t dumps)
{
	uint64_t most = 1;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < dumps; k++)
			if (value_of(&lines[i], k) > most)
				most = value_of(&lines[i], k);
	return most;
}

static void put_line(struct html *html, const struct axis *axis,
		     const struct growth_line *line, size_t tone, uint64_t most)
{
	html_putf(html,
		  "<polyline class=\"l%zu\" "
		  "vector-effect=\"non-scaling-stroke\" points=\"",
		  tone);
	for (size_t i = 0; i < axis->points; i++) {
		size_t dump = dump_of(axis, i);

		html_putf(html, "%s%.1f,%.1f", i ? " " : "",
			  place_of(axis, dump),
			  HEIGHT - (double)value_of(line, dump) * HEIGHT /
					   (double)most);
	}
	html_put(html, "\"/>\n");
}

/* At uneven distances it must be seen where a dump is. */
static void put_marks(struct html *html, const struct axis *axis)
{
	if (!axis->timed || axis->points > MARKS_MOST)
		return;
	for (size_t i = 1; i + 1 < axis->points; i++) {
		double x = place_of(axis, dump_of(axis, i));

		html_putf(html,
			  "<line class=\"mark\" "
			  "vector-effect=\"non-scaling-stroke\" x1=\"%.1f\" "
			  "x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>\n",
			  x, x, HEIGHT);
	}
}

/* Below the lines: which end is which dump, and when it was taken. */
static void put_ends(struct html *html, const struct axis *axis)
{
	size_t dumps = axis->dumps->count;
	size_t step = axis->timed || dumps > GROWTH_DUMPS ? dumps - 1 : 1;
	char time[UNITS_MAX];

	html_put(html, "<p class=\"soft ends\">");
	for (size_t k = 0; k < dumps; k += step) {
		const char *taken =
			axis->timed ? hprof_time_text(time_of(axis->dumps, k),
						      ' ', time)
				    : NULL;

		html_putf(html, "<span>dump %zu%s", k + 1, taken ? ", " : "");
		html_text(html, taken);
		html_put(html, "</span> ");
	}
	html_put(html, "</p>\n");
}

static void put_keys(struct html *html, const struct growth_line *lines,
		     size_t count)
{
	html_put(html, "<ul class=\"keys\">\n");
	for (size_t i = 0; i < count; i++) {
		html_putf(html,
			  "<li><svg class=\"key\" aria-hidden=\"true\"><line "
			  "class=\"l%zu\" x1=\"0\" y1=\"50%%\" x2=\"100%%\" "
			  "y2=\"50%%\"/></svg>",
			  i);
		html_name(html, lines[i].name);
		free(lines[i].name);
		html_put(html, "</li>\n");
	}
	html_put(html, "</ul>\n");
}

void growth_lines(struct html *html, const struct dump_inputs *dumps,
		  const char *caption, const struct growth_line *lines,
		  size_t count)
{
	const struct axis axis = {
		.dumps = dumps,
		.points =
			dumps->count < POINTS_MOST ? dumps->count : POINTS_MOST,
		.timed = have_times(dumps),
	};
	uint64_t most = highest(lines, count, dumps->count);
	char bytes[UNITS_MAX];

	html_put(html, "<figure>\n<figcaption>");
	html_text(html, caption);
	html_putf(html,
		  "; the height is %s</figcaption>\n"
		  "<svg class=\"lines\" viewBox=\"0 0 %d %d\" "
		  "preserveAspectRatio=\"none\" aria-hidden=\"true\">\n",
		  units_bytes(most, bytes), WIDTH, HEIGHT);
	put_marks(html, &axis);
	for (size_t i = 0; i < count; i++)
		put_line(html, &axis, &lines[i], i, most);
	html_put(html, "</svg>\n");
	put_ends(html, &axis);
	put_keys(html, lines, count);
	html_put(html, "</figure>\n");
}

/* ---- tables -------------------------------------------------------------- */

/* The columns of dumps: all, or the first and the last. */
static size_t shown_dumps(size_t dumps)
{
	return dumps <= GROWTH_DUMPS ? dumps : 2;
}

void growth_table_begin(struct growth_table *table, struct html *html,
			const char *caption, const struct html_column *names,
			size_t count, size_t dumps,
			enum hprof_diff_measure measure, size_t most)
{
	struct html_column *columns = table->columns;
	size_t shown = shown_dumps(dumps), n = 0;

	table->dumps = dumps;
	table->measure = measure;
	for (; n < count; n++)
		columns[n] = names[n];
	for (size_t k = 0; k < shown; k++) {
		snprintf(table->titles[k], sizeof(table->titles[k]), "dump %zu",
			 k + 1 < shown ? k + 1 : dumps);
		columns[n++] = (struct html_column){ table->titles[k],
						     HTML_BYTES, true };
	}
	columns[n++] = (struct html_column){ "grew by", HTML_BYTES, true };
	columns[n++] = (struct html_column){ "shrank by", HTML_BYTES, true };
	columns[n++] = (struct html_column){ "objects", HTML_CHANGE, false };
	html_table_begin(&table->table, html, caption, columns, n, most, 0);
}

void growth_table_cells(struct growth_table *table,
			const struct hprof_diff_cell *cells)
{
	size_t shown = shown_dumps(table->dumps), last = table->dumps - 1;
	uint64_t from = cells[0].values[table->measure];
	uint64_t to = cells[last].values[table->measure];

	for (size_t k = 0; k < shown; k++)
		html_cell_number(
			&table->table,
			cells[k + 1 < shown ? k : last].values[table->measure]);
	html_cell_number(&table->table, to > from ? to - from : 0);
	html_cell_number(&table->table, from > to ? from - to : 0);
	html_cell_change(&table->table, cells[0].values[HPROF_DIFF_INSTANCES],
			 cells[last].values[HPROF_DIFF_INSTANCES]);
}
