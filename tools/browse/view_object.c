/* SPDX-License-Identifier: MIT */
/*
 * view_object.c - an object: what it is, its text, fields, entries or elements.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/units.h"
#include "tools/report/show.h"

enum { RETAINED };
enum { TEXT_MOST = 4000 };

struct page {
	struct view *view;
	struct show show;
	struct hprof_object at;
};

/* Takes TEXT. */
static struct view_row *fact(struct page *p, const char *label, char *text)
{
	struct view_row *row = view_add(p->view, text);

	row->label = cli_strdup(label);
	return row;
}

/* Takes LABEL. */
static void put_value(struct page *p, char *label, unsigned type, uint64_t bits)
{
	struct show_value value;
	struct view_row *row;

	show_take_value(&p->show, type, bits, &value);
	row = view_add(p->view, show_value_label(&value));
	row->label = label;
	row->depth = 1;
	row_about(row, &value.object);
	if (value.object.object != HPROF_NO_OBJECT && p->show.graph)
		row->values[RETAINED] = value.object.retained;
	show_value_done(&value);
}

/* ---- what it is ---------------------------------------------------------- */

static void put_sizes(struct page *p)
{
	char size[UNITS_MAX];
	const struct hprof_graph *graph = p->show.graph;

	fact(p, "shallow",
	     describe_format("%s", units_bytes(p->at.shallow, size)));
	if (!graph)
		return;
	fact(p, "retained",
	     describe_format(
		     "%s", units_bytes(hprof_graph_retained(graph, p->at.index),
				       size)));
	fact(p, "reached",
	     describe_format("%s%s",
			     describe_strength(
				     hprof_graph_strength(graph, p->at.index)),
			     hprof_graph_is_root(graph, p->at.index)
				     ? ", a root"
				     : ""));
}

static void put_text(struct page *p)
{
	struct hprof_object at;
	const char *text;
	uint64_t length;
	char *copy;

	if (hprof_cursor_seek(p->show.cursor, p->at.index, &at) != HPROF_OK ||
	    hprof_cursor_text(p->show.cursor, TEXT_MOST, &text, &length) !=
		    HPROF_OK)
		return;
	copy = escape_copy(text, 0);
	view_heading(p->view, "Text");
	view_prose(p->view, copy);
	if (length > TEXT_MOST)
		view_add(p->view,
			 describe_format("(%" PRIu64 " characters in all)",
					 length));
	free(copy);
}

static void put_ways(struct page *p)
{
	uint64_t object = p->at.index;
	uint64_t dominator;

	fact(p, "path", cli_strdup("why it is alive"))->target =
		target_of(TARGET_PATH, object);
	fact(p, "referrers", cli_strdup("what refers to it"))->target =
		target_of(TARGET_REFERRERS, object);
	if (!p->show.graph)
		return;
	dominator = hprof_graph_dominator(p->show.graph, object);
	if (dominator != HPROF_NO_OBJECT) {
		struct hprof_object_info info;

		if (hprof_object_info_get(p->show.cursor, p->show.graph,
					  dominator, &info, NULL) == HPROF_OK)
			row_about(fact(p, "dominator", describe_object(&info)),
				  &info);
	}
	fact(p, "dominates", cli_strdup("what goes when it goes"))->target =
		target_of(TARGET_DOMINATED, object);
}

/* ---- fields -------------------------------------------------------------- */

/* The cursor is moved by looking at a value, so each field is sought anew. */
static bool next_field(struct page *p, size_t i, struct hprof_field *ret)
{
	struct hprof_object at;

	return hprof_cursor_seek(p->show.cursor, p->at.index, &at) ==
		       HPROF_OK &&
	       hprof_cursor_field(p->show.cursor, i, ret) == HPROF_OK;
}

static void put_fields(struct page *p)
{
	const struct hprof_summary *s = p->view->tables->summary;
	bool statics = p->at.kind == HPROF_OBJECT_CLASS;
	struct hprof_field field;
	size_t by = SIZE_MAX;

	for (size_t i = 0; next_field(p, i, &field); i++) {
		char *name;

		if (i == 0)
			view_heading(p->view,
				     statics ? "Static fields" : "Fields");
		if (!statics && i && field.class_row != by &&
		    field.class_row < s->class_count) {
			name = describe_kind(
				s->class_rows[field.class_row].name, false);
			view_add(p->view, describe_format("from %s", name))
				->is_heading = true;
			free(name);
		}
		by = field.class_row;
		put_value(p, describe_kind(field.name, false), field.type,
			  field.value);
	}
}

/* ---- elements and entries ------------------------------------------------ */

static void put_elements(struct page *p)
{
	uint64_t shown =
		p->at.length < p->view->limit ? p->at.length : p->view->limit;

	if (!p->at.length)
		return;
	view_heading(p->view, "Elements");
	for (uint64_t i = 0; i < shown; i++) {
		struct hprof_object at;
		uint64_t bits;
		size_t count;

		if (hprof_cursor_seek(p->show.cursor, p->at.index, &at) !=
			    HPROF_OK ||
		    hprof_cursor_elements(p->show.cursor, i, 1, &bits,
					  &count) != HPROF_OK ||
		    !count)
			break;
		put_value(p, describe_format("[%" PRIu64 "]", i), p->at.type,
			  bits);
	}
	view_more(p->view, p->at.length - shown);
}

struct entries {
	struct hprof_collection_entry *items;
	size_t count;
};

static bool take_entry(void *user, const struct hprof_collection_entry *entry)
{
	struct entries *e = user;

	e->items[e->count++] = *entry;
	return true;
}

/* "key" = value; an element has its number, or nothing, in place of the key. */
static void put_entry(struct page *p, const struct hprof_collection_entry *e,
		      enum hprof_collection_kind kind)
{
	bool has_value = e->value_type != 0;
	struct show_value key;
	char *label;

	if (kind == HPROF_COLLECTION_MAP && e->key_type && has_value) {
		show_take_value(&p->show, e->key_type, e->key, &key);
		label = show_value_brief(&key);
		show_value_done(&key);
	} else if (kind == HPROF_COLLECTION_SET) {
		label = cli_strdup("");
	} else {
		label = describe_format("[%" PRIu64 "]", e->number);
	}
	put_value(p, label, has_value ? e->value_type : e->key_type,
		  has_value ? e->value : e->key);
	if (kind == HPROF_COLLECTION_MAP)
		p->view->rows[p->view->count - 1].is_entry = true;
}

static void put_entries(struct page *p)
{
	struct hprof_collection c;
	struct hprof_collection_walk walk = { 0 };
	struct entries e = { 0 };
	size_t most = p->view->limit + 1;
	char *size, *title;

	if (p->at.kind != HPROF_OBJECT_INSTANCE ||
	    hprof_collection_open(p->show.cursor, p->at.index, &c) != HPROF_OK)
		return;
	e.items = cli_calloc(most, sizeof(*e.items));
	if (hprof_collection_each(p->show.cursor, p->at.index, most, take_entry,
				  &e, &walk) == HPROF_OK) {
		size = show_size_label(&c);
		title = describe_format("Contents: %s%s", size,
					walk.odd ? ", and damaged" : "");
		view_heading(p->view, title);
		free(title);
		free(size);
		for (size_t i = 0; i < e.count && i + 1 < most; i++)
			put_entry(p, &e.items[i], c.kind);
		if (e.count == most)
			view_some_more(p->view);
	}
	free(e.items);
}

/* ---- the page ------------------------------------------------------------ */

static void put_title(struct page *p)
{
	struct hprof_object_info info;

	if (hprof_object_info_get(p->show.cursor, p->show.graph, p->at.index,
				  &info, NULL) != HPROF_OK)
		return;
	view_title(p->view, describe_object(&info));
}

static void put_meaning(struct page *p)
{
	struct show_value value;

	show_take_value(&p->show, HPROF_TYPE_OBJECT, p->at.id, &value);
	if (!value.text && (value.plain || value.boxed))
		fact(p, "value", show_value_brief(&value));
	show_value_done(&value);
}

static void put_class(struct page *p)
{
	const struct hprof_summary *s = p->view->tables->summary;
	struct view_row *row;

	if (p->at.class_row >= s->class_count)
		return;
	row = fact(p, "class",
		   escape_copy(s->class_rows[p->at.class_row].name,
			       DESCRIBE_NAME_LIMIT));
	row->class_row = p->at.class_row;
	row->target = target_of(TARGET_INSTANCES, p->at.class_row);
}

static void make_object(struct view *v)
{
	struct page p = { .view = v,
			  .show = { .path = v->tables->path,
				    .heap = v->tables->heap,
				    .graph = v->with_graph ? v->tables->graph
							   : NULL } };

	view_title(v, cli_strdup("(no object)"));
	if (hprof_cursor_new(p.show.heap, &p.show.cursor, NULL) != HPROF_OK)
		return;
	if (hprof_cursor_seek(p.show.cursor, v->about.number, &p.at) ==
	    HPROF_OK) {
		put_title(&p);
		put_class(&p);
		put_sizes(&p);
		put_meaning(&p);
		put_ways(&p);
		put_text(&p);
		put_entries(&p);
		put_fields(&p);
		if (p.at.kind == HPROF_OBJECT_OBJ_ARRAY ||
		    p.at.kind == HPROF_OBJECT_PRIM_ARRAY)
			put_elements(&p);
	}
	hprof_cursor_free(p.show.cursor);
}

const struct view_kind object_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES } },
	.text_title = "what",
	.improves = true,
	.is_slow = true,
	.make = make_object,
};
