/* SPDX-License-Identifier: MIT */
/*
 * view_path.c - why an object is alive: paths from roots; and what refers to it.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/browse/path_rows.h"
#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/report/show.h"

enum { RETAINED };
enum { PATHS = 4 };

/* ---- paths --------------------------------------------------------------- */

static void put_paths(struct view *v, const struct hprof_path_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		char *heading = i ? describe_format("Another way")
				  : describe_format("Path");

		view_heading(v, heading);
		free(heading);
		path_rows_put(v, &table->paths[i]);
	}
	if (!table->count)
		view_add(v, cli_strdup("no path from a root leads to it: it is "
				       "not strongly reachable"));
}

static void put_title(struct view *v, const char *before)
{
	struct hprof_object_info info;
	struct hprof_cursor *cursor;
	char *name;

	view_title(v, cli_strdup(before));
	if (hprof_cursor_new(v->tables->heap, &cursor, NULL) != HPROF_OK)
		return;
	if (hprof_object_info_get(cursor, NULL, v->about.number, &info, NULL) ==
	    HPROF_OK) {
		name = describe_object(&info);
		view_title(v, describe_format("%s %s", before, name));
		free(name);
	}
	hprof_cursor_free(cursor);
}

static void make_path(struct view *v)
{
	const struct hprof_path_options how = { .size = sizeof(how),
						.count = PATHS };
	struct hprof_path_table *table = NULL;
	struct hprof_error error = { 0 };

	put_title(v, "Path to");
	if (hprof_paths_read(v->tables->graph, v->about.number, &how, &table,
			     &error) == HPROF_OK)
		put_paths(v, table);
	else
		view_add(v, describe_format("%s", error.text));
	hprof_path_table_free(table);
}

const struct view_kind path_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES } },
	.text_title = "reference and object, from the root on",
	.is_slow = true,
	.needs = PART_GRAPH,
	.make = make_path,
};

/* ---- referrers ----------------------------------------------------------- */

struct found {
	uint64_t *objects;
	size_t count, room;
	uint64_t total;
};

static bool take(void *user, uint64_t object)
{
	struct found *f = user;

	if (f->count < f->room)
		f->objects[f->count++] = object;
	f->total++;
	return true;
}

static void put_referrer(struct view *v, struct show *show, uint64_t from)
{
	struct hprof_edge edge = { .kind = HPROF_EDGE_FIELD };
	struct hprof_object_info info;
	struct view_row *row;
	uint64_t looks = 0;

	if (!show_find_edge(show, from, v->about.number, &edge, &looks) ||
	    hprof_object_info_get(show->cursor, show->graph, from, &info,
				  NULL) != HPROF_OK)
		return;
	row = view_add(v, describe_object(&info));
	row->label = show_edge_label(show, info.class_row, &edge);
	row->values[RETAINED] = info.retained;
	row_about(row, &info);
}

static void make_referrers(struct view *v)
{
	struct show show = { .path = v->tables->path,
			     .heap = v->tables->heap,
			     .graph = v->tables->graph };
	struct found f = { .room = v->limit };
	struct hprof_error error = { 0 };

	put_title(v, "Referrers of");
	if (hprof_cursor_new(show.heap, &show.cursor, NULL) != HPROF_OK)
		return;
	f.objects = cli_calloc(f.room, sizeof(*f.objects));
	if (hprof_graph_referrers(show.graph, v->about.number, take, &f,
				  &error) != HPROF_OK)
		view_add(v, describe_format("%s", error.text));
	for (size_t i = 0; i < f.count; i++)
		put_referrer(v, &show, f.objects[i]);
	if (!f.total)
		view_add(v, cli_strdup("nothing that holds it refers to it"));
	view_more(v, f.total - f.count);
	free(f.objects);
	hprof_cursor_free(show.cursor);
}

const struct view_kind referrers_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES } },
	.text_title = "reference and object",
	.sortable = true,
	.is_slow = true,
	.needs = PART_GRAPH,
	.make = make_referrers,
};
