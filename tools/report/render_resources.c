/* SPDX-License-Identifier: MIT */
/*
 * render_resources.c - sessions, connections, threads and other objects of
 * which there should be few, as text and as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/json_graph.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

/* Which columns the table has. */
struct shape {
	bool closed; /* some objects are */
	bool class_name;
};

bool render_resources_closed(const struct hprof_resource_table *resources)
{
	for (size_t i = 0; i < resources->count; i++)
		if (resources->rows[i].closed)
			return true;
	return false;
}

/* A known class needs no package. */
static const char *simple_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

char *render_resource_owner(const struct hprof_resource_row *row)
{
	char *owner, *text;

	if (row->owner.object == HPROF_NO_OBJECT)
		return cli_strdup("");
	owner = describe_object(&row->owner);
	if (row->owns_all)
		return owner;
	text = describe_format("%s (not all)", owner);
	free(owner);
	return text;
}

static void put_owned(struct table *table, char *text)
{
	table_text(table, text);
	free(text);
}

static void put_row(struct table *table, const struct hprof_resource_row *row,
		    struct shape shape)
{
	char bytes[UNITS_MAX];

	table_count(table, row->objects);
	if (shape.closed)
		table_count(table, row->closed);
	table_text(table, units_bytes(row->retained, bytes));
	table_words(table, hprof_resource_kind_name(row->kind));
	if (shape.class_name)
		put_owned(table,
			  describe_kind(simple_name(row->class_name), false));
	put_owned(table, render_resource_owner(row));
}

static struct table *make_table(const struct hprof_resource_table *resources,
				struct shape shape,
				struct table_column columns[6])
{
	size_t count = 0;
	struct table *table;

	columns[count++] = (struct table_column){ "objects", TABLE_RIGHT };
	if (shape.closed)
		columns[count++] =
			(struct table_column){ "closed", TABLE_RIGHT };
	columns[count++] = (struct table_column){ "kept", TABLE_RIGHT };
	columns[count++] = (struct table_column){ "what", TABLE_LEFT };
	if (shape.class_name)
		columns[count++] = (struct table_column){ "class", TABLE_LEFT };
	columns[count++] = (struct table_column){ "held by", TABLE_LEFT };
	table = table_new(columns, count);
	for (size_t i = 0; i < resources->count; i++)
		put_row(table, &resources->rows[i], shape);
	return table;
}

void render_resources(FILE *out, const struct report *report)
{
	const struct hprof_resource_table *resources = report->resources;
	struct table_column columns[6];
	struct shape shape = { .class_name = true };
	struct table *table;

	if (!resources || !report->graph || !resources->count)
		return;
	shape.closed = render_resources_closed(resources);
	table = make_table(resources, shape, columns);
	if (!table_has_room(table, 0)) {
		table_free(table);
		shape.class_name = false;
		table = make_table(resources, shape, columns);
	}
	fputs("\nObjects that are usually few or short-lived\n\n", out);
	table_print(table, out, 0);
	table_free(table);
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_json_row(struct json *json, const struct report *report,
			 const struct hprof_resource_row *row)
{
	static const char *const words[HPROF_RESOURCE_KINDS] = {
		"session", "context", "connection", "statement",
		"client",  "pool",    "thread",	    "loader",
	};

	json_begin_object(json, NULL, report->graph ? JSON_BLOCK : JSON_LINE);
	json_string(json, "kind", words[row->kind]);
	json_string(json, "class", row->class_name);
	json_number(json, "objects", row->objects);
	json_number(json, "shallow", row->shallow);
	if (report->graph) {
		json_number(json, "closed", row->closed);
		json_number(json, "retained", row->retained);
		json_object_info(json, "largest", &row->largest);
		json_object_info(json, "owner", &row->owner);
		json_bool(json, "owns_all", row->owns_all);
	}
	json_end(json);
}

void render_json_resources(struct json *json, const struct report *report)
{
	const struct hprof_resource_table *resources = report->resources;

	json_begin_array(json, "resources", JSON_BLOCK);
	for (size_t i = 0; i < resources->count; i++)
		put_json_row(json, report, &resources->rows[i]);
	json_end(json);
}
