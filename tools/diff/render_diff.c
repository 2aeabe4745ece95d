/* SPDX-License-Identifier: MIT */
/*
 * render_diff.c - the comparison as text.
 *
 * For two dumps a row has the values before and after. For more dumps there is
 * a column for each, and a mark on rows that grew from each dump to the next.
 * Where a screen has no room for all columns and the names, columns go first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/diff/diff_sites.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/prose.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

/* ---- columns ------------------------------------------------------------- */

enum { COLUMNS_MAX = 10 };

/* What a table has besides the last value, its change, and the name. */
enum detail {
	DETAIL_COUNTS = 1, /* of two dumps, how many instances each has */
	DETAIL_GROWTH = 2, /* the change as a share of the first value */
	DETAIL_SIDES = 4   /* the values of the dumps before the last */
};

/* Tried in this order until names have enough room. */
static const unsigned details[] = { DETAIL_COUNTS | DETAIL_GROWTH |
					    DETAIL_SIDES,
				    DETAIL_GROWTH | DETAIL_SIDES, DETAIL_SIDES,
				    DETAIL_GROWTH, 0 };

struct columns {
	unsigned detail;
	struct table_column *items;
	char **names; /* titles of the dumps' columns */
	size_t count;
};

static void column(struct columns *columns, const char *title, int align)
{
	struct table_column *to = &columns->items[columns->count++];

	to->title = title;
	if (align)
		to->align = TABLE_RIGHT;
}

static const char *title_of(const struct diff_report *report)
{
	static const char *const words[] = { "class", "package",
					     "superclass and all below it",
					     "loader" };

	return words[report->how.by];
}

static bool has_dump(const struct diff_report *report, unsigned detail,
		     size_t i)
{
	return (detail & DETAIL_SIDES) || i + 1 == report->dumps->count;
}

static bool is_other_measure(const struct diff_report *report, unsigned measure)
{
	return measure != report->how.measure &&
	       (measure != HPROF_DIFF_RETAINED || report->how.retained);
}

static bool has_both_counts(const struct diff_report *report, unsigned detail,
			    unsigned measure)
{
	return (detail & DETAIL_COUNTS) && report->dumps->count == 2 &&
	       measure == HPROF_DIFF_INSTANCES;
}

/* The main measure: a value for each dump, the change, and the growth. */
static void main_columns(struct columns *columns,
			 const struct diff_report *report)
{
	size_t count = report->dumps->count;
	const char *word = diff_measure_word(report->how.measure);

	columns->names = cli_calloc(count, sizeof(char *));
	for (size_t i = 0; i < count; i++) {
		if (!has_dump(report, columns->detail, i))
			continue;
		columns->names[i] =
			count == 2 ? describe_format("%s %s", word,
						     i ? "after" : "before")
				   : describe_format("%s %zu", word, i + 1);
		column(columns, columns->names[i], 1);
	}
	column(columns, "change", 1);
	if (columns->detail & DETAIL_GROWTH)
		column(columns, "growth", 1);
}

static struct columns make_columns(const struct diff_report *report,
				   unsigned detail)
{
	struct columns columns = { .detail = detail };

	columns.items = cli_calloc(report->dumps->count + COLUMNS_MAX,
				   sizeof(columns.items[0]));
	main_columns(&columns, report);
	for (unsigned m = HPROF_DIFF_MEASURES; m-- > 0;) {
		if (!is_other_measure(report, m))
			continue;
		if (has_both_counts(report, detail, m)) {
			column(&columns, "instances before", 1);
			column(&columns, "after", 1);
			column(&columns, "change", 1);
		} else {
			column(&columns,
			       diff_measure_word((enum hprof_diff_measure)m),
			       1);
		}
	}
	if (report->dumps->count > 2)
		column(&columns, "", 0);
	column(&columns, title_of(report), 0);
	return columns;
}

static void free_columns(struct columns *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(columns->names[i]);
	free((void *)columns->names);
	free(columns->items);
}

/* ---- rows ---------------------------------------------------------------- */

/* A table in the making. */
struct rows {
	const struct diff_report *report;
	unsigned detail;
	struct table *table;
};

static void value_cells(const struct rows *rows,
			const struct hprof_diff_cell *cells)
{
	enum hprof_diff_measure measure = rows->report->how.measure;
	size_t last = rows->report->dumps->count - 1;
	uint64_t from = cells[0].values[measure];
	uint64_t to = cells[last].values[measure];
	struct table *table = rows->table;
	char text[UNITS_MAX];

	for (size_t i = 0; i <= last; i++)
		if (has_dump(rows->report, rows->detail, i))
			table_count(table, cells[i].values[measure]);
	table_text(table, units_change(from, to, text));
	if (rows->detail & DETAIL_GROWTH)
		table_text(table, !cells[last].items && cells[0].items
					  ? "gone"
					  : units_growth(from, to, text));
	for (unsigned m = HPROF_DIFF_MEASURES; m-- > 0;) {
		if (!is_other_measure(rows->report, m))
			continue;
		if (has_both_counts(rows->report, rows->detail, m)) {
			table_count(table, cells[0].values[m]);
			table_count(table, cells[1].values[m]);
		}
		table_text(table, units_change(cells[0].values[m],
					       cells[last].values[m], text));
	}
}

static void name_cell(struct table *table, const struct hprof_diff_row *row)
{
	char *name = escape_copy(*row->name ? row->name : "(empty name)",
				 DESCRIBE_NAME_LIMIT);

	if (row->loader) {
		char *loader = escape_copy(row->loader, DESCRIBE_NAME_LIMIT);
		char *both = describe_format("%s  (loader %s)", name, loader);

		free(name);
		free(loader);
		name = both;
	}
	table_text(table, name);
	free(name);
}

static void put_rows(const struct rows *rows)
{
	const struct diff_report *report = rows->report;
	size_t count = diff_row_count(report);

	for (size_t i = 0; i < count; i++) {
		const struct hprof_diff_row *row = report->rows[i];

		value_cells(rows, row->cells);
		if (report->dumps->count > 2)
			table_words(rows->table, row->grows[report->how.measure]
							 ? "grows"
							 : "");
		name_cell(rows->table, row);
	}
}

/* ---- sums ---------------------------------------------------------------- */

static void sum_row(const struct rows *rows,
		    const struct hprof_diff_cell *cells, const char *name)
{
	value_cells(rows, cells);
	if (rows->report->dumps->count > 2)
		table_text(rows->table, "");
	table_words(rows->table, name);
}

/* "matching", "growing": what all rows have that count for the sums. */
static char *filter_words(const struct diff_report *report)
{
	return describe_format("%s%s", report->how.growing ? " growing" : "",
			       report->how.match->count ? " matching" : "");
}

/* Superclasses overlap and so do retained sets: they have no sums. */
static void put_sums(const struct rows *rows)
{
	const struct diff_report *report = rows->report;
	size_t shown = diff_row_count(report), dumps = report->dumps->count;
	size_t left = report->count - shown;
	struct hprof_diff_cell *rest = cli_calloc(dumps, sizeof(*rest));
	char count[UNITS_MAX], *name, *filter;

	for (size_t i = shown; i < report->count; i++)
		diff_add_cells(rest, report->rows[i], dumps);
	if (left) {
		name = describe_format("(%s more %s)", units_count(left, count),
				       rollup_word(report->how.by, left));
		sum_row(rows, rest, name);
		free(name);
	}
	free(rest);
	if (report->fitting < 2)
		return;
	filter = filter_words(report);
	name = describe_format("(all %s%s %s)",
			       units_count(report->fitting, count), filter,
			       rollup_word(report->how.by, report->fitting));
	sum_row(rows, report->totals, name);
	free(filter);
	free(name);
}

/* Prints the table if names have enough room, or must do with what they have. */
static bool try_table(FILE *out, const struct diff_report *report,
		      unsigned detail)
{
	struct columns columns = make_columns(report, detail);
	const struct rows rows = { report, detail,
				   table_new(columns.items, columns.count) };
	bool fits;

	put_rows(&rows);
	if (report->how.by != ROLLUP_SUPER &&
	    report->how.measure != HPROF_DIFF_RETAINED)
		put_sums(&rows);
	fits = !detail || table_has_room(rows.table, 0);
	if (fits)
		table_print(rows.table, out, 0);
	table_free(rows.table);
	free_columns(&columns, report->dumps->count);
	return fits;
}

static void put_table(FILE *out, const struct diff_report *report)
{
	size_t i = 0;

	putc('\n', out);
	while (!try_table(out, report, details[i]))
		i++;
	if (report->how.measure == HPROF_DIFF_RETAINED &&
	    report->count > diff_row_count(report))
		fprintf(out, "(%zu more)\n",
			report->count - diff_row_count(report));
}

/* ---- what to ask next ---------------------------------------------------- */

/* Arrays of primitives, and what the JDK has for everybody. */
static bool belongs_to_anyone(const char *name)
{
	static const char *const primitives[] = { "boolean[", "byte[",	"char[",
						  "short[",   "int[",	"long[",
						  "float[",   "double[" };

	for (size_t i = 0; i < sizeof(primitives) / sizeof(primitives[0]); i++)
		if (!strncmp(name, primitives[i], strlen(primitives[i])))
			return true;
	return !strncmp(name, "java.lang.", 10) ||
	       !strncmp(name, "java.util.", 10);
}

static bool grew_more(const struct diff_report *report,
		      const struct hprof_diff_row *row, uint64_t *most)
{
	size_t last = report->dumps->count - 1;
	uint64_t from = row->cells[0].values[HPROF_DIFF_BYTES];
	uint64_t to = row->cells[last].values[HPROF_DIFF_BYTES];

	if (to <= from || to - from <= *most)
		return false;
	*most = to - from;
	return true;
}

/*
 * That byte[] grew most says nothing about the cause: somebody's objects hold
 * them.
 */
static void put_hint(FILE *out, const struct diff_report *report)
{
	const struct hprof_diff_row *first = NULL;
	char *name, *line;
	uint64_t most = 0;

	if (report->how.retained || report->how.by != ROLLUP_CLASS)
		return;
	for (size_t i = 0; i < report->count; i++)
		if (grew_more(report, report->rows[i], &most))
			first = report->rows[i];
	if (!first || !belongs_to_anyone(first->name))
		return;
	name = escape_copy(first->name, DESCRIBE_NAME_LIMIT);
	line = describe_format("Mostly %s grew, which any class may hold: "
			       "--retained names the holder.",
			       name);
	putc('\n', out);
	prose_wrap(out, 0, line);
	free(name);
	free(line);
}

/* ---- the thresholds ------------------------------------------------------ */

static void put_thresholds(FILE *out, const struct thresholds *thresholds)
{
	if (thresholds->count)
		putc('\n', out);
	for (size_t i = 0; i < thresholds->count; i++) {
		const struct verdict *verdict = &thresholds->verdicts[i];
		char *text = escape_copy(verdict->expression->text, 0);

		fprintf(out, "%s  %s\n", verdict->failed ? "FAILED" : "passed",
			text);
		free(text);
		if (!verdict->sentence)
			continue;
		text = escape_copy(verdict->sentence, 0);
		fprintf(out, "        %s\n", text);
		free(text);
	}
}

void render_diff(FILE *out, const struct diff_report *report)
{
	char count[UNITS_MAX];
	size_t same = report->fitting - report->count;

	render_diff_dumps(out, report->dumps);
	if (report->count)
		put_table(out, report);
	else
		fprintf(out, "\nno %s %s\n", rollup_word(report->how.by, 1),
			report->how.growing ? "grows in every step"
					    : "differs");
	if (same)
		fprintf(out, "\n%s %s the same in all dumps\n",
			units_count(same, count),
			rollup_word(report->how.by, same));
	put_hint(out, report);
	render_diff_sites(out, report);
	if (report->paths)
		render_diff_paths(out, report);
	put_thresholds(out, report->thresholds);
}
