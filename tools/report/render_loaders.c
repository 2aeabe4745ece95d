/* SPDX-License-Identifier: MIT */
/* render_loaders.c - class loaders as a tree, as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/leak_where.h"
#include "tools/report/loader_lines.h"
#include "tools/report/render.h"

enum { DEPTH_MOST = 20 }; /* that is indented */

/* ---- text ---------------------------------------------------------------- */

const char *render_loader_state(enum hprof_loader_state state)
{
	static const char *const words[] = {
		[HPROF_LOADER_SYSTEM] = "",
		[HPROF_LOADER_ALIVE] = "alive",
		[HPROF_LOADER_STOPPED] = "leaked",
		[HPROF_LOADER_UNREACHABLE] = "unreachable",
	};

	return words[state];
}

static unsigned indent_of(const struct hprof_loader_use *use)
{
	return 2 *
	       (unsigned)(use->depth < DEPTH_MOST ? use->depth : DEPTH_MOST);
}

static void put_line(struct table *table, const struct loader_line *line)
{
	const struct hprof_loader_use *sum = &line->sum;
	char *label = loader_line_name(line);
	char *text = describe_format("%*s%s", (int)indent_of(sum), "", label);

	table_count(table, sum->classes);
	table_count(table, sum->duplicates);
	table_count(table, sum->instances);
	table_count(table, sum->shallow);
	table_count(table, sum->retained);
	table_words(table, render_loader_state(sum->state));
	table_text(table, text);
	free(text);
	free(label);
}

static void put_holder(struct table *table, const struct hprof_loader_use *use)
{
	char *where = render_loader_holder(use), *line;

	if (!where)
		return;
	line = describe_format("    held by %s", where);
	table_line(table, line);
	free(line);
	free(where);
}

static void put_tree(FILE *out, const struct hprof_loader_use_table *loaders,
		     const struct loader_choice *choice)
{
	static const struct table_column columns[] = {
		{ "classes", TABLE_RIGHT },   { "twice", TABLE_RIGHT },
		{ "instances", TABLE_RIGHT }, { "bytes", TABLE_RIGHT },
		{ "retained", TABLE_RIGHT },  { "state", TABLE_LEFT },
		{ "loader", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 7);

	for (size_t i = 0; i < loaders->count; i++) {
		if (!choice->chosen[i])
			continue;
		put_line(table, &choice->lines[i]);
		put_holder(table, &loaders->rows[i]);
	}
	table_print(table, out, 0);
	table_free(table);
}

static void put_duplicates(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "loaders", TABLE_RIGHT },
		{ "class", TABLE_LEFT },
	};
	const struct hprof_loader_use_table *loaders = report->loaders;
	bool *matching = rollup_matching(report->summary, report->match);
	size_t most = render_rows(report, loaders->duplicate_count), shown = 0;
	size_t fitting = 0;
	struct table *table = table_new(columns, 2);
	char count[UNITS_MAX];

	for (size_t i = 0; i < loaders->duplicate_count; i++) {
		const struct hprof_duplicate_class *one =
			&loaders->duplicates[i];
		char *name;

		if (matching && !matching[one->class_row])
			continue;
		fitting++;
		if (shown == most)
			continue;
		shown++;
		name = describe_kind(one->name, false);
		table_count(table, one->loaders);
		table_text(table, name);
		free(name);
	}
	if (fitting) {
		fprintf(out, "\nClasses that several loaders defined: %s\n\n",
			units_count(fitting, count));
		table_print(table, out, 0);
	}
	if (fitting > shown)
		fprintf(out, "(%s more)\n",
			units_count(fitting - shown, count));
	table_free(table);
	free(matching);
}

void render_loaders(FILE *out, const struct report *report)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	char count[UNITS_MAX];
	struct loader_choice choice;

	if (!loaders)
		return;
	fprintf(out, "\nClass loaders: %s", units_count(loaders->count, count));
	if (loaders->stopped)
		fprintf(out, "; closed or stopped, but alive: %s",
			units_count(loaders->stopped, count));
	fputs("\n\n", out);
	choice = loader_lines_choose(report, true);
	put_tree(out, loaders, &choice);
	if (choice.left)
		fprintf(out, "(%s more)\n", units_count(choice.left, count));
	loader_lines_done(&choice);
	put_duplicates(out, report);
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_json_row(struct json *json, const struct hprof_loader_use *use)
{
	static const char *const states[] = {
		[HPROF_LOADER_SYSTEM] = "system",
		[HPROF_LOADER_ALIVE] = "alive",
		[HPROF_LOADER_STOPPED] = "stopped",
		[HPROF_LOADER_UNREACHABLE] = "unreachable",
	};

	json_begin_object(json, NULL, JSON_BLOCK);
	json_id(json, "id", use->loader_id);
	json_string(json, "name", use->name);
	json_string(json, "class", use->loader.class_name);
	json_string(json, "state", states[use->state]);
	json_number(json, "classes", use->classes);
	json_number(json, "duplicates", use->duplicates);
	json_number(json, "instances", use->instances);
	json_number(json, "bytes", use->shallow);
	json_number(json, "retained", use->retained);
	json_paths(json, "held_by", &use->path, use->path.count != 0);
}

/* In the order of the tree; each names its parent. */
static void put_json_rows(struct json *json, const struct report *report,
			  const bool *chosen)
{
	const struct hprof_loader_use_table *loaders = report->loaders;

	json_begin_array(json, "loaders", JSON_BLOCK);
	for (size_t i = 0; i < loaders->count; i++) {
		const struct hprof_loader_use *use = &loaders->rows[i];

		if (!chosen[i])
			continue;
		put_json_row(json, use);
		if (use->parent == SIZE_MAX)
			json_null(json, "parent");
		else
			json_id(json, "parent",
				loaders->rows[use->parent].loader_id);
		json_end(json);
	}
	json_end(json);
}

void render_json_loaders(struct json *json, const struct report *report)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	size_t most = render_rows(report, loaders->duplicate_count);
	struct loader_choice choice = loader_lines_choose(report, false);

	json_begin_object(json, "class_loaders", JSON_BLOCK);
	json_number(json, "count", loaders->count);
	json_number(json, "stopped", loaders->stopped);
	put_json_rows(json, report, choice.chosen);
	json_number(json, "duplicate_count", loaders->duplicate_count);
	json_begin_array(json, "duplicates", JSON_BLOCK);
	for (size_t i = 0; i < most; i++) {
		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "class", loaders->duplicates[i].name);
		json_number(json, "loaders", loaders->duplicates[i].loaders);
		json_end(json);
	}
	json_end(json);
	json_end(json);
	loader_lines_done(&choice);
}
