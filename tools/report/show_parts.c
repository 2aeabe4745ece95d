/* SPDX-License-Identifier: MIT */
/*
 * show_parts.c - the fields and elements of the object that is shown.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/json_graph.h"
#include "tools/common/describe.h"
#include "tools/common/prose.h"
#include "tools/report/show.h"
#include "tools/common/table.h"
#include "tools/common/units.h"

#define LABEL_WIDTH 12

/* ---- frame -------------------------------------------------------------- */

void show_text(struct show *show, const char *key, const char *label,
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

void show_line(struct show *show, const char *key, const char *label,
	       const char *text)
{
	char *copy;

	if (show->as_json || !text) {
		show_text(show, key, label, text);
		return;
	}
	copy = escape_copy(text, 0);
	printf("%-*s", LABEL_WIDTH, label);
	prose_lines(stdout, LABEL_WIDTH, copy);
	free(copy);
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

static void put_field(struct table *table, const struct hprof_field *field,
		      const struct show_value *value)
{
	char size[UNITS_MAX];
	bool info = value->object.object != HPROF_NO_OBJECT;

	table_text(table,
		   info ? units_bytes(value->object.retained, size) : "");
	table_text(table, hprof_type_name(field->type));
	put_cell(table, describe_kind(field->name, false));
	put_cell(table, show_value_label(value));
}

void show_declaring(const struct show *show, struct table *table, size_t row)
{
	char *name = describe_kind(class_name(show, row), false);
	char *line = describe_format("from %s", name);

	table_line(table, line);
	free(line);
	free(name);
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

/*
 * Seeks the object again for each field, since looking at a value moves the
 * cursor.
 */
static bool next_field(struct show *show, uint64_t object, size_t i,
		       struct hprof_field *field, struct show_value *value)
{
	struct hprof_object at;

	if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK ||
	    hprof_cursor_field(show->cursor, i, field) != HPROF_OK)
		return false;
	show_take_value(show, field->type, field->value, value);
	return true;
}

static size_t class_of(struct show *show, uint64_t object)
{
	struct hprof_object at;

	return hprof_cursor_seek(show->cursor, object, &at) == HPROF_OK
		       ? at.class_row
		       : SIZE_MAX;
}

void show_fields(struct show *show, uint64_t object, bool statics)
{
	static const struct table_column columns[] = {
		{ "retained", TABLE_RIGHT },
		{ "type", TABLE_LEFT },
		{ "name", TABLE_LEFT },
		{ "value", TABLE_LEFT },
	};
	struct table *table = table_new(columns, 4);
	struct show_value value;
	struct hprof_field field;
	size_t count = 0, by = class_of(show, object);

	if (show->as_json)
		json_begin_array(&show->json, statics ? "statics" : "fields",
				 JSON_BLOCK);
	for (; next_field(show, object, count, &field, &value); count++) {
		if (!show->as_json && !statics && field.class_row != by)
			show_declaring(show, table, field.class_row);
		by = field.class_row;
		if (show->as_json)
			put_field_json(show, &field, &value);
		else
			put_field(table, &field, &value);
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

	put_cell(table, describe_format("[%" PRIu64 "]", index));
	if (value->type == HPROF_TYPE_OBJECT)
		table_text(table,
			   value->object.object != HPROF_NO_OBJECT
				   ? units_bytes(value->object.retained, size)
				   : "");
	put_cell(table, show_value_label(value));
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

	return hprof_cursor_seek(show->cursor, array->index, &at) == HPROF_OK &&
	       hprof_cursor_elements(show->cursor, first, room, bits,
				     ret_count) == HPROF_OK &&
	       *ret_count;
}

/* Nulls are not shown: most elements of a hash table are null. */
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
		{ "retained", TABLE_RIGHT },
		{ "element", TABLE_LEFT },
	};
	static const struct table_column numbers[] = {
		{ "", TABLE_RIGHT },
		{ "element", TABLE_LEFT },
	};
	bool objects = array->type == HPROF_TYPE_OBJECT;
	uint64_t limit = show_limit(show, array->length), shown;
	struct table *table =
		table_new(objects ? columns : numbers, objects ? 3 : 2);
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
		       objects ? ", nulls left out" : "");
	table_free(table);
}
