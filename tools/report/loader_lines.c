/* SPDX-License-Identifier: MIT */
/*
 * loader_lines.c - see loader_lines.h.
 *
 * Of many loaders those that leak come first, then those that retain most, and
 * with each of them the loaders above it. Those that are alike share a line before
 * anything is left out, so that it has all of them; so do three or more whose names
 * differ in numbers only.
 */
#include "tools/report/loader_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/series.h"
#include "tools/report/leak_where.h"

enum { SERIES_LEAST = 3 }; /* loaders whose names differ in numbers */

/* ---- lines --------------------------------------------------------------- */

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

static void join(struct loader_line *lines, const struct leaf *leaves,
		 size_t count)
{
	for (size_t i = 1; i < count; i++)
		lines[leaves[i].row].leader = leaves[0].row;
}

static void join_alike(struct loader_line *lines,
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

static void add_name(struct loader_line *line, const char *name)
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
static struct loader_line *
make_lines(const struct hprof_loader_use_table *loaders, const bool *matching,
	   bool join)
{
	struct loader_line *lines = cli_calloc(loaders->count, sizeof(*lines));

	for (size_t i = 0; i < loaders->count; i++)
		lines[i].leader = i;
	if (join)
		join_alike(lines, loaders, matching);
	for (size_t i = 0; i < loaders->count; i++) {
		struct loader_line *line = &lines[lines[i].leader];

		add_name(line, loaders->rows[i].name);
		if (line->count++)
			add_figures(&line->sum, &loaders->rows[i]);
		else
			line->sum = loaders->rows[i];
	}
	return lines;
}

/* ---- their names --------------------------------------------------------- */

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

/* What several loaders are called: "app-1 to app-9", or all the same. */
static char *several_names(const struct loader_line *line)
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

char *loader_line_name(const struct loader_line *line)
{
	char *names, *label;

	if (line->count == 1)
		return render_loader_name(&line->sum);
	names = several_names(line);
	label = describe_format("%zu x %s", line->count, names);
	free(names);
	return label;
}

/* ---- which of them ------------------------------------------------------- */

struct ranked {
	const struct loader_line *line;
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

static void choose_lines(const struct report *report, const bool *matching,
			 struct loader_choice *choice)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	struct ranked *ranked = cli_calloc(loaders->count, sizeof(*ranked));
	size_t count = 0, most;

	choice->order = cli_calloc(loaders->count, sizeof(*choice->order));
	for (size_t i = 0; i < loaders->count; i++)
		if (matching[i] && choice->lines[i].leader == i)
			ranked[count++] =
				(struct ranked){ &choice->lines[i], i };
	if (count)
		qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < count; i++)
		choice->order[i] = ranked[i].row;
	choice->count = count;
	most = render_rows(report, count);
	for (size_t i = 0; i < most; i++)
		for (size_t at = ranked[i].row;
		     at != SIZE_MAX && !choice->chosen[at];
		     at = loaders->rows[at].parent)
			choice->chosen[at] = true;
	free(ranked);
}

struct loader_choice loader_lines_choose(const struct report *report, bool join)
{
	const struct hprof_loader_use_table *loaders = report->loaders;
	bool *matching = matching_loaders(report);
	struct loader_choice choice = {
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

void loader_lines_done(struct loader_choice *choice)
{
	free(choice->lines);
	free(choice->chosen);
	free(choice->order);
}
