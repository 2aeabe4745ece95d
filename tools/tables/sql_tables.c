/* SPDX-License-Identifier: MIT */
/*
 * sql_tables.c - describes the tables, walks through all of them, and makes the
 * rows of the small ones.
 */
#include <stdio.h>
#include <string.h>

#include "tools/common/json_graph.h"
#include "tools/tables/sql_table_rows.h"
#include "tools/report/render.h"
#include "tools/common/units.h"

#define NUMBER(name) { name, SQL_NUMBER }
#define ADDRESS(name) { name, SQL_ADDRESS }
#define TEXT(name) { name, SQL_TEXT }

const struct sql_table_info sql_tables[SQL_TABLE_COUNT] = {
	[SQL_TABLE_DUMP] = { .name = "dump",
			    .columns = {
				    NUMBER("schema"), TEXT("file"),
				    TEXT("format"), NUMBER("id_size"),
				    NUMBER("time_ms"), TEXT("time"),
				    NUMBER("number"), NUMBER("complete"),
				    NUMBER("truncated"), NUMBER("errors"),
				    NUMBER("objects"), NUMBER("instances"),
				    NUMBER("object_arrays"),
				    NUMBER("primitive_arrays"),
				    NUMBER("class_objects"),
				    NUMBER("threads"), NUMBER("roots"),
				    NUMBER("shallow"), NUMBER("data"),
				    TEXT("sizes"), NUMBER("reachable"),
				    NUMBER("reachable_shallow"),
			    } },
	[SQL_TABLE_CLASS] = { .name = "class",
			     .columns = {
				     NUMBER("id"), TEXT("name"),
				     TEXT("package"), TEXT("kind"),
				     NUMBER("object"), ADDRESS("address"),
				     NUMBER("super"), NUMBER("loader"),
				     ADDRESS("loader_address"),
				     NUMBER("instances"), NUMBER("shallow"),
				     NUMBER("largest"), NUMBER("data"),
			     } },
	[SQL_TABLE_FIELD] = { .name = "field",
			     .columns = {
				     NUMBER("id"), NUMBER("class"),
				     TEXT("name"), TEXT("type"),
				     NUMBER("static"),
			     } },
	[SQL_TABLE_OBJECT] = { .name = "object",
			      .columns = {
				      NUMBER("id"), ADDRESS("address"),
				      NUMBER("class"), NUMBER("shallow"),
				      NUMBER("length"),
			      } },
	[SQL_TABLE_REFERENCE] = { .name = "reference",
				 .columns = {
					 NUMBER("source"), NUMBER("place"),
					 NUMBER("target"),
				 },
				 .key = 2 },
	[SQL_TABLE_DANGLING] = { .name = "dangling",
				.columns = {
					NUMBER("source"), NUMBER("place"),
					ADDRESS("address"),
				},
				.key = 2 },
	[SQL_TABLE_VALUE] = { .name = "value",
			     .columns = {
				     NUMBER("object"), NUMBER("place"),
				     { "value", SQL_ANY },
			     },
			     .key = 2 },
	[SQL_TABLE_STRING] = { .name = "string",
			      .columns = {
				      NUMBER("object"), NUMBER("length"),
				      TEXT("text"),
			      } },
	[SQL_TABLE_ROOT] = { .name = "root",
			    .columns = {
				    NUMBER("id"), TEXT("kind"),
				    NUMBER("object"), ADDRESS("address"),
				    NUMBER("thread_serial"),
				    NUMBER("depth"),
			    } },
	[SQL_TABLE_THREAD] = { .name = "thread",
			      .columns = {
				      NUMBER("id"), NUMBER("serial"),
				      NUMBER("object"), TEXT("name"),
				      TEXT("class"), NUMBER("daemon"),
				      NUMBER("priority"), NUMBER("status"),
				      TEXT("state"), NUMBER("tid"),
			      } },
	[SQL_TABLE_FRAME] = { .name = "frame",
			     .columns = {
				     NUMBER("thread"), NUMBER("depth"),
				     TEXT("class"), TEXT("method"),
				     TEXT("signature"), TEXT("source"),
				     NUMBER("line"),
			     },
			     .key = 2 },
	[SQL_TABLE_RETAINED] = { .name = "retained",
				.columns = {
					NUMBER("object"),
					NUMBER("dominator"), NUMBER("depth"),
					NUMBER("retained"),
				} },
	[SQL_TABLE_STRENGTH] = { .name = "strength",
				.columns = {
					NUMBER("object"), TEXT("strength"),
				} },
	[SQL_TABLE_LOADER] = { .name = "loader",
			      .columns = {
				      NUMBER("id"), ADDRESS("address"),
				      NUMBER("object"), NUMBER("parent"),
				      TEXT("name"), NUMBER("class"),
				      TEXT("state"), NUMBER("classes"),
				      NUMBER("duplicates"),
				      NUMBER("instances"), NUMBER("bytes"),
				      NUMBER("retained"), NUMBER("holder"),
				      TEXT("field"),
			      } },
	[SQL_TABLE_WASTE] = { .name = "waste",
			     .columns = {
				     NUMBER("id"), TEXT("kind"),
				     NUMBER("class"), NUMBER("objects"),
				     NUMBER("bytes"), NUMBER("saved"),
				     NUMBER("holder"), TEXT("field"),
				     NUMBER("static"), NUMBER("fields"),
				     NUMBER("example"),
			     } },
	[SQL_TABLE_DUPLICATE] = { .name = "duplicate",
				 .columns = {
					 NUMBER("object"), NUMBER("class"),
					 NUMBER("length"), TEXT("text"),
					 NUMBER("objects"), NUMBER("saved"),
					 NUMBER("holder"), TEXT("field"),
					 NUMBER("static"), NUMBER("held"),
				 } },
	[SQL_TABLE_WASTE_MAP] = { .name = "waste_map",
				 .columns = {
					 NUMBER("id"), TEXT("kind"),
					 NUMBER("object"), NUMBER("class"),
					 NUMBER("entries"), NUMBER("buckets"),
					 NUMBER("deepest"),
					 NUMBER("refer_back"),
					 NUMBER("key_class"),
					 NUMBER("holder"), TEXT("field"),
					 NUMBER("static"),
				 } },
};

unsigned sql_table_width(enum sql_table table)
{
	unsigned width = 0;

	while (sql_tables[table].columns[width].name)
		width++;
	return width;
}

enum sql_table sql_table_named(const char *name)
{
	unsigned i = 0;

	while (i < SQL_TABLE_COUNT && strcmp(sql_tables[i].name, name) != 0)
		i++;
	return (enum sql_table)i;
}

/* ---- the dump ------------------------------------------------------------ */

static enum hprof_status dump_row(const struct sql_tables_walk *walk)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);
	const struct hprof_graph_totals *totals =
		walk->graph ? hprof_graph_totals(walk->graph) : NULL;
	char time[UNITS_MAX];
	const struct sql_cell cells[] = {
		cell_number(SQL_TABLES_SCHEMA),
		cell_text(walk->path),
		cell_text(s->header.version),
		cell_number(s->header.id_size),
		s->header.time_ms <= INT64_MAX
			? cell_number((int64_t)s->header.time_ms)
			: cell_null(),
		cell_text(units_time(s->header.time_ms, 'T', time)),
		cell_number(s->input.dump),
		cell_number(s->input.complete),
		cell_number(s->input.truncated),
		cell_number((int64_t)s->errors),
		cell_number((int64_t)s->objects),
		cell_number((int64_t)s->instances),
		cell_number((int64_t)s->obj_arrays),
		cell_number((int64_t)s->prim_arrays),
		cell_number((int64_t)s->classes),
		cell_number((int64_t)s->threads),
		cell_number((int64_t)s->roots),
		cell_number((int64_t)s->shallow),
		cell_number((int64_t)s->data),
		cell_text(s->convention.text),
		totals ? cell_number((int64_t)totals->reachable) : cell_null(),
		totals ? cell_number((int64_t)totals->reachable_shallow)
		       : cell_null(),
	};

	if (!walk->wanted[SQL_TABLE_DUMP])
		return HPROF_OK;
	return walk->row(walk->user, SQL_TABLE_DUMP, cells) ? HPROF_OK
							    : HPROF_END;
}

/* ---- classes ------------------------------------------------------------- */

static const char *kind_of(const struct hprof_class_row *row)
{
	static const char *const kinds[] = { "class", "object_array",
					     "primitive_array" };

	return kinds[row->kind];
}

static bool class_row(const struct sql_tables_walk *walk, size_t i)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);
	const struct hprof_class_row *row = &s->class_rows[i];
	char package[512];
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_text(row->name),
		cell_text(package),
		cell_text(kind_of(row)),
		cell_object(row->class_id
				    ? hprof_heap_find(walk->heap, row->class_id)
				    : HPROF_NO_OBJECT),
		row->class_id ? cell_address(row->class_id) : cell_null(),
		cell_class(row->super_id
				   ? hprof_heap_class(walk->heap, row->super_id)
				   : SIZE_MAX),
		cell_object(row->loader_id ? hprof_heap_find(walk->heap,
							     row->loader_id)
					   : HPROF_NO_OBJECT),
		row->loader_id ? cell_address(row->loader_id) : cell_null(),
		cell_number((int64_t)row->instances),
		cell_number((int64_t)row->shallow),
		cell_number((int64_t)row->largest),
		cell_number((int64_t)row->data),
	};

	hprof_package_name(row->name, package, sizeof(package));
	return walk->row(walk->user, SQL_TABLE_CLASS, cells);
}

enum hprof_status sql_table_classes(const struct sql_tables_walk *walk)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);

	if (!walk->wanted[SQL_TABLE_CLASS])
		return HPROF_OK;
	for (size_t i = 0; i < s->class_count; i++)
		if (!class_row(walk, i))
			return HPROF_END;
	return HPROF_OK;
}

/* ---- roots --------------------------------------------------------------- */

enum hprof_status sql_table_roots(const struct sql_tables_walk *walk)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(walk->heap);
	size_t count = hprof_heap_root_count(walk->heap);

	if (!walk->wanted[SQL_TABLE_ROOT])
		return HPROF_OK;
	for (size_t i = 0; i < count; i++) {
		const struct hprof_heap_root *root = &roots[i];
		char kind[32];
		const struct sql_cell cells[] = {
			cell_number((int64_t)i),
			cell_text(json_root_word(root->tag, kind)),
			cell_object(root->object),
			cell_address(root->object_id),
			root->thread_serial ? cell_number(root->thread_serial)
					    : cell_null(),
			root->frame >= 0 ? cell_number(root->frame)
					 : cell_null(),
		};
		if (!walk->row(walk->user, SQL_TABLE_ROOT, cells))
			return HPROF_END;
	}
	return HPROF_OK;
}

/* ---- threads ------------------------------------------------------------- */

static bool frame_rows(const struct sql_tables_walk *walk, size_t thread,
		       const struct hprof_thread_row *row)
{
	for (size_t i = 0; i < row->frame_count; i++) {
		const struct hprof_stack_frame *frame = &row->frames[i];
		const struct sql_cell cells[] = {
			cell_number((int64_t)thread), cell_number((int64_t)i),
			cell_text(frame->class_name), cell_text(frame->method),
			cell_text(frame->signature),  cell_text(frame->source),
			cell_number(frame->line),
		};
		if (!walk->row(walk->user, SQL_TABLE_FRAME, cells))
			return false;
	}
	return true;
}

static bool thread_row(const struct sql_tables_walk *walk, size_t number,
		       const struct hprof_thread_row *row)
{
	bool known = row->has_details;
	const struct sql_cell cells[] = {
		cell_number((int64_t)number),
		cell_number(row->thread_serial),
		cell_object(row->object_id ? hprof_heap_find(walk->heap,
							     row->object_id)
					   : HPROF_NO_OBJECT),
		cell_text(row->name),
		cell_text(row->class_name),
		known ? cell_number(row->daemon) : cell_null(),
		known ? cell_number(row->priority) : cell_null(),
		known ? cell_number(row->status) : cell_null(),
		known ? cell_text(render_thread_state(row->status))
		      : cell_null(),
		known ? cell_number((int64_t)row->tid) : cell_null(),
	};

	return walk->row(walk->user, SQL_TABLE_THREAD, cells);
}

enum hprof_status sql_table_threads(const struct sql_tables_walk *walk,
				    struct hprof_error *error)
{
	struct hprof_thread_table *table;
	enum hprof_status status = HPROF_OK;

	if (!walk->wanted[SQL_TABLE_THREAD] && !walk->wanted[SQL_TABLE_FRAME])
		return HPROF_OK;
	status = hprof_summary_threads(hprof_heap_summary(walk->heap), &table,
				       error);
	if (status < 0)
		return status;
	for (size_t i = 0; i < table->count && status == HPROF_OK; i++)
		if ((walk->wanted[SQL_TABLE_THREAD] &&
		     !thread_row(walk, i, &table->rows[i])) ||
		    (walk->wanted[SQL_TABLE_FRAME] &&
		     !frame_rows(walk, i, &table->rows[i])))
			status = HPROF_END;
	hprof_thread_table_free(table);
	return status;
}

/* ---- all of them --------------------------------------------------------- */

static bool wants_objects(const bool *wanted)
{
	return wanted[SQL_TABLE_OBJECT] || wanted[SQL_TABLE_REFERENCE] ||
	       wanted[SQL_TABLE_DANGLING] || wanted[SQL_TABLE_VALUE] ||
	       wanted[SQL_TABLE_STRING];
}

static enum hprof_status fail(enum hprof_status status,
			      const struct hprof_cursor *cursor,
			      struct hprof_error *error)
{
	*error = *hprof_cursor_error(cursor);
	if (status == HPROF_E_NOMEM)
		snprintf(error->text, sizeof(error->text), "%s",
			 hprof_status_text(status));
	return status;
}

static enum hprof_status walk_objects(const struct sql_tables_walk *walk,
				      struct hprof_error *error)
{
	struct places places = { 0 };
	struct hprof_cursor *cursor;
	enum hprof_status status;

	if (!walk->wanted[SQL_TABLE_FIELD] && !wants_objects(walk->wanted))
		return HPROF_OK;
	status = hprof_cursor_new(walk->heap, &cursor, error);
	if (status < 0)
		return status;
	status = places_make(walk, cursor, &places);
	if (status == HPROF_OK && wants_objects(walk->wanted))
		status = sql_table_objects(walk, cursor, &places);
	if (status < 0)
		fail(status, cursor, error);
	places_done(&places);
	hprof_cursor_free(cursor);
	return status;
}

enum hprof_status sql_tables_walk(const struct sql_tables_walk *walk,
				  struct hprof_error *error)
{
	enum hprof_status status = dump_row(walk);

	if (status == HPROF_OK)
		status = sql_table_classes(walk);
	if (status == HPROF_OK)
		status = sql_table_roots(walk);
	if (status == HPROF_OK)
		status = sql_table_threads(walk, error);
	if (status == HPROF_OK)
		status = walk_objects(walk, error);
	if (status == HPROF_OK)
		status = sql_table_retained(walk);
	if (status == HPROF_E_NOMEM && !error->text[0])
		snprintf(error->text, sizeof(error->text), "%s",
			 hprof_status_text(status));
	if (status == HPROF_OK)
		status = sql_table_strength(walk);
	if (status == HPROF_OK)
		status = sql_table_loaders(walk);
	if (status == HPROF_OK)
		status = sql_table_waste(walk);
	return status;
}
