/*
 * show_parts.c - the tables of a shown object: fields, elements, referrers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli.h"
#include "escape.h"
#include "json_graph.h"
#include "label.h"
#include "show.h"
#include "table.h"
#include "units.h"

#define LABEL_WIDTH 12

/* ---- frame -------------------------------------------------------------- */

void show_line(struct show *show, const char *key, const char *label,
	       const char *text)
{
	if (show->as_json) {
		json_string(&show->json, key, text);
		return;
	}
	if (!text)
		return;
	printf("%-*s", LABEL_WIDTH, label);
	escape_write(stdout, text, ESCAPE_TERMINAL);
	putchar('\n');
}

void show_begin(struct show *show, const char *key, const char *title)
{
	if (show->as_json)
		json_begin_array(&show->json, key, JSON_BLOCK);
	else
		printf("\n%s\n", title);
}

void show_end(struct show *show)
{
	if (show->as_json)
		json_end(&show->json);
}

uint64_t show_limit(const struct show *show, uint64_t count)
{
	return show->top && show->top < count ? show->top : count;
}

void show_left_out(const struct show *show, uint64_t count, uint64_t shown)
{
	char text[UNITS_MAX];

	if (!show->as_json && count > shown)
		printf("  (%s more)\n", units_count(count - shown, text));
}

static void put_cell(struct table *table, char *label)
{
	table_text(table, label);
	free(label);
}

/* ---- fields ------------------------------------------------------------- */

static const char *class_name(const struct show *show, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(show->heap);

	return row < summary->class_count ? summary->class_rows[row].name
					  : NULL;
}

static void put_field(struct table *table, const struct show *show,
		      const struct hprof_field *field,
		      const struct show_value *value)
{
	char size[UNITS_MAX];
	bool held = value->held.object != HPROF_NO_OBJECT;

	table_text(table, hprof_type_name(field->type));
	put_cell(table, label_kind(field->name, false));
	put_cell(table, show_value_label(value));
	table_text(table, held ? units_bytes(value->held.retained, size) : "");
	if (!field->is_static)
		put_cell(table,
			 label_kind(class_name(show, field->class_row), false));
}

static void put_field_json(struct show *show, const struct hprof_field *field,
			   const struct show_value *value)
{
	json_begin_object(&show->json, NULL, JSON_LINE);
	json_string(&show->json, "name", field->name);
	json_string(&show->json, "type", hprof_type_name(field->type));
	if (!field->is_static)
		json_string(&show->json, "class",
			    class_name(show, field->class_row));
	show_value_json(&show->json, value);
	json_end(&show->json);
}

/* The values are fetched one by one: looking at one moves the cursor. */
static bool next_field(struct show *show, uint64_t object, size_t i,
		       struct hprof_field *field, struct show_value *value)
{
	struct hprof_object at;

	if (hprof_cursor_go(show->cursor, object, &at) != HPROF_OK ||
	    hprof_cursor_field(show->cursor, i, field) != HPROF_OK)
		return false;
	show_take_value(show, field->type, field->value, value);
	return true;
}

void show_fields(struct show *show, uint64_t object, bool statics)
{
	static const struct table_column columns[] = {
		{ "type", TABLE_LEFT },	       { "name", TABLE_LEFT },
		{ "value", TABLE_LEFT },       { "retained", TABLE_RIGHT },
		{ "declared by", TABLE_LEFT },
	};
	struct table *table = table_new(columns, statics ? 4 : 5);
	struct show_value value;
	struct hprof_field field;
	size_t count = 0;

	if (show->as_json)
		json_begin_array(&show->json, statics ? "statics" : "fields",
				 JSON_BLOCK);
	for (; next_field(show, object, count, &field, &value); count++) {
		if (show->as_json)
			put_field_json(show, &field, &value);
		else
			put_field(table, show, &field, &value);
		show_value_done(&value);
	}
	if (show->as_json)
		json_end(&show->json);
	else
		printf(count ? "\n%s\n" : "\nno %s\n",
		       statics ? "static fields" : "fields");
	if (!show->as_json && count)
		table_print(table, stdout, 2);
	table_free(table);
}

/* ---- elements ----------------------------------------------------------- */

static void put_element(struct table *table, uint64_t index,
			const struct show_value *value)
{
	char size[UNITS_MAX];

	put_cell(table, label_format("[%" PRIu64 "]", index));
	put_cell(table, show_value_label(value));
	table_text(table, value->held.object != HPROF_NO_OBJECT
				  ? units_bytes(value->held.retained, size)
				  : "");
}

static void put_element_json(struct json *json, uint64_t index,
			     const struct show_value *value)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_number(json, "index", index);
	show_value_json(json, value);
	json_end(json);
}

static bool next_elements(struct show *show, const struct hprof_object *array,
			  uint64_t first, uint64_t *bits, size_t room,
			  size_t *ret_count)
{
	struct hprof_object at;

	return hprof_cursor_go(show->cursor, array->index, &at) == HPROF_OK &&
	       hprof_cursor_elements(show->cursor, first, room, bits,
				     ret_count) == HPROF_OK &&
	       *ret_count;
}

/* Nulls are left out: a hash table is mostly nulls. */
static bool is_shown(const struct hprof_object *array, uint64_t bits)
{
	return array->type != HPROF_TYPE_OBJECT || bits;
}

static uint64_t put_elements(struct show *show, struct table *table,
			     const struct hprof_object *array, uint64_t limit)
{
	uint64_t bits[256], at = 0, shown = 0;
	size_t count;

	while (shown < limit &&
	       next_elements(show, array, at, bits, 256, &count)) {
		for (size_t i = 0; i < count && shown < limit; i++) {
			struct show_value value;

			if (!is_shown(array, bits[i]))
				continue;
			show_take_value(show, array->type, bits[i], &value);
			if (show->as_json)
				put_element_json(&show->json, at + i, &value);
			else
				put_element(table, at + i, &value);
			show_value_done(&value);
			shown++;
		}
		at += count;
	}
	return shown;
}

void show_elements(struct show *show, const struct hprof_object *array)
{
	static const struct table_column columns[] = {
		{ "", TABLE_RIGHT },
		{ "element", TABLE_LEFT },
		{ "retained", TABLE_RIGHT },
	};
	uint64_t limit = show_limit(show, array->length), shown;
	struct table *table = table_new(columns, 3);
	char text[UNITS_MAX];

	show_begin(show, "elements",
		   array->length ? "elements" : "no elements");
	shown = put_elements(show, table, array, limit);
	show_end(show);
	if (!show->as_json && shown)
		table_print(table, stdout, 2);
	if (!show->as_json && array->length > shown)
		printf("  (%s elements in all%s)\n",
		       units_count(array->length, text),
		       array->type == HPROF_TYPE_OBJECT ? ", nulls left out"
							: "");
	table_free(table);
}

/* ---- referrers ---------------------------------------------------------- */

struct referrers {
	uint64_t *objects;
	size_t kept, room;
	uint64_t count;
};

static bool take_referrer(void *user, uint64_t object)
{
	struct referrers *r = user;

	if (r->kept < r->room)
		r->objects[r->kept++] = object;
	r->count++;
	return true;
}

/* How FROM refers to TO: the first reference that does. */
static bool find_edge(const struct show *show, uint64_t from, uint64_t to,
		      struct hprof_edge *ret)
{
	struct hprof_object at;

	if (hprof_cursor_go(show->cursor, from, &at) != HPROF_OK)
		return false;
	for (uint64_t i = 0;
	     hprof_cursor_edge(show->cursor, i, ret) == HPROF_OK; i++)
		if (ret->to == to && ret->kind != HPROF_EDGE_CLASS)
			return true;
	for (uint64_t i = 0;
	     hprof_cursor_edge(show->cursor, i, ret) == HPROF_OK; i++)
		if (ret->to == to)
			return true;
	return false;
}

static void put_referrer(struct table *table, const struct hprof_held *held,
			 const struct hprof_edge *edge)
{
	char size[UNITS_MAX];

	put_cell(table, label_object(held));
	put_cell(table, label_edge(edge->kind, edge->name, edge->number, true));
	table_text(table, units_bytes(held->retained, size));
}

static void put_referrer_json(struct json *json, const struct hprof_held *held,
			      const struct hprof_edge *edge)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "by", label_edge_word(edge->kind));
	if (edge->name)
		json_string(json, "field", edge->name);
	if (edge->kind == HPROF_EDGE_ELEMENT)
		json_number(json, "index", edge->number);
	json_held_members(json, held);
	json_end(json);
}

static void put_referrers(struct show *show, const struct referrers *r,
			  uint64_t object)
{
	static const struct table_column columns[] = {
		{ "referrer", TABLE_LEFT },
		{ "by", TABLE_LEFT },
		{ "retained", TABLE_RIGHT },
	};
	struct table *table = table_new(columns, 3);

	for (size_t i = 0; i < r->kept; i++) {
		struct hprof_edge edge = { .kind = HPROF_EDGE_FIELD };
		struct hprof_held held;

		if (!find_edge(show, r->objects[i], object, &edge) ||
		    hprof_held_get(show->heap, show->graph, show->cursor,
				   r->objects[i], &held) != HPROF_OK)
			continue;
		if (show->as_json)
			put_referrer_json(&show->json, &held, &edge);
		else
			put_referrer(table, &held, &edge);
	}
	if (!show->as_json && r->kept)
		table_print(table, stdout, 2);
	table_free(table);
}

bool show_referrers(struct show *show, uint64_t object)
{
	uint64_t all = hprof_heap_count(show->heap);
	struct referrers r = { .room = (size_t)show_limit(show, all) };
	struct hprof_error error = { 0 };
	enum hprof_status status;

	r.objects = cli_calloc(r.room, sizeof(*r.objects));
	status = hprof_graph_referrers(show->graph, object, take_referrer, &r,
				       &error);
	if (status < 0)
		cli_message("%s: %s", show->path, error.text);
	if (show->as_json)
		json_number(&show->json, "referrer_count", r.count);
	show_begin(show, "referrers", r.count ? "referrers" : "no referrers");
	put_referrers(show, &r, object);
	show_end(show);
	show_left_out(show, r.count, r.kept);
	free(r.objects);
	return status >= 0;
}
