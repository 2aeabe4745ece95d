/* SPDX-License-Identifier: MIT */
/*
 * backlog_work.c - see backlog_work.h.
 */
#include "leaks/backlog_work.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum hprof_status hp_backlog_work_init(struct hp_backlog_work *w,
				       const struct hprof_graph *graph,
				       struct hp_arena *arena,
				       struct hprof_error *error)
{
	*w = (struct hp_backlog_work){ .look = { graph->heap, graph, NULL },
				       .arena = arena };
	if (hp_class_keys_init(&w->keys, graph->heap) == HPROF_OK) {
		w->sums = hp_calloc(w->keys.count, sizeof *w->sums);
		w->holder_sums =
			hp_calloc(w->keys.count, sizeof *w->holder_sums);
	}
	if (!w->sums || !w->holder_sums)
		return hp_no_memory(error);
	return hprof_cursor_new(graph->heap, &w->look.cursor, error);
}

void hp_backlog_work_done(struct hp_backlog_work *w)
{
	hprof_cursor_free(w->look.cursor);
	hp_class_keys_done(&w->keys);
	hp_free(w->sums);
	hp_free(w->holder_sums);
}

/* ---- fields -------------------------------------------------------------- */

enum hprof_status hp_backlog_field(struct hp_backlog_work *w, uint64_t object,
				   const char *name, uint64_t *ret,
				   struct hprof_error *error)
{
	struct hprof_object at;
	struct hprof_field field;
	enum hprof_status status =
		hprof_cursor_seek(w->look.cursor, object, &at);

	if (status == HPROF_OK)
		status = hprof_cursor_field_named(w->look.cursor, NULL, name,
						  &field);
	if (status < 0)
		return hp_look_failure(&w->look, error);
	*ret = status == HPROF_OK ? field.value : 0;
	return HPROF_OK;
}

enum hprof_status hp_backlog_static(struct hp_backlog_work *w,
				    const char *class_name, const char *name,
				    uint64_t *ret, struct hprof_error *error)
{
	const struct hprof_heap *heap = w->look.heap;
	size_t row = hprof_heap_class_named(heap, class_name, 0);
	uint64_t object = HPROF_NO_OBJECT;

	if (row != SIZE_MAX)
		object = hprof_heap_find(
			heap,
			hprof_heap_summary(heap)->class_rows[row].class_id);
	*ret = 0;
	return object == HPROF_NO_OBJECT
		       ? HPROF_OK
		       : hp_backlog_field(w, object, name, ret, error);
}

/* ---- findings ------------------------------------------------------------ */

uint64_t hp_backlog_owner(const struct hp_backlog_work *w, uint64_t object)
{
	const struct hprof_graph *graph = w->look.graph;

	while (object != HPROF_NO_OBJECT &&
	       hp_class_is_runtime(hp_class_name(
		       w->look.heap,
		       hp_kind_row(hp_graph_kind(graph, (uint32_t)object)))))
		object = hprof_graph_dominator(graph, object);
	return object;
}

void hp_backlog_drop(struct hp_backlog_work *w)
{
	memset(w->sums, 0, w->keys.count * sizeof *w->sums);
	memset(w->holder_sums, 0, w->keys.count * sizeof *w->holder_sums);
	w->told.others.count = w->others;
}

enum hprof_status hp_backlog_tell(struct hp_backlog_work *w,
				  struct hp_backlog_nodes *list, uint64_t node)
{
	if (!hprof_graph_is_reachable(w->look.graph, node))
		return HPROF_OK;
	HP_TRY(hp_grow((void **)&list->nodes, &list->room, list->count,
		       sizeof *list->nodes));
	list->nodes[list->count++] = (uint32_t)node;
	return HPROF_OK;
}

enum hprof_status hp_backlog_add(struct hp_backlog_work *w,
				 const struct hprof_backlog *backlog,
				 uint64_t holder, struct hprof_error *error)
{
	struct hprof_backlog *item;

	if (hp_grow((void **)&w->items, &w->room, w->count, sizeof *w->items) !=
	    HPROF_OK)
		return hp_no_memory(error);
	item = &w->items[w->count];
	*item = *backlog;
	item->classes = hp_set_rows(w->arena, w->sums, w->keys.names,
				    w->keys.count, &item->class_count);
	item->holders = hp_set_rows(w->arena, w->holder_sums, w->keys.names,
				    w->keys.count, &item->holder_count);
	if (!item->classes || !item->holders)
		return hp_no_memory(error);
	w->others = w->told.others.count;
	hp_backlog_drop(w);
	HP_TRY(hp_object_info_get(&w->look, holder, &item->holder, error));
	if (holder != HPROF_NO_OBJECT)
		holder = hp_backlog_owner(w, holder);
	HP_TRY(hp_object_info_get(&w->look, holder, &item->owner, error));
	w->count++;
	return HPROF_OK;
}

enum hprof_status hp_backlog_own_from_above(struct hp_backlog_work *w,
					    struct hprof_error *error)
{
	struct hprof_backlog *item = &w->items[w->count - 1];
	uint64_t above = item->holder.object;

	if (above != HPROF_NO_OBJECT)
		above = hp_backlog_owner(
			w, hprof_graph_dominator(w->look.graph, above));
	return above == HPROF_NO_OBJECT
		       ? HPROF_OK
		       : hp_object_info_get(&w->look, above, &item->owner,
					    error);
}
