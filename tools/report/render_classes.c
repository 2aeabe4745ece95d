/* SPDX-License-Identifier: MIT */
/*
 * render_classes.c - the class table for people.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

static const struct table_column class_columns[] = {
	{ "rank", TABLE_RIGHT },    { "instances", TABLE_RIGHT },
	{ "bytes", TABLE_RIGHT },   { "share", TABLE_RIGHT },
	{ "largest", TABLE_RIGHT }, { "class", TABLE_LEFT },
};

static const struct table_column group_columns[][7] = {
	[ROLLUP_PACKAGE] = {
		{ "rank", TABLE_RIGHT }, { "instances", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "largest", TABLE_RIGHT }, { "classes", TABLE_RIGHT },
		{ "package", TABLE_LEFT },
	},
	[ROLLUP_SUPER] = {
		{ "rank", TABLE_RIGHT }, { "instances", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "largest", TABLE_RIGHT }, { "classes", TABLE_RIGHT },
		{ "superclass and all below it", TABLE_LEFT },
	},
	[ROLLUP_LOADER] = {
		{ "rank", TABLE_RIGHT }, { "instances", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "largest", TABLE_RIGHT }, { "classes", TABLE_RIGHT },
		{ "loader", TABLE_LEFT },
	},
};

size_t render_row_count(const struct report *report)
{
	return render_rows(report, report->groups->count);
}

static void figure_cells(struct table *table, const struct report *report,
			 const struct rollup_row *row)
{
	table_count(table, row->instances);
	table_count(table, row->bytes);
	table_share(table, row->bytes, report->groups->whole);
}

/*
 * Classes of the same name are told apart by their loaders, or by their class
 * objects if the loader is the same, as it is for hidden and anonymous classes.
 */
static void append_difference(char *to, size_t room,
			      const struct rollup_row *row)
{
	uint64_t loader_id = row->class_row->loader_id;

	if (row->shared_loader)
		snprintf(to, room, "  (class 0x%" PRIx64 ")", row->id);
	else if (loader_id)
		snprintf(to, room, "  (loader 0x%" PRIx64 ")", loader_id);
	else
		snprintf(to, room, "  (boot loader)");
}

static void name_cell(struct table *table, const struct rollup_row *row)
{
	char *name = escape_copy(*row->name ? row->name : "(empty name)",
				 DESCRIBE_NAME_LIMIT);
	size_t length = strlen(name), room = length + 48;

	if (row->class_row && row->shared_name) {
		name = cli_realloc(name, room, 1);
		append_difference(name + length, room - length, row);
	}
	table_text(table, name);
	free(name);
}

static void put_rows(struct table *table, const struct report *report,
		     size_t count)
{
	const struct rollup_table *groups = report->groups;

	for (size_t i = 0; i < count; i++) {
		const struct rollup_row *row = &groups->rows[i];

		table_count(table, i + 1);
		figure_cells(table, report, row);
		table_count(table, row->largest);
		if (groups->by != ROLLUP_CLASS)
			table_count(table, row->classes);
		name_cell(table, row);
	}
}

/* A row without rank: the rest, or the total. */
static void sum_row(struct table *table, const struct report *report,
		    const struct rollup_row *row, const char *name)
{
	table_text(table, "");
	figure_cells(table, report, row);
	table_text(table, "");
	if (report->groups->by != ROLLUP_CLASS)
		table_text(table, "");
	table_words(table, name);
}

static struct rollup_row rest_of(const struct rollup_table *groups, size_t from)
{
	struct rollup_row rest = { 0 };

	for (size_t i = from; i < groups->count; i++) {
		rest.instances += groups->rows[i].instances;
		rest.bytes += groups->rows[i].bytes;
	}
	return rest;
}

/*
 * An object counts for every superclass of its class, so these rows have
 * neither a rest nor a total.
 */
static void put_sums(struct table *table, const struct report *report,
		     size_t shown)
{
	const struct rollup_table *groups = report->groups;
	size_t left = groups->count - shown;
	struct rollup_row rest = rest_of(groups, shown);
	char name[96], count[UNITS_MAX], human[UNITS_MAX];

	if (groups->by == ROLLUP_SUPER || groups->count < 2)
		return;
	if (left) {
		snprintf(name, sizeof(name), "(%s more %s)",
			 units_count(left, count),
			 rollup_word(groups->by, left));
		sum_row(table, report, &rest, name);
	}
	snprintf(name, sizeof(name), "(%s%s %s, %s)",
		 units_count(groups->count, count),
		 groups->filtered ? " matching" : "",
		 rollup_word(groups->by, groups->count),
		 units_bytes(groups->total.bytes, human));
	sum_row(table, report, &groups->total, name);
}

void render_classes(FILE *out, const struct report *report)
{
	const struct rollup_table *groups = report->groups;
	size_t shown = render_row_count(report);
	struct table *table;

	putc('\n', out);
	if (!groups->count) {
		fprintf(out, "no %s with instances\n",
			rollup_word(groups->by, 1));
		return;
	}
	if (groups->by == ROLLUP_CLASS)
		table = table_new(class_columns, 6);
	else
		table = table_new(group_columns[groups->by], 7);
	put_rows(table, report, shown);
	put_sums(table, report, shown);
	table_print(table, out, 0);
	table_free(table);
}
