/* SPDX-License-Identifier: MIT */
/*
 * render_diff.c - the comparison as text.
 *
 * For two dumps a row has the values before and after. For more dumps there is
 * a column for each, and a mark on rows that grew from each dump to the next.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff.h"
#include "tools/common/escape.h"
#include "tools/common/describe.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

/* ---- the dumps ----------------------------------------------------------- */

static void dump_row(struct table *table, const struct diff_report *report,
		     size_t i)
{
	const struct dump_input *dump = &report->dumps->items[i];
	const char *fault = dump_input_fault(dump);
	char text[UNITS_MAX], *path = escape_copy(dump->path, 0);
	const char *time = units_time(dump->summary->header.time_ms, ' ', text);

	if (report->dumps->count == 2) {
		table_text(table, i ? "after" : "before");
	} else {
		char *number = describe_format("%zu", i + 1);

		table_text(table, number);
		free(number);
	}
	table_text(table, time ? time : "unknown");
	table_count(table,
		    dump->tree ? dump->tree->objects : dump->summary->objects);
	table_count(table,
		    dump->tree ? dump->tree->shallow : dump->summary->shallow);
	table_text(table, path);
	table_text(table, fault ? fault : "");
	free(path);
}

static void put_dumps(FILE *out, const struct diff_report *report)
{
	static const struct table_column columns[] = {
		{ "dump", TABLE_LEFT },	    { "taken", TABLE_LEFT },
		{ "objects", TABLE_RIGHT }, { "bytes", TABLE_RIGHT },
		{ "file", TABLE_LEFT },	    { "", TABLE_LEFT },
	};
	const struct dump_inputs *dumps = report->dumps;
	struct table *table = table_new(columns, 6);

	for (size_t i = 0; i < dumps->count; i++)
		dump_row(table, report, i);
	table_print(table, out, 0);
	table_free(table);
	fprintf(out, "\nsizes  %s\n", dumps->convention);
	if (dumps->like != SIZE_MAX)
		fprintf(out,
			"       Sizes are not to be had in the same way from "
			"all dumps. Those of all are\n       computed by the "
			"layout of dump %zu.\n",
			dumps->like + 1);
	if (dumps->mixed)
		fputs("       THE SIZES OF THESE DUMPS CANNOT BE COMPARED: "
		      "there is no common\n       convention.\n",
		      out);
}

/* ---- columns ------------------------------------------------------------- */

enum { COLUMNS_MAX = 10 };

struct columns {
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

/* The main measure: a value for each dump, the change, and the growth. */
static void main_columns(struct columns *columns,
			 const struct diff_report *report)
{
	size_t count = report->dumps->count;

	columns->names = cli_calloc(count, sizeof(char *));
	for (size_t i = 0; i < count; i++) {
		const char *word = diff_measure_word(report->how.measure);

		if (count == 2)
			columns->names[i] = describe_format(
				"%s %s", word, i ? "after" : "before");
		else
			columns->names[i] =
				describe_format("%s %zu", word, i + 1);
		column(columns, columns->names[i], 1);
	}
	column(columns, "change", 1);
	column(columns, "percent", 1);
}

static struct columns make_columns(const struct diff_report *report)
{
	struct columns columns = { .count = 0 };

	columns.items = cli_calloc(report->dumps->count + COLUMNS_MAX,
				   sizeof(columns.items[0]));
	main_columns(&columns, report);
	for (unsigned m = HPROF_DIFF_MEASURES; m-- > 0;) {
		if (m == report->how.measure ||
		    (m == HPROF_DIFF_RETAINED && !report->how.retained))
			continue;
		if (report->dumps->count == 2 && m == HPROF_DIFF_INSTANCES) {
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
	free(columns->names);
	free(columns->items);
}

/* ---- rows ---------------------------------------------------------------- */

static void value_cells(struct table *table, const struct diff_report *report,
			const struct hprof_diff_cell *cells)
{
	enum hprof_diff_measure measure = report->how.measure;
	size_t last = report->dumps->count - 1;
	uint64_t from = cells[0].values[measure];
	uint64_t to = cells[last].values[measure];
	char text[UNITS_MAX];

	for (size_t i = 0; i <= last; i++)
		table_count(table, cells[i].values[measure]);
	table_text(table, units_change(from, to, text));
	if (!cells[last].items && cells[0].items)
		table_text(table, "gone");
	else
		table_text(table, units_growth(from, to, text));
	for (unsigned m = HPROF_DIFF_MEASURES; m-- > 0;) {
		if (m == measure ||
		    (m == HPROF_DIFF_RETAINED && !report->how.retained))
			continue;
		if (last == 1 && m == HPROF_DIFF_INSTANCES) {
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

static void put_rows(struct table *table, const struct diff_report *report)
{
	size_t count = diff_row_count(report);

	for (size_t i = 0; i < count; i++) {
		const struct hprof_diff_row *row = report->rows[i];

		value_cells(table, report, row->cells);
		if (report->dumps->count > 2)
			table_text(table, row->grows[report->how.measure]
						  ? "grows"
						  : "");
		name_cell(table, row);
	}
}

/* ---- sums ---------------------------------------------------------------- */

static void sum_row(struct table *table, const struct diff_report *report,
		    const struct hprof_diff_cell *cells, const char *name)
{
	value_cells(table, report, cells);
	if (report->dumps->count > 2)
		table_text(table, "");
	table_words(table, name);
}

/* Superclasses overlap and so do retained sets: they have no sums. */
static void put_sums(struct table *table, const struct diff_report *report)
{
	size_t shown = diff_row_count(report), dumps = report->dumps->count;
	size_t left = report->count - shown;
	struct hprof_diff_cell *rest = cli_calloc(dumps, sizeof(*rest));
	char count[UNITS_MAX], *name;

	for (size_t i = shown; i < report->count; i++)
		diff_add_cells(rest, report->rows[i], dumps);
	if (left) {
		name = describe_format("(%s more %s)", units_count(left, count),
				       rollup_word(report->how.by, left));
		sum_row(table, report, rest, name);
		free(name);
	}
	free(rest);
	if (report->fitting < 2)
		return;
	name = describe_format("(all %s%s %s)",
			       units_count(report->fitting, count),
			       report->how.match->count ? " matching" : "",
			       rollup_word(report->how.by, report->fitting));
	sum_row(table, report, report->totals, name);
	free(name);
}

static void put_table(FILE *out, const struct diff_report *report)
{
	struct columns columns = make_columns(report);
	struct table *table = table_new(columns.items, columns.count);

	put_rows(table, report);
	if (report->how.by != ROLLUP_SUPER &&
	    report->how.measure != HPROF_DIFF_RETAINED)
		put_sums(table, report);
	putc('\n', out);
	table_print(table, out, 0);
	if (report->how.measure == HPROF_DIFF_RETAINED &&
	    report->count > diff_row_count(report))
		fprintf(out, "(%zu more)\n",
			report->count - diff_row_count(report));
	table_free(table);
	free_columns(&columns, report->dumps->count);
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

	put_dumps(out, report);
	if (report->count)
		put_table(out, report);
	else
		fprintf(out, "\nno %s differs\n",
			rollup_word(report->how.by, 1));
	if (same)
		fprintf(out, "\n%s %s the same in all dumps\n",
			units_count(same, count),
			rollup_word(report->how.by, same));
	if (report->paths)
		render_diff_paths(out, report);
	put_thresholds(out, report->thresholds);
}
