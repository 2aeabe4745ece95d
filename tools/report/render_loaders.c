/* SPDX-License-Identifier: MIT */
/*
 * render_loaders.c - class loaders as a tree, as text and as JSON.
 *
 * Of many loaders those that leak come first, then those that retain most, and
 * with each of them the loaders above it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/leak_headline.h"
#include "tools/report/render.h"

enum { DEPTH_MOST = 20 }; /* that is indented */

/* ---- which rows ---------------------------------------------------------- */

struct ranked {
	const struct hprof_loader_use *use;
	size_t row;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	bool stopped_a = a->use->state == HPROF_LOADER_STOPPED;
	bool stopped_b = b->use->state == HPROF_LOADER_STOPPED;

	if (stopped_a != stopped_b)
		return stopped_a ? -1 : 1;
	if (a->use->retained != b->use->retained)
		return a->use->retained > b->use->retained ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Which loaders have defined a class that --match names; NULL: all count. */
static bool *matching_loaders(const struct report *report)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	bool *classes = rollup_matching(report->summary, report->match);
	bool *rows;

	if (!classes)
		return NULL;
	rows = cli_calloc(loaders->count, sizeof(*rows));
	for (size_t i = 0; i < report->summary->class_count; i++)
		if (classes[i])
			rows[loaders->row_of_class[i]] = true;
	free(classes);
	return rows;
}

/*
 * Marks the rows to print. *RET_LEFT is how many match and are not among them.
 */
static bool *choose_rows(const struct report *report, size_t *ret_left)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	struct ranked *ranked = cli_calloc(loaders->count, sizeof(*ranked));
	bool *chosen = cli_calloc(loaders->count, sizeof(*chosen));
	bool *matching = matching_loaders(report);
	size_t count = 0, most;

	for (size_t i = 0; i < loaders->count; i++)
		if (!matching || matching[i])
			ranked[count++] =
				(struct ranked){ &loaders->rows[i], i };
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_ranked);
	most = render_rows(report, count);
	for (size_t i = 0; i < most; i++)
		for (size_t at = ranked[i].row; at != SIZE_MAX && !chosen[at];
		     at = loaders->rows[at].parent)
			chosen[at] = true;
	*ret_left = 0;
	for (size_t i = 0; i < count; i++)
		*ret_left += !chosen[ranked[i].row];
	free(ranked);
	free(matching);
	return chosen;
}

/* ---- text ---------------------------------------------------------------- */

char *render_loader_name(const struct hprof_loader_use *use)
{
	char *class_name, *name, *label;

	if (!use->loader_id)
		return describe_kind(use->name, false);
	if (use->loader.object == HPROF_NO_OBJECT)
		return describe_format("0x%" PRIx64 " (not in the dump)",
				       use->loader_id);
	if (use->state == HPROF_LOADER_SYSTEM)
		return describe_kind(use->name, false);
	if (!use->name)
		return describe_object(&use->loader);
	class_name = leak_simple_name(use->loader.class_name);
	name = describe_kind(use->name, false);
	label = describe_format("%s (%s@0x%" PRIx64 ")", name, class_name,
				use->loader.id);
	free(class_name);
	free(name);
	return label;
}

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

/*
 * How the last object of the path is held: by a field of its owner, or by a
 * root. NULL: that is not known, or does not matter. Free it.
 */
char *render_loader_holder(const struct hprof_loader_use *use)
{
	const struct hprof_path *path = &use->path;

	if (!path->count)
		return NULL;
	if (path->count == 1)
		return describe_root(&path->root);
	return leak_where(path, use->owner_step, path->count - 1);
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_held_alike(const struct hprof_loader_use *x,
			  const struct hprof_loader_use *y)
{
	char *a = render_loader_holder(x), *b = render_loader_holder(y);
	bool same = is_same_text(a, b);

	free(a);
	free(b);
	return same;
}

/* Loaders without children that one line can tell, of which there are many. */
static bool is_alike(const struct hprof_loader_use_table *loaders, size_t a,
		     size_t b)
{
	const struct hprof_loader_use *x = &loaders->rows[a];
	const struct hprof_loader_use *y = &loaders->rows[b];
	bool leaf = b + 1 == loaders->count || loaders->rows[b + 1].parent != b;

	return leaf && x->parent == y->parent && x->state == y->state &&
	       is_same_text(x->name, y->name) && x->loader.class_name &&
	       is_same_text(x->loader.class_name, y->loader.class_name) &&
	       is_held_alike(x, y);
}

/* The row behind those that are shown together with row I. */
static size_t end_of_alike(const struct hprof_loader_use_table *loaders,
			   const bool *chosen, size_t i)
{
	size_t end = i + 1;

	if (end < loaders->count && loaders->rows[end].parent == i)
		return end;
	while (end < loaders->count && chosen[end] && is_alike(loaders, i, end))
		end++;
	return end;
}

/* COUNT rows at once. */
static void put_row(struct table *table, const struct hprof_loader_use *rows,
		    size_t count)
{
	struct hprof_loader_use sum = rows[0];
	char *label, *text;

	for (size_t i = 1; i < count; i++) {
		sum.classes += rows[i].classes;
		sum.duplicates += rows[i].duplicates;
		sum.instances += rows[i].instances;
		sum.shallow += rows[i].shallow;
		sum.retained += rows[i].retained;
	}
	label = count == 1 ? render_loader_name(&sum)
			   : describe_kind(sum.name ? sum.name
						    : sum.loader.class_name,
					   false);
	text = count == 1 ? describe_format("%*s%s", (int)indent_of(&sum), "",
					    label)
			  : describe_format("%*s%zu x %s", (int)indent_of(&sum),
					    "", count, label);
	table_count(table, sum.classes);
	table_count(table, sum.duplicates);
	table_count(table, sum.instances);
	table_count(table, sum.shallow);
	table_count(table, sum.retained);
	table_words(table, render_loader_state(sum.state));
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

static void put_tree(FILE *out, const struct report *report, const bool *chosen)
{
	static const struct table_column columns[] = {
		{ "classes", TABLE_RIGHT },   { "twice", TABLE_RIGHT },
		{ "instances", TABLE_RIGHT }, { "bytes", TABLE_RIGHT },
		{ "retained", TABLE_RIGHT },  { "state", TABLE_LEFT },
		{ "loader", TABLE_LEFT },
	};
	const struct hprof_loader_use_table *loaders = report->loaders;
	struct table *table = table_new(columns, 7);

	for (size_t i = 0, end; i < loaders->count; i = end) {
		end = i + 1;
		if (!chosen[i])
			continue;
		end = end_of_alike(loaders, chosen, i);
		put_row(table, &loaders->rows[i], end - i);
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
	size_t left;
	bool *chosen;

	if (!loaders)
		return;
	fprintf(out, "\nClass loaders: %s", units_count(loaders->count, count));
	if (loaders->stopped)
		fprintf(out, "; closed or stopped, but alive: %s",
			units_count(loaders->stopped, count));
	fputs("\n\n", out);
	chosen = choose_rows(report, &left);
	put_tree(out, report, chosen);
	if (left)
		fprintf(out, "(%s more)\n", units_count(left, count));
	free(chosen);
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
	size_t left;
	bool *chosen = choose_rows(report, &left);

	json_begin_object(json, "class_loaders", JSON_BLOCK);
	json_number(json, "count", loaders->count);
	json_number(json, "stopped", loaders->stopped);
	put_json_rows(json, report, chosen);
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
	free(chosen);
}
