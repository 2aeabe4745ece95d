/* SPDX-License-Identifier: MIT */
/*
 * tables.c - walks through all tables, and makes the rows of the small ones.
 */
#include "tables/table_rows.h"
#include "base/error.h"

/* ---- the dump ------------------------------------------------------------ */

static enum hprof_status dump_row(const struct hprof_tables_walk *walk)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);
	const struct hprof_graph_totals *totals =
		walk->graph ? hprof_graph_totals(walk->graph) : NULL;
	char time[HPROF_TIME_TEXT];
	const struct hprof_cell cells[] = {
		hprof_cell_number(HPROF_TABLES_SCHEMA),
		hprof_cell_text(walk->path),
		hprof_cell_text(s->header.version),
		hprof_cell_number(s->header.id_size),
		s->header.time_ms <= INT64_MAX
			? hprof_cell_number((int64_t)s->header.time_ms)
			: hprof_cell_null(),
		hprof_cell_text(hprof_time_text(s->header.time_ms, 'T', time)),
		hprof_cell_number(s->input.dump),
		hprof_cell_number(s->input.complete),
		hprof_cell_number(s->input.truncated),
		hprof_cell_number((int64_t)s->errors),
		hprof_cell_number((int64_t)s->objects),
		hprof_cell_number((int64_t)s->instances),
		hprof_cell_number((int64_t)s->obj_arrays),
		hprof_cell_number((int64_t)s->prim_arrays),
		hprof_cell_number((int64_t)s->classes),
		hprof_cell_number((int64_t)s->threads),
		hprof_cell_number((int64_t)s->roots),
		hprof_cell_number((int64_t)s->shallow),
		hprof_cell_number((int64_t)s->data),
		hprof_cell_text(s->convention.text),
		totals ? hprof_cell_number((int64_t)totals->reachable)
		       : hprof_cell_null(),
		totals ? hprof_cell_number((int64_t)totals->reachable_shallow)
		       : hprof_cell_null(),
	};

	if (!walk->wanted[HPROF_TABLE_DUMP])
		return HPROF_OK;
	return walk->row(walk->user, HPROF_TABLE_DUMP, cells) ? HPROF_OK
							      : HPROF_END;
}

/* ---- classes ------------------------------------------------------------- */

static const char *kind_of(const struct hprof_class_row *row)
{
	static const char *const kinds[] = { "class", "object_array",
					     "primitive_array" };

	return kinds[row->kind];
}

static bool class_row(const struct hprof_tables_walk *walk, size_t i)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);
	const struct hprof_class_row *row = &s->class_rows[i];
	char package[512];
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_text(row->name),
		hprof_cell_text(package),
		hprof_cell_text(kind_of(row)),
		hprof_cell_object(row->class_id ? hprof_heap_find(walk->heap,
								  row->class_id)
						: HPROF_NO_OBJECT),
		row->class_id ? hprof_cell_address(row->class_id)
			      : hprof_cell_null(),
		hprof_cell_class(row->super_id ? hprof_heap_class(walk->heap,
								  row->super_id)
					       : SIZE_MAX),
		hprof_cell_object(
			row->loader_id
				? hprof_heap_find(walk->heap, row->loader_id)
				: HPROF_NO_OBJECT),
		row->loader_id ? hprof_cell_address(row->loader_id)
			       : hprof_cell_null(),
		hprof_cell_number((int64_t)row->instances),
		hprof_cell_number((int64_t)row->shallow),
		hprof_cell_number((int64_t)row->largest),
		hprof_cell_number((int64_t)row->data),
	};

	hprof_package_name(row->name, package, sizeof(package));
	return walk->row(walk->user, HPROF_TABLE_CLASS, cells);
}

static enum hprof_status table_classes(const struct hprof_tables_walk *walk)
{
	const struct hprof_summary *s = hprof_heap_summary(walk->heap);

	if (!walk->wanted[HPROF_TABLE_CLASS])
		return HPROF_OK;
	for (size_t i = 0; i < s->class_count; i++)
		if (!class_row(walk, i))
			return HPROF_END;
	return HPROF_OK;
}

/* ---- roots --------------------------------------------------------------- */

static enum hprof_status table_roots(const struct hprof_tables_walk *walk)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(walk->heap);
	size_t count = hprof_heap_root_count(walk->heap);

	if (!walk->wanted[HPROF_TABLE_ROOT])
		return HPROF_OK;
	for (size_t i = 0; i < count; i++) {
		const struct hprof_heap_root *root = &roots[i];
		char kind[32];
		const struct hprof_cell cells[] = {
			hprof_cell_number((int64_t)i),
			hprof_cell_text(hprof_root_word(root->tag, kind)),
			hprof_cell_object(root->object),
			hprof_cell_address(root->object_id),
			root->thread_serial
				? hprof_cell_number(root->thread_serial)
				: hprof_cell_null(),
			root->frame >= 0 ? hprof_cell_number(root->frame)
					 : hprof_cell_null(),
		};
		if (!walk->row(walk->user, HPROF_TABLE_ROOT, cells))
			return HPROF_END;
	}
	return HPROF_OK;
}

/* ---- threads ------------------------------------------------------------- */

static bool thread_row(const struct hprof_tables_walk *walk, size_t number,
		       const struct hprof_thread_row *row)
{
	bool known = row->has_details;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)number),
		hprof_cell_number(row->thread_serial),
		hprof_cell_object(
			row->object_id
				? hprof_heap_find(walk->heap, row->object_id)
				: HPROF_NO_OBJECT),
		hprof_cell_text(row->name),
		hprof_cell_text(row->class_name),
		known ? hprof_cell_number(row->daemon) : hprof_cell_null(),
		known ? hprof_cell_number(row->priority) : hprof_cell_null(),
		known ? hprof_cell_number(row->status) : hprof_cell_null(),
		known ? hprof_cell_text(hprof_thread_state_name(row->status))
		      : hprof_cell_null(),
		known ? hprof_cell_number((int64_t)row->tid)
		      : hprof_cell_null(),
	};

	return walk->row(walk->user, HPROF_TABLE_THREAD, cells);
}

static enum hprof_status table_threads(const struct hprof_tables_walk *walk,
				       struct hprof_error *error)
{
	struct hprof_thread_table *table;
	enum hprof_status status = HPROF_OK;

	if (!walk->wanted[HPROF_TABLE_THREAD] &&
	    !walk->wanted[HPROF_TABLE_FRAME])
		return HPROF_OK;
	status = hprof_summary_threads(hprof_heap_summary(walk->heap), &table,
				       error);
	if (status < 0)
		return status;
	for (size_t i = 0; i < table->count && status == HPROF_OK; i++)
		if ((walk->wanted[HPROF_TABLE_THREAD] &&
		     !thread_row(walk, i, &table->rows[i])) ||
		    (walk->wanted[HPROF_TABLE_FRAME] &&
		     !hp_frame_rows(walk, HPROF_TABLE_FRAME, (int64_t)i,
				    table->rows[i].frames,
				    table->rows[i].frame_count)))
			status = HPROF_END;
	hprof_thread_table_free(table);
	return status;
}

/* ---- all of them --------------------------------------------------------- */

static bool wants_objects(const bool *wanted)
{
	return wanted[HPROF_TABLE_OBJECT] || wanted[HPROF_TABLE_REFERENCE] ||
	       wanted[HPROF_TABLE_DANGLING] || wanted[HPROF_TABLE_VALUE] ||
	       wanted[HPROF_TABLE_STRING];
}

static enum hprof_status fail(enum hprof_status status,
			      const struct hprof_cursor *cursor,
			      struct hprof_error *error)
{
	if (status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	if (status == HPROF_E_CANCELLED)
		return hp_cancelled(error);
	if (error)
		*error = *hprof_cursor_error(cursor);
	return status;
}

static enum hprof_status walk_objects(const struct hprof_tables_walk *walk,
				      struct hprof_error *error)
{
	struct hprof_places *places = NULL;
	struct hprof_cursor *cursor;
	enum hprof_status status;

	if (!walk->wanted[HPROF_TABLE_FIELD] && !wants_objects(walk->wanted))
		return HPROF_OK;
	status = hprof_cursor_new(walk->heap, &cursor, error);
	if (status < 0)
		return status;
	status = hprof_places_new(walk, cursor, &places);
	if (status == HPROF_OK && wants_objects(walk->wanted))
		status = hp_table_objects(walk, cursor, places);
	if (status < 0)
		fail(status, cursor, error);
	hprof_places_free(places);
	hprof_cursor_free(cursor);
	return status;
}

static enum hprof_status walk_graph(const struct hprof_tables_walk *walk,
				    struct hprof_error *error)
{
	enum hprof_status status = hp_table_retained(walk);

	if (status == HPROF_OK)
		status = hp_table_strength(walk);
	if (status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	return status == HPROF_E_CANCELLED ? hp_cancelled(error) : status;
}

enum hprof_status hprof_tables_walk(const struct hprof_tables_walk *walk,
				    struct hprof_error *ret_error)
{
	struct hprof_error *error = ret_error;
	enum hprof_status status;

	HP_NEED(error, walk);
	if (walk->size != sizeof(*walk))
		return hp_bad_argument(error, "walk", "has a wrong size");
	if (!walk->heap)
		return hp_bad_argument(error, "heap", "is NULL");
	if (!walk->row)
		return hp_bad_argument(error, "row", "is NULL");
	status = dump_row(walk);
	if (status == HPROF_OK)
		status = table_classes(walk);
	if (status == HPROF_OK)
		status = table_roots(walk);
	if (status == HPROF_OK)
		status = table_threads(walk, error);
	if (status == HPROF_OK)
		status = hp_table_samples(walk, error);
	if (status == HPROF_OK)
		status = hp_table_traces(walk, error);
	if (status == HPROF_OK)
		status = walk_objects(walk, error);
	if (status == HPROF_OK)
		status = walk_graph(walk, error);
	if (status == HPROF_OK)
		status = hp_table_loaders(walk);
	if (status == HPROF_OK)
		status = hp_table_waste(walk);
	if (status == HPROF_OK)
		status = hp_table_suspects(walk);
	if (status == HPROF_OK)
		status = hp_table_sites(walk);
	return status;
}
