/* SPDX-License-Identifier: MIT */
/* waste_report.c - hprof_waste_read. */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "waste/notes.h"

enum { TOP = 25, TOP_MAX = 1 << 24, TEXT_MOST = 200 };

const char *hprof_waste_kind_name(enum hprof_waste_kind kind)
{
	static const char *const names[HPROF_WASTE_KINDS] = {
		[HPROF_WASTE_EQUAL_STRINGS] = "equal_strings",
		[HPROF_WASTE_EQUAL_ARRAYS] = "equal_arrays",
		[HPROF_WASTE_HIGH_BYTES] = "high_bytes",
		[HPROF_WASTE_BOXES] = "boxes",
		[HPROF_WASTE_UNUSED_COLLECTIONS] = "unused_collections",
		[HPROF_WASTE_EMPTIED_COLLECTIONS] = "emptied_collections",
		[HPROF_WASTE_EMPTY_COLLECTIONS] = "empty_collections",
		[HPROF_WASTE_SINGLE_COLLECTIONS] = "single_collections",
		[HPROF_WASTE_SMALL_COLLECTIONS] = "small_collections",
		[HPROF_WASTE_SPARSE_COLLECTIONS] = "sparse_collections",
		[HPROF_WASTE_COLLISIONS] = "collisions",
		[HPROF_WASTE_WEAK_MAPS] = "weak_maps",
		[HPROF_WASTE_EMPTY_ARRAYS] = "empty_arrays",
		[HPROF_WASTE_SINGLE_ARRAYS] = "single_arrays",
		[HPROF_WASTE_NULL_ARRAYS] = "null_arrays",
		[HPROF_WASTE_SHORT_ROWS] = "short_rows",
		[HPROF_WASTE_ZERO_ARRAYS] = "zero_arrays",
		[HPROF_WASTE_ZERO_TAILS] = "zero_tails",
		[HPROF_WASTE_WIDE_ARRAYS] = "wide_arrays",
		[HPROF_WASTE_NULL_FIELDS] = "null_fields",
		[HPROF_WASTE_WIDE_FIELDS] = "wide_fields",
	};

	return (unsigned)kind < HPROF_WASTE_KINDS ? names[kind] : NULL;
}

/* ---- what people want to see of an object -------------------------------- */

static enum hprof_status go_to(struct hp_waste *w, uint64_t object,
			       struct hprof_object *at)
{
	enum hprof_status status = hprof_cursor_seek(w->cursor, object, at);

	return status < 0 ? hp_fail(w->error, status, HP_NO_OFFSET, "%s",
				    hprof_cursor_error(w->cursor)->text)
			  : HPROF_OK;
}

static enum hprof_status describe_content(struct hp_waste *w,
					  struct hprof_waste_content *content)
{
	struct hprof_object at;
	enum hprof_status status;
	const char *text;

	HP_TRY(go_to(w, content->example, &at));
	content->example_id = at.id;
	content->class_row = at.class_row;
	content->length = at.length;
	if (at.kind != HPROF_OBJECT_INSTANCE)
		return HPROF_OK;
	status = hprof_cursor_text(w->cursor, TEXT_MOST, &text,
				   &content->length);
	if (status != HPROF_OK)
		return status < 0
			       ? hp_fail(w->error, status, HP_NO_OFFSET, "%s",
					 hprof_cursor_error(w->cursor)->text)
			       : HPROF_OK;
	content->text = hp_arena_text(&w->arena, text, strlen(text));
	return content->text ? HPROF_OK : hp_no_memory(w->error);
}

static enum hprof_status describe(struct hp_waste *w)
{
	struct hprof_waste_table *t = &w->table;
	struct hprof_object at;

	for (size_t i = 0; i < t->string_count; i++)
		HP_TRY(describe_content(w, &t->strings[i]));
	for (size_t i = 0; i < t->array_count; i++)
		HP_TRY(describe_content(w, &t->arrays[i]));
	for (size_t i = 0; i < t->map_count; i++) {
		HP_TRY(go_to(w, t->maps[i].object, &at));
		t->maps[i].id = at.id;
		t->maps[i].class_row = at.class_row;
	}
	for (size_t i = 0; i < t->row_count; i++) {
		if (t->rows[i].example == HPROF_NO_OBJECT)
			continue;
		HP_TRY(go_to(w, t->rows[i].example, &at));
		t->rows[i].example_id = at.id;
	}
	return HPROF_OK;
}

/* ---- the table ----------------------------------------------------------- */

static enum hprof_status find(struct hp_waste *w)
{
	const struct hprof_graph_totals *totals = hprof_graph_totals(w->graph);
	const uint64_t words = hp_bit_words(w->heap->count);

	w->table.live = totals->reachable_shallow;
	w->table.live_objects = totals->reachable;
	HP_TRY(hp_mapped_table_make(&w->tables, &w->claimed_table, words,
				    sizeof *w->claimed, HP_MAPPED_TABLE_CLEAR,
				    w->error));
	HP_TRY(hp_mapped_table_make(&w->tables, &w->stores_table, words,
				    sizeof *w->stores, HP_MAPPED_TABLE_CLEAR,
				    w->error));
	w->claimed = w->claimed_table.at;
	w->stores = w->stores_table.at;
	HP_TRY(hprof_cursor_new(w->heap, &w->cursor, w->error));
	HP_TRY(hp_holders_open(w));
	HP_TRY(hp_sums_open(w));
	HP_TRY(hp_waste_take_reachable(w));
	HP_TRY(hp_waste_contents(w));
	HP_TRY(hp_waste_strings(w));
	HP_TRY(hp_waste_collections(w));
	HP_TRY(hp_waste_arrays(w));
	HP_TRY(hp_waste_short_rows(w));
	HP_TRY(hp_waste_wide_arrays(w));
	HP_TRY(hp_waste_boxes(w));
	HP_TRY(hp_waste_count_instances(w));
	HP_TRY(hp_waste_fields(w));
	HP_TRY(hp_waste_maps(w));
	HP_TRY(hp_sums_rows(w));
	return describe(w);
}

enum hprof_status hprof_waste_read(const struct hprof_graph *graph,
				   const struct hprof_waste_options *given,
				   struct hprof_waste_table **ret_table,
				   struct hprof_error *ret_error)
{
	struct hprof_waste_options options;
	struct hp_say say = { .phase = "waste" };
	struct hprof_error ignored;
	enum hprof_status status;
	struct hp_waste *w;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_ANY, ret_error));
	HP_NEED(ret_error, ret_table);
	if (!HP_OPTIONS_TAKE(given, &options))
		return hp_bad_options(ret_error);
	if (options.top > TOP_MAX)
		return hp_bad_argument(ret_error, "options.top",
				       "is more than 16777216");
	say.progress = options.progress;
	say.user = options.progress_user;
	HP_TRY(hp_waste_take_notes(graph, options.memory, &say, &w,
				   ret_error ? ret_error : &ignored));
	w->graph = graph;
	w->top = options.top ? options.top : TOP;
	hp_crew_leave(&graph->memo->crew);
	if (options.read)
		options.read(options.read_user);
	status = find(w);
	hp_crew_return(&graph->memo->crew);
	if (status < 0) {
		hp_waste_free(w);
		return status;
	}
	hp_waste_drop_work(w);
	*ret_table = &w->table;
	return HPROF_OK;
}

void hprof_waste_table_free(struct hprof_waste_table *table)
{
	struct hp_waste *w = table ? table->impl : NULL;

	if (!w)
		return;
	hp_arena_done(&w->arena);
	hp_free(w);
}
