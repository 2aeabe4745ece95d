/* SPDX-License-Identifier: MIT */
/*
 * render_waste_json.c - what could be saved, as JSON.
 */
#include "tools/report/render.h"

static const char *class_name(const struct report *report, size_t row)
{
	const struct hprof_summary *summary = report->summary;

	return row < summary->class_count ? summary->class_rows[row].name
					  : NULL;
}

static void put_sum(struct json *json, const struct hprof_waste_sum *sum)
{
	json_number(json, "objects", sum->objects);
	json_number(json, "bytes", sum->bytes);
	json_number(json, "saved", sum->saved);
}

/* null: a GC root, as "root" says, or not known. */
static void put_holder(struct json *json, const struct report *report,
		       const struct hprof_waste_holder *holder)
{
	if (holder->class_row == SIZE_MAX) {
		json_null(json, "holder");
	} else {
		json_begin_object(json, "holder", JSON_LINE);
		json_string(json, "class",
			    class_name(report, holder->class_row));
		json_string(json, "field", holder->field);
		json_bool(json, "static", holder->is_static);
		json_end(json);
	}
	json_bool(json, "root", holder->is_root);
}

static void put_kinds(struct json *json, const struct hprof_waste_table *waste)
{
	json_begin_array(json, "kinds", JSON_BLOCK);
	for (int k = 0; k < HPROF_WASTE_KINDS; k++) {
		json_begin_object(json, NULL, JSON_LINE);
		json_string(json, "kind",
			    hprof_waste_kind_name((enum hprof_waste_kind)k));
		put_sum(json, &waste->kinds[k]);
		json_end(json);
	}
	json_end(json);
}

static void put_row(struct json *json, const struct report *report,
		    const struct hprof_waste_row *row)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "kind", hprof_waste_kind_name(row->kind));
	json_string(json, "class", class_name(report, row->class_row));
	put_sum(json, &row->sum);
	put_holder(json, report, &row->holder);
	if (row->fields)
		json_number(json, "fields", row->fields);
	else
		json_id(json, "example", row->example_id);
	json_end(json);
}

static void put_contents(struct json *json, const struct report *report,
			 const char *key,
			 const struct hprof_waste_content *contents,
			 size_t count)
{
	json_begin_array(json, key, JSON_BLOCK);
	for (size_t i = 0; i < render_rows(report, count); i++) {
		const struct hprof_waste_content *one = &contents[i];

		json_begin_object(json, NULL, JSON_LINE);
		json_id(json, "example", one->example_id);
		json_string(json, "class", class_name(report, one->class_row));
		if (one->text)
			json_string(json, "text", one->text);
		json_number(json, "length", one->length);
		json_number(json, "objects", one->objects);
		json_number(json, "saved", one->saved);
		put_holder(json, report, &one->holder);
		json_number(json, "held", one->held);
		json_end(json);
	}
	json_end(json);
}

static void put_map(struct json *json, const struct report *report,
		    const struct hprof_waste_map *map)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "kind", hprof_waste_kind_name(map->kind));
	json_id(json, "id", map->id);
	json_string(json, "class", class_name(report, map->class_row));
	json_number(json, "entries", map->entries);
	if (map->kind == HPROF_WASTE_WEAK_MAPS) {
		json_number(json, "refer_back", map->refer_back);
	} else {
		json_number(json, "buckets", map->used);
		if (map->deepest)
			json_number(json, "deepest", map->deepest);
		json_string(json, "key_class",
			    class_name(report, map->key_row));
	}
	put_holder(json, report, &map->holder);
	json_end(json);
}

void render_json_waste(struct json *json, const struct report *report)
{
	const struct hprof_waste_table *waste = report->waste;

	json_begin_object(json, "waste", JSON_BLOCK);
	json_number(json, "live", waste->live);
	json_number(json, "live_objects", waste->live_objects);
	json_number(json, "saved", waste->saved);
	put_kinds(json, waste);
	json_begin_array(json, "rows", JSON_BLOCK);
	for (size_t i = 0; i < render_rows(report, waste->row_count); i++)
		put_row(json, report, &waste->rows[i]);
	json_end(json);
	put_contents(json, report, "strings", waste->strings,
		     waste->string_count);
	put_contents(json, report, "arrays", waste->arrays, waste->array_count);
	json_begin_array(json, "maps", JSON_BLOCK);
	for (size_t i = 0; i < render_rows(report, waste->map_count); i++)
		put_map(json, report, &waste->maps[i]);
	json_end(json);
	json_end(json);
}
