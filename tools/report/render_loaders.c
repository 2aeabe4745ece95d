/* SPDX-License-Identifier: MIT */
/*
 * render_loaders.c - class loaders as a tree, as text and as JSON.
 *
 * Of many loaders those that leak come first, then those that retain most, and
 * with each of them the loaders above it. Those that are alike share a line before
 * anything is left out, so that it has all of them; so do three or more whose names
 * differ in numbers only.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/series.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/leak_headline.h"
#include "tools/report/render.h"

enum {
	DEPTH_MOST = 20,  /* that is indented */
	SERIES_LEAST = 3, /* loaders whose names differ in numbers */
};

/* ---- lines --------------------------------------------------------------- */

/* By the row of its first loader; of other loaders only LEADER. */
struct line {
	size_t leader; /* the row of the first one */
	size_t count;
	const char *first, *last;    /* names, or NULL, in their order */
	struct hprof_loader_use sum; /* of the first, but for the figures */
};

/* A loader without children, which one line can tell. */
struct leaf {
	const struct hprof_loader_use *use;
	size_t row;
	char *holder;
};

static int compare_texts(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Without regard to numbers. */
static int compare_names(const char *a, const char *b)
{
	return a && b ? series_compare(a, b) : compare_texts(a, b);
}

static int compare_looks(const struct leaf *a, const struct leaf *b)
{
	int order;

	if (a->use->parent != b->use->parent)
		return a->use->parent < b->use->parent ? -1 : 1;
	if (a->use->state != b->use->state)
		return a->use->state < b->use->state ? -1 : 1;
	order = compare_names(a->use->name, b->use->name);
	if (!order)
		order = compare_texts(a->use->loader.class_name,
				      b->use->loader.class_name);
	return order ? order : compare_texts(a->holder, b->holder);
}

static int compare_leaves(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;
	int order = compare_looks(a, b);

	if (order)
		return order;
	return a->row < b->row ? -1 : a->row > b->row;
}

static bool is_leaf(const struct hprof_loader_use_table *loaders, size_t row)
{
	return loaders->rows[row].loader.class_name &&
	       (row + 1 == loaders->count ||
		loaders->rows[row + 1].parent != row);
}

/* The leaves among MATCHING rows, those that look alike side by side. */
static struct leaf *list_leaves(const struct hprof_loader_use_table *loaders,
				const bool *matching, size_t *ret_count)
{
	struct leaf *leaves = cli_calloc(loaders->count, sizeof(*leaves));
	size_t count = 0;

	for (size_t i = 0; i < loaders->count; i++)
		if (matching[i] && is_leaf(loaders, i))
			leaves[count++] = (struct leaf){
				.use = &loaders->rows[i],
				.row = i,
				.holder =
					render_loader_holder(&loaders->rows[i]),
			};
	if (count)
		qsort(leaves, count, sizeof(*leaves), compare_leaves);
	*ret_count = count;
	return leaves;
}

static bool same_names(const struct leaf *leaves, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_texts(leaves[0].use->name, leaves[i].use->name))
			return false;
	return true;
}

static void join(struct line *lines, const struct leaf *leaves, size_t count)
{
	for (size_t i = 1; i < count; i++)
		lines[leaves[i].row].leader = leaves[0].row;
}

static void join_alike(struct line *lines,
		       const struct hprof_loader_use_table *loaders,
		       const bool *matching)
{
	size_t count;
	struct leaf *leaves = list_leaves(loaders, matching, &count);

	for (size_t i = 0, end; i < count; i = end) {
		end = i + 1;
		while (end < count && !compare_looks(&leaves[i], &leaves[end]))
			end++;
		if (end - i >= SERIES_LEAST || same_names(leaves + i, end - i))
			join(lines, leaves + i, end - i);
	}
	for (size_t i = 0; i < count; i++)
		free(leaves[i].holder);
	free(leaves);
}

static void add_name(struct line *line, const char *name)
{
	if (!name)
		return;
	if (!line->first || series_order(name, line->first) < 0)
		line->first = name;
	if (!line->last || series_order(name, line->last) > 0)
		line->last = name;
}

static void add_figures(struct hprof_loader_use *sum,
			const struct hprof_loader_use *use)
{
	sum->classes += use->classes;
	sum->duplicates += use->duplicates;
	sum->instances += use->instances;
	sum->shallow += use->shallow;
	sum->retained += use->retained;
}

/* JOIN: MATCHING rows that look alike share a line. */
static struct line *make_lines(const struct hprof_loader_use_table *loaders,
			       const bool *matching, bool join)
{
	struct line *lines = cli_calloc(loaders->count, sizeof(*lines));

	for (size_t i = 0; i < loaders->count; i++)
		lines[i].leader = i;
	if (join)
		join_alike(lines, loaders, matching);
	for (size_t i = 0; i < loaders->count; i++) {
		struct line *line = &lines[lines[i].leader];

		add_name(line, loaders->rows[i].name);
		if (line->count++)
			add_figures(&line->sum, &loaders->rows[i]);
		else
			line->sum = loaders->rows[i];
	}
	return lines;
}

/* ---- which of them ------------------------------------------------------- */

struct ranked {
	const struct line *line;
	size_t row;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	const struct hprof_loader_use *x = &a->line->sum, *y = &b->line->sum;
	bool stopped_x = x->state == HPROF_LOADER_STOPPED;
	bool stopped_y = y->state == HPROF_LOADER_STOPPED;

	if (stopped_x != stopped_y)
		return stopped_x ? -1 : 1;
	if (x->retained != y->retained)
		return x->retained > y->retained ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* Which loaders have defined a class that --match names; without it all. */
static bool *matching_loaders(const struct report *report)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	bool *classes = rollup_matching(report->summary, report->match);
	bool *rows;

	rows = cli_calloc(loaders->count, sizeof(*rows));
	for (size_t i = 0; !classes && i < loaders->count; i++)
		rows[i] = true;
	for (size_t i = 0; classes && i < report->summary->class_count; i++)
		if (classes[i])
			rows[loaders->row_of_class[i]] = true;
	free(classes);
	return rows;
}

/* What is printed. */
struct choice {
	struct line *lines;
	bool *chosen; /* by the first row of each line */
	size_t left;  /* loaders that match and are not among them */
};

static void choose_lines(const struct report *report, const bool *matching,
			 struct choice *choice)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	struct ranked *ranked = cli_calloc(loaders->count, sizeof(*ranked));
	size_t count = 0, most;

	for (size_t i = 0; i < loaders->count; i++)
		if (matching[i] && choice->lines[i].leader == i)
			ranked[count++] =
				(struct ranked){ &choice->lines[i], i };
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_ranked);
	most = render_rows(report, count);
	for (size_t i = 0; i < most; i++)
		for (size_t at = ranked[i].row;
		     at != SIZE_MAX && !choice->chosen[at];
		     at = loaders->rows[at].parent)
			choice->chosen[at] = true;
	free(ranked);
}

/* The first lines, and the loaders above them. Free it with choice_done. */
static struct choice choose(const struct report *report, bool join)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	bool *matching = matching_loaders(report);
	struct choice choice = {
		.lines = make_lines(loaders, matching, join),
		.chosen = cli_calloc(loaders->count, sizeof(bool)),
	};

	choose_lines(report, matching, &choice);
	for (size_t i = 0; i < loaders->count; i++)
		choice.left +=
			matching[i] && !choice.chosen[choice.lines[i].leader];
	free(matching);
	return choice;
}

static void choice_done(struct choice *choice)
{
	free(choice->lines);
	free(choice->chosen);
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

/* What several loaders are called: "app-1 to app-9", or all the same. */
static char *several_names(const struct line *line)
{
	char *first, *last, *label;

	if (!line->first)
		return describe_kind(line->sum.loader.class_name, false);
	first = describe_kind(line->first, false);
	if (!strcmp(line->first, line->last))
		return first;
	last = describe_kind(line->last, false);
	label = describe_format("%s to %s", first, last);
	free(first);
	free(last);
	return label;
}

static void put_line(struct table *table, const struct line *line)
{
	const struct hprof_loader_use *sum = &line->sum;
	char *label, *text;

	label = line->count == 1 ? render_loader_name(sum)
				 : several_names(line);
	text = line->count == 1
		       ? describe_format("%*s%s", (int)indent_of(sum), "",
					 label)
		       : describe_format("%*s%zu x %s", (int)indent_of(sum), "",
					 line->count, label);
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
		     const struct choice *choice)
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
	struct choice choice;

	if (!loaders)
		return;
	fprintf(out, "\nClass loaders: %s", units_count(loaders->count, count));
	if (loaders->stopped)
		fprintf(out, "; closed or stopped, but alive: %s",
			units_count(loaders->stopped, count));
	fputs("\n\n", out);
	choice = choose(report, true);
	put_tree(out, loaders, &choice);
	if (choice.left)
		fprintf(out, "(%s more)\n", units_count(choice.left, count));
	choice_done(&choice);
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
	struct choice choice = choose(report, false);

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
	choice_done(&choice);
}
