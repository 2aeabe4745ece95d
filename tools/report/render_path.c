/* SPDX-License-Identifier: MIT */
/*
 * render_path.c - a path from a GC root, with a line for each object.
 */
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/prose.h"
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

static void put_gap(struct table *table, uint64_t left_out)
{
	char *text =
		describe_count(left_out, "object left out", "objects left out");

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

	for (size_t i = first; i < path->count; i++) {
		if (i == first + FOLD_HEAD &&
		    path->count - first > FOLD_HEAD + FOLD_TAIL + 1) {
			size_t hidden =
				path->count - first - FOLD_HEAD - FOLD_TAIL;

			put_gap(table, hidden + path->left_out);
			i += hidden;
		}
		put_step(table, &path->steps[i], i == first);
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
	for (size_t i = 0; i < shown; i++) {
		if (path->left_out && i == path->gap)
			put_gap(table, path->left_out);
		put_step(table, &path->steps[i], i == 0);
	}
	table_print(table, out, indent + 2);
	put_notes(out, path, shown, indent + 2);
	table_free(table);
}
