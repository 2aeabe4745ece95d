/* SPDX-License-Identifier: MIT */
/*
 * view_dominated.c - the tree of dominators, a level at a time; the objects of a
 * class; strings that contain a text. Rows are objects with what they retain.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/report/show.h"

enum { RETAINED, SHALLOW };

/* Of each kind of view here. */
#define OBJECT_COLUMNS \
	[RETAINED] = { "retained", COLUMN_BYTES }, \
	[SHALLOW] = { "shallow", COLUMN_BYTES }

/* What a text of the dump is searched in, and how much of it is read. */
enum { TEXT_MOST = 1 << 16, LOOK_EVERY = 1 << 12 };

/* A struct show with a cursor of its own, as tools/report wants it. */
static bool look(const struct view *v, struct show *ret)
{
	*ret = (struct show){ .path = v->tables->path,
			      .heap = v->tables->heap,
			      .graph =
				      v->with_graph ? v->tables->graph : NULL };
	return hprof_cursor_new(ret->heap, &ret->cursor, NULL) == HPROF_OK;
}

/* The object with its text, value or number of entries. */
static struct view_row *put_object(struct view *v, struct show *show,
				   uint64_t object)
{
	struct hprof_object at;
	struct show_value value;
	struct view_row *row;

	if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK)
		return NULL;
	show_take_value(show, HPROF_TYPE_OBJECT, at.id, &value);
	row = view_add(v, show_value_label(&value));
	row_about(row, &value.object);
	row->object = object;
	row->target = target_of(TARGET_OBJECT, object);
	row->values[SHALLOW] = at.shallow;
	if (show->graph)
		row->values[RETAINED] = value.object.retained;
	show_value_done(&value);
	return row;
}

/* "Dominated by com.acme.Foo@0x7f" */
static char *title_of(struct show *show, const char *before, uint64_t object)
{
	struct hprof_object_info info;
	char *name, *title;

	if (hprof_object_info_get(show->cursor, show->graph, object, &info,
				  NULL) != HPROF_OK)
		return cli_strdup("(no object)");
	name = describe_object(&info);
	title = describe_format("%s%s", before, name);
	free(name);
	return title;
}

/* ---- dominators ---------------------------------------------------------- */

static void put_children(struct view *v, struct show *show)
{
	const struct hprof_graph *graph = show->graph;
	uint64_t of = v->about.number;
	uint64_t *objects = cli_calloc(v->limit + 1, sizeof(*objects));
	size_t count = hprof_graph_children(graph, of, v->limit + 1, objects);
	bool more = count > v->limit;

	for (size_t i = 0; i < count - more; i++) {
		struct view_row *row = put_object(v, show, objects[i]);

		/* Looking for a child would be a look at all objects. */
		if (row && row->values[RETAINED] > row->values[SHALLOW])
			row->target = target_of(TARGET_DOMINATED, objects[i]);
	}
	free(objects);
	if (more)
		view_some_more(v);
}

static void make_dominated(struct view *v)
{
	uint64_t of = v->about.number;
	struct show show;

	if (!look(v, &show))
		return;
	v->whole = of == HPROF_NO_OBJECT
			   ? hprof_graph_totals(show.graph)->reachable_shallow
			   : hprof_graph_retained(show.graph, of);
	view_title(v, of == HPROF_NO_OBJECT
			      ? cli_strdup("Dominators: the biggest objects")
			      : title_of(&show, "Dominated by ", of));
	put_children(v, &show);
	hprof_cursor_free(show.cursor);
}

const struct view_kind dominated_view = {
	.columns = { OBJECT_COLUMNS },
	.text_title = "object",
	.has_share = true,
	.sortable = true,
	.is_slow = true,
	.needs = PART_GRAPH,
	.make = make_dominated,
};

/* ---- objects of a class -------------------------------------------------- */

static void make_instances(struct view *v)
{
	size_t class_row = (size_t)v->about.number;
	const struct hprof_class_row *of =
		&v->tables->summary->class_rows[class_row];
	struct hprof_instance_table *table = NULL;
	char *name = escape_copy(of->name, DESCRIBE_NAME_LIMIT);
	struct show show;

	view_title(v, describe_format("Objects of %s", name));
	free(name);
	v->whole = hprof_graph_totals(v->tables->graph)->reachable_shallow;
	if (!look(v, &show))
		return;
	if (hprof_instances_read(show.graph, &class_row, 1, v->limit, &table,
				 NULL) == HPROF_OK) {
		for (size_t i = 0; i < table->count; i++)
			put_object(v, &show, table->objects[i]);
		view_more(v, table->total - table->count);
	}
	hprof_instance_table_free(table);
	hprof_cursor_free(show.cursor);
}

const struct view_kind instances_view = {
	.columns = { OBJECT_COLUMNS },
	.text_title = "object",
	.has_share = true,
	.sortable = true,
	.is_slow = true,
	.needs = PART_GRAPH,
	.make = make_instances,
};

/* ---- strings ------------------------------------------------------------- */

/* False: there are enough. */
static bool try_string(struct view *v, struct show *show, uint64_t object)
{
	struct hprof_object at;
	const char *text;

	if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK ||
	    hprof_cursor_text(show->cursor, TEXT_MOST, &text, NULL) !=
		    HPROF_OK ||
	    !strstr(text, v->about.text))
		return true;
	if (v->count == v->limit) {
		view_some_more(v);
		return false;
	}
	put_object(v, show, object);
	return true;
}

/* Strings are found by an index of classes, which reads the dump once. */
static void search_strings(struct view *v, struct show *show,
			   const struct hprof_class_index *index)
{
	static const char *const classes[] = { "java.lang.String",
					       "java.lang.StringBuilder",
					       "java.lang.StringBuffer" };
	bool more = true;

	for (size_t c = 0; c < sizeof(classes) / sizeof(*classes); c++) {
		size_t row = hprof_heap_class_named(show->heap, classes[c], 0);

		for (uint64_t i = 0; row != SIZE_MAX && more; i++) {
			uint64_t object =
				hprof_class_index_object(index, row, false, i);

			if (object == HPROF_NO_OBJECT)
				break;
			more = (i % LOOK_EVERY || !atomic_load(&v->ending)) &&
			       try_string(v, show, object);
		}
	}
}

static void make_texts(struct view *v)
{
	struct hprof_class_index *index = NULL;
	char *text = escape_copy(v->about.text, DESCRIBE_NAME_LIMIT);
	struct show show;

	view_title(v, describe_format("Strings with \"%s\"", text));
	free(text);
	if (!look(v, &show))
		return;
	v->whole = show.graph
			   ? hprof_graph_totals(show.graph)->reachable_shallow
			   : 0;
	if (hprof_class_index_build(show.heap, &index, NULL) == HPROF_OK)
		search_strings(v, &show, index);
	hprof_class_index_free(index);
	hprof_cursor_free(show.cursor);
}

const struct view_kind texts_view = {
	.columns = { OBJECT_COLUMNS },
	.text_title = "object",
	.sortable = true,
	.is_slow = true,
	.make = make_texts,
};
