/*
 * render_path.c - a path from a GC root, a line for each object.
 */
#include <stdlib.h>

#include "label.h"
#include "render.h"
#include "table.h"
#include "units.h"

static const struct table_column columns[] = {
	{ NULL, TABLE_LEFT },
	{ NULL, TABLE_LEFT },
	{ NULL, TABLE_RIGHT },
};

static void put_step(struct table *table, const struct hprof_path_step *step,
		     bool first)
{
	char *edge =
		first ? label_format("%s", "")
		      : label_edge(step->edge, step->field, step->number, true);
	char *object = label_object(&step->held);
	char bytes[UNITS_MAX];

	table_text(table, edge);
	table_text(table, object);
	table_text(table, units_bytes(step->held.retained, bytes));
	free(edge);
	free(object);
}

static void put_gap(struct table *table, uint64_t left_out)
{
	char *text =
		label_count(left_out, "object left out", "objects left out");

	table_text(table, "...");
	table_text(table, text);
	table_text(table, "");
	free(text);
}

void render_path(FILE *out, const struct hprof_path *path, unsigned indent)
{
	struct table *table = table_new(columns, 3);
	char *root = label_root(&path->root);

	fprintf(out, "%*sGC root: %s\n", (int)indent, "", root);
	free(root);
	for (size_t i = 0; i < path->count; i++) {
		if (path->left_out && i == path->gap)
			put_gap(table, path->left_out);
		put_step(table, &path->steps[i], i == 0);
	}
	table_print(table, out, indent + 2);
	table_free(table);
}
