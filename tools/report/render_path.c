/* SPDX-License-Identifier: MIT */
/*
 * render_path.c - a path from a GC root, with a line for each object.
 */
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/report/path_folds.h"
#include "tools/report/render.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define SAME_LEAST 3 /* steps that need not be shown again */

/* Steps at the beginning and at the end of a path that is folded. */
enum { FOLD_HEAD = 8, FOLD_TAIL = 6 };

static const struct table_column columns[] = {
	{ NULL, TABLE_RIGHT },
	{ NULL, TABLE_LEFT },
	{ NULL, TABLE_LEFT },
};

char *render_path_local(const char *local_class, const char *local_field)
{
	char *local = describe_kind(local_class, false), *field, *text;

	if (!local_field) {
		text = describe_format("(of a %s)", local);
	} else {
		field = describe_edge(HPROF_EDGE_FIELD, local_field, 0, false);
		text = describe_format("(ThreadLocal %s%s)", local, field);
		free(field);
	}
	free(local);
	return text;
}

char *render_path_held(const struct hprof_path_step *step)
{
	char *object = describe_object(&step->held), *local, *both;

	if (!step->local_class)
		return object;
	local = render_path_local(step->local_class, step->local_field);
	both = describe_format("%s %s", object, local);
	free(object);
	free(local);
	return both;
}

static void put_step(struct table *table, const struct hprof_path_step *step,
		     bool first)
{
	char *edge =
		first ? describe_format("%s", "") : describe_step(step, true);
	char *object = render_path_held(step);
	char bytes[UNITS_MAX];

	table_text(table, units_bytes(step->held.retained, bytes));
	table_text(table, edge);
	table_text(table, object);
	free(edge);
	free(object);
}

/* A line for what is not printed; nothing without TEXT, which is freed. */
static void put_gap(struct table *table, char *text)
{
	if (!text)
		return;
	table_text(table, "");
	table_text(table, "...");
	table_text(table, text);
	free(text);
}

/*
 * How many steps of PATH to print. A common end with FIRST was printed there;
 * of it only the first object is printed again.
 */
static size_t steps_shown(const struct hprof_path *path,
			  const struct hprof_path *first)
{
	size_t same = 0;

	while (first && same < path->count && same < first->count &&
	       path->steps[path->count - 1 - same].held.object ==
		       first->steps[first->count - 1 - same].held.object)
		same++;
	return same < SAME_LEAST ? path->count : path->count - same + 1;
}

static void put_notes(FILE *out, const struct hprof_path *path, size_t shown,
		      unsigned indent)
{
	char *more;

	if (shown < path->count)
		fprintf(out, "%*s(from there on as above)\n", (int)indent, "");
	if (!path->alike)
		return;
	more = describe_count(path->alike, "more path", "more paths");
	fprintf(out, "%*s(%s by objects of these classes)\n", (int)indent, "",
		more);
	free(more);
}

char *render_path_start(const struct hprof_path *path)
{
	char *root, *loader;

	if (path->loader.object == HPROF_NO_OBJECT || path->root.tag)
		return describe_root(&path->root);
	loader = describe_object(&path->loader);
	root = describe_format("class loader %s", loader);
	free(loader);
	return root;
}

void render_path_from(FILE *out, const struct hprof_path *path, size_t first,
		      unsigned indent)
{
	struct table *table = table_new(columns, 3);
	size_t lines = path_folds_count(path, first, path->count), line = 1;

	for (size_t i = first, next; i < path->count; i = next, line++) {
		put_step(table, &path->steps[i], i == first);
		next = path_folds_next(path, i, path->count);
		if (line != FOLD_HEAD || lines <= FOLD_HEAD + FOLD_TAIL + 1) {
			put_gap(table, next < path->count
					       ? path_folds_text(path, i, next)
					       : NULL);
			continue;
		}
		for (; line < lines - FOLD_TAIL; line++)
			next = path_folds_next(path, next, path->count);
		put_gap(table,
			describe_count(path_folds_hidden(path, i, next),
				       "object left out", "objects left out"));
	}
	table_print(table, out, indent);
	table_free(table);
}

void render_path(FILE *out, const struct hprof_path *path,
		 const struct hprof_path *first, unsigned indent)
{
	struct table *table = table_new(columns, 3);
	size_t shown = steps_shown(path, first);
	char *root = render_path_start(path);

	fprintf(out, "%*sGC root: ", (int)indent, "");
	prose_lines(out, indent + 9, root);
	free(root);
	for (size_t i = 0, next; i < shown; i = next) {
		put_step(table, &path->steps[i], i == 0);
		next = path_folds_next(path, i, shown);
		put_gap(table,
			next < shown ? path_folds_text(path, i, next) : NULL);
	}
	table_print(table, out, indent + 2);
	put_notes(out, path, shown, indent + 2);
	table_free(table);
}
