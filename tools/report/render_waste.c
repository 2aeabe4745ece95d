/* SPDX-License-Identifier: MIT */
/*
 * render_waste.c - what could be saved, as text.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/shorten.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

#define TEXT_WIDTH 60

static void put_owned(struct table *table, char *text)
{
	table_text(table, text);
	free(text);
}

char *render_waste_kind(enum hprof_waste_kind kind)
{
	char *label = cli_strdup(hprof_waste_kind_name(kind));

	for (char *p = strchr(label, '_'); p; p = strchr(p, '_'))
		*p = ' ';
	return label;
}

static const char *name_of(const struct hprof_summary *summary, size_t row)
{
	return row < summary->class_count ? summary->class_rows[row].name
					  : NULL;
}

static const char *class_name(const struct report *report, size_t row)
{
	return name_of(report->summary, row);
}

char *render_waste_holder(const struct hprof_summary *summary,
			  const struct hprof_waste_holder *holder)
{
	char *name, *label;

	if (holder->class_row == SIZE_MAX)
		return cli_strdup(holder->is_root ? "(GC root)"
						  : "(not known)");
	name = describe_kind(name_of(summary, holder->class_row), false);
	if (!holder->field)
		return name;
	label = describe_edge(holder->is_static ? HPROF_EDGE_STATIC
						: HPROF_EDGE_FIELD,
			      holder->field, 0, false);
	/* ".field", or "static FIELD" */
	if (holder->is_static) {
		char *whole = describe_format("static %s.%s", name,
					      strchr(label, ' ') + 1);

		free(name);
		free(label);
		return whole;
	}
	char *whole = describe_format("%s%s", name, label);

	free(name);
	free(label);
	return whole;
}

/* ---- by kind ------------------------------------------------------------- */

static void kind_row(struct table *table, const char *label,
		     const struct hprof_waste_sum *sum, uint64_t live)
{
	table_words(table, label);
	table_count(table, sum->objects);
	table_count(table, sum->bytes);
	table_count(table, sum->saved);
	table_share(table, sum->saved, live);
}

static void put_kinds(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "kind", TABLE_LEFT },	  { "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "saved", TABLE_RIGHT },
		{ "share", TABLE_RIGHT },
	};
	const struct hprof_waste_table *waste = report->waste;
	struct table *table = table_new(columns, 5);

	for (int k = 0; k < HPROF_WASTE_KINDS; k++) {
		char *label;

		if (!waste->kinds[k].objects)
			continue;
		label = render_waste_kind((enum hprof_waste_kind)k);
		kind_row(table, label, &waste->kinds[k], waste->live);
		free(label);
	}
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- by holder ----------------------------------------------------------- */

/* Points to rows, by what they save. */
static int compare_rows(const void *left, const void *right)
{
	const struct hprof_waste_row *a =
		*(const struct hprof_waste_row *const *)left;
	const struct hprof_waste_row *b =
		*(const struct hprof_waste_row *const *)right;

	if (a->sum.saved != b->sum.saved)
		return a->sum.saved > b->sum.saved ? -1 : 1;
	return a < b ? -1 : a > b;
}

const struct hprof_waste_row **
render_waste_rows(const struct hprof_waste_table *waste)
{
	const struct hprof_waste_row **rows =
		cli_calloc(waste->row_count + 1, sizeof(*rows));

	for (size_t i = 0; i < waste->row_count; i++)
		rows[i] = &waste->rows[i];
	qsort(rows, waste->row_count, sizeof(*rows), compare_rows);
	return rows;
}

/* What the table leaves out, so that the holders fit into narrow screens. */
enum narrow { ALL_COLUMNS, SHORT_CLASSES, NO_CLASSES };

#define SHORT_CLASS 13

/* "HashMap", in at most SHORT_CLASS columns; free it. */
static char *short_class(const char *name)
{
	const char *dot = name ? strrchr(name, '.') : NULL;
	char *text = describe_kind(dot ? dot + 1 : name, false);
	char *shorter = shorten_text(text, SHORT_CLASS);

	free(text);
	return shorter;
}

static void put_row(struct table *table, const struct report *report,
		    const struct hprof_waste_row *row, enum narrow narrow)
{
	char *kind = render_waste_kind(row->kind);
	const char *name = class_name(report, row->class_row);

	table_count(table, row->sum.saved);
	if (!narrow)
		table_share(table, row->sum.saved, report->waste->live);
	table_count(table, row->sum.objects);
	table_words(table, kind);
	free(kind);
	if (narrow != NO_CLASSES)
		put_owned(table, narrow ? short_class(name)
					: describe_kind(name, false));
	if (row->fields)
		put_owned(table,
			  describe_format("(%" PRIu64 " fields)", row->fields));
	else
		put_owned(table,
			  render_waste_holder(report->summary, &row->holder));
}

/* The first SHOWN rows that save something. */
static struct table *make_rows(const struct report *report,
			       const struct hprof_waste_row *const *rows,
			       size_t shown, enum narrow narrow,
			       struct table_column columns[6])
{
	static const struct table_column all[] = {
		{ "saved", TABLE_RIGHT },   { "share", TABLE_RIGHT },
		{ "objects", TABLE_RIGHT }, { "kind", TABLE_LEFT },
		{ "class", TABLE_LEFT },    { "held by", TABLE_LEFT },
	};
	enum { SHARE = 1, CLASS = 4 };
	struct table *table;
	size_t count = 0;

	for (size_t i = 0; i < 6; i++)
		if (!(i == SHARE && narrow) &&
		    !(i == CLASS && narrow == NO_CLASSES))
			columns[count++] = all[i];
	table = table_new(columns, count);
	for (size_t i = 0; i < shown && rows[i]->sum.saved; i++)
		put_row(table, report, rows[i], narrow);
	return table;
}

static void put_rows(FILE *out, const struct report *report)
{
	const struct hprof_waste_table *waste = report->waste;
	size_t count = waste->row_count, shown = render_rows(report, count);
	const struct hprof_waste_row **rows = render_waste_rows(waste);
	struct table_column columns[6];
	char number[UNITS_MAX];
	enum narrow narrow = ALL_COLUMNS;
	struct table *table;

	table = make_rows(report, rows, shown, narrow, columns);
	while (!table_has_room(table, 0) && narrow < NO_CLASSES) {
		table_free(table);
		table = make_rows(report, rows, shown, ++narrow, columns);
	}
	fputs("\nWho holds it\n\n", out);
	table_print(table, out, 0);
	if (count > shown)
		fprintf(out, "(%s more)\n", units_count(count - shown, number));
	table_free(table);
	free(rows);
}

/* ---- contents ------------------------------------------------------------ */

char *render_waste_content(const struct report *report,
			   const struct hprof_waste_content *content)
{
	const char *cut;
	char *text, *label;

	if (!content->text) {
		struct hprof_object_info info = {
			.id = content->example_id,
			.kind = HPROF_OBJECT_PRIM_ARRAY,
			.class_row = content->class_row,
			.class_name = class_name(report, content->class_row),
			.length = content->length,
		};

		return describe_object(&info);
	}
	text = escape_copy(content->text, TEXT_WIDTH);
	cut = strlen(text) < content->length ? "..." : "";
	label = describe_format("\"%s\"%s", text, cut);
	free(text);
	return label;
}

static void put_contents(FILE *out, const struct report *report,
			 const char *title,
			 const struct hprof_waste_content *contents,
			 size_t count)
{
	static const struct table_column columns[] = {
		{ "saved", TABLE_RIGHT },    { "copies", TABLE_RIGHT },
		{ "content", TABLE_LEFT },   { "held", TABLE_RIGHT },
		{ "mostly by", TABLE_LEFT },
	};
	struct table *table;

	count = render_rows(report, count);
	if (!count)
		return;
	table = table_new(columns, 5);
	for (size_t i = 0; i < count; i++) {
		table_count(table, contents[i].saved);
		table_count(table, contents[i].objects);
		put_owned(table, render_waste_content(report, &contents[i]));
		table_count(table, contents[i].held);
		put_owned(table, render_waste_holder(report->summary,
						     &contents[i].holder));
	}
	fprintf(out, "\n%s\n\n", title);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- maps ---------------------------------------------------------------- */

static char *map_label(const struct report *report,
		       const struct hprof_waste_map *map)
{
	struct hprof_object_info info = {
		.id = map->id,
		.kind = HPROF_OBJECT_INSTANCE,
		.class_row = map->class_row,
		.class_name = class_name(report, map->class_row),
	};

	return describe_object(&info);
}

/* 0 is a number that does not apply, or was not looked for. */
static void put_number(struct table *table, uint64_t number)
{
	if (number)
		table_count(table, number);
	else
		table_text(table, "");
}

static void put_map(struct table *table, const struct report *report,
		    const struct hprof_waste_map *map)
{
	bool weak = map->kind == HPROF_WASTE_WEAK_MAPS;

	table_count(table, map->entries);
	put_number(table, weak ? 0 : map->used);
	put_number(table, map->deepest);
	put_number(table, map->refer_back);
	put_owned(table, map_label(report, map));
	put_owned(table,
		  map->key_row == SIZE_MAX
			  ? cli_strdup("")
			  : describe_kind(class_name(report, map->key_row),
					  false));
	put_owned(table, render_waste_holder(report->summary, &map->holder));
}

static void put_maps(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "entries", TABLE_RIGHT }, { "buckets", TABLE_RIGHT },
		{ "deepest", TABLE_RIGHT }, { "back", TABLE_RIGHT },
		{ "map", TABLE_LEFT },	    { "keys", TABLE_LEFT },
		{ "held by", TABLE_LEFT },
	};
	const struct hprof_waste_table *waste = report->waste;
	struct table *table;

	if (!waste->map_count)
		return;
	table = table_new(columns, 7);
	for (size_t i = 0; i < render_rows(report, waste->map_count); i++)
		put_map(table, report, &waste->maps[i]);
	fputs("\nMaps that collide, or whose values refer back to weak "
	      "keys\n\n",
	      out);
	table_print(table, out, 0);
	table_free(table);
}

void render_waste(FILE *out, const struct report *report)
{
	const struct hprof_waste_table *waste = report->waste;
	char saved[UNITS_MAX], live[UNITS_MAX], share[UNITS_MAX];

	if (!waste)
		return;
	fprintf(out, "\nwaste: %s of %s (%s of the live heap)\n",
		units_bytes(waste->saved, saved),
		units_bytes(waste->live, live),
		units_share(waste->saved, waste->live, share));
	if (!waste->row_count)
		return;
	put_kinds(out, report);
	put_rows(out, report);
	put_contents(out, report, "Equal strings", waste->strings,
		     waste->string_count);
	put_contents(out, report, "Equal arrays", waste->arrays,
		     waste->array_count);
	put_maps(out, report);
}
