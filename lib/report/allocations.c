/* SPDX-License-Identifier: MIT */
/*
 * allocations.c - where objects were allocated, by the trace serial numbers in
 * their records.
 *
 * Most dumps have numbers there that say nothing: 0, or that of a trace without
 * frames, or (quirk Q18) of some thread's stack. Traces of allocations are told
 * by their not naming a thread, or by the settings of the agent that made them;
 * only then are the objects read.
 */
#include "hprof/retained.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "graph/graph.h"
#include "heap/heap.h"
#include "java/stack_traces.h"
#include "report/object_info.h"

struct allocations {
	struct hprof_allocation_table table;
	struct hp_arena arena;
	struct hp_stack_traces stacks;
	struct hp_u64_map rows; /* trace and class -> hprof_allocation */
	struct hp_look look;
	bool garbage;	/* unreachable objects are wanted, too */
	uint8_t *below; /* enum below, of each object; NULL: all are wanted */
};

enum below { UNKNOWN, INSIDE, OUTSIDE };

/* ---- are there any? ------------------------------------------------------ */

enum { ALLOCATION_TRACES = 1 }; /* a flag of CONTROL_SETTINGS */

static bool has_setting(const struct hp_name_table *symbols)
{
	for (const struct hp_profile_record *r = symbols->profile; r;
	     r = r->next)
		if (r->record.tag == HPROF_CONTROL_SETTINGS &&
		    r->record.u.control_settings.flags & ALLOCATION_TRACES)
			return true;
	return false;
}

static bool has_traces(const struct hprof_summary *summary)
{
	const struct hp_name_table *symbols = &summary->impl->census.symbols;
	const struct hp_u64_map *traces = &symbols->traces;
	const bool any_thread = has_setting(symbols);

	for (size_t i = 0; i <= traces->mask; i++) {
		const struct hp_trace_info *trace = traces->slots[i].value;

		if (trace && trace->frame_count > 0 &&
		    (any_thread || trace->thread_serial == 0))
			return true;
	}
	return false;
}

/* ---- which objects ------------------------------------------------------- */

/*
 * Is OBJECT the holder, or dominated by it? What is found out on the way up is
 * kept, so that all objects together take linear time.
 */
static bool is_below(struct allocations *a, uint64_t object)
{
	const struct hprof_graph *graph = a->look.graph;
	uint64_t at = object, next;
	uint8_t found;

	while (at != HPROF_NO_OBJECT && a->below[at] == UNKNOWN)
		at = hprof_graph_dominator(graph, at);
	found = at == HPROF_NO_OBJECT ? OUTSIDE : a->below[at];
	for (at = object; at != HPROF_NO_OBJECT && a->below[at] == UNKNOWN;
	     at = next) {
		next = hprof_graph_dominator(graph, at);
		a->below[at] = found;
	}
	return found == INSIDE;
}

static enum hprof_status mark_holder(struct allocations *a, uint64_t holder)
{
	uint64_t count = hprof_heap_count(a->look.heap);

	if (holder == HPROF_NO_OBJECT)
		return HPROF_OK;
	a->below = hp_calloc((size_t)count, 1);
	if (!a->below)
		return HPROF_E_NOMEM;
	a->below[holder] = INSIDE;
	return HPROF_OK;
}

/* ---- rows ---------------------------------------------------------------- */

static struct hprof_allocation *new_row(struct allocations *a,
					const struct hprof_object *object,
					struct hp_stack stack)
{
	struct hprof_allocation *row = hp_arena_take(&a->arena, sizeof *row);

	if (!row)
		return NULL;
	*row = (struct hprof_allocation){
		.trace_serial = object->trace_serial,
		.class_row = object->class_row,
		.class_name = hp_class_name(a->look.heap, object->class_row),
		.frame_count = stack.count,
		.frames = stack.frames,
	};
	return row;
}

static enum hprof_status count_object(struct allocations *a,
				      const struct hprof_object *object)
{
	uint64_t key = (uint64_t)object->trace_serial << 32 |
		       (uint32_t)object->class_row;
	struct hprof_allocation *row = hp_u64_map_get(&a->rows, key);
	struct hp_stack stack;

	if (!row) {
		stack = hp_stack_traces_trace(&a->stacks, object->trace_serial);
		if (a->stacks.no_memory)
			return HPROF_E_NOMEM;
		if (stack.count == 0)
			return HPROF_OK;
		row = new_row(a, object, stack);
		if (!row || hp_u64_map_put(&a->rows, key, row) != HPROF_OK)
			return HPROF_E_NOMEM;
	}
	row->objects++;
	row->shallow += object->shallow;
	a->table.objects++;
	a->table.shallow += object->shallow;
	return HPROF_OK;
}

/* Class objects are not allocated by what their CLASS_DUMP names. */
static enum hprof_status take(struct allocations *a, uint64_t number,
			      struct hprof_error *error)
{
	struct hprof_object object;

	if ((!a->garbage && !hprof_graph_is_reachable(a->look.graph, number)) ||
	    (a->below && !is_below(a, number)))
		return HPROF_OK;
	if (hprof_cursor_seek(a->look.cursor, number, &object) < 0)
		return hp_look_failure(&a->look, error);
	if (object.kind == HPROF_OBJECT_CLASS || !object.trace_serial)
		return HPROF_OK;
	return count_object(a, &object) == HPROF_OK ? HPROF_OK
						    : hp_no_memory(error);
}

static int compare_frames(const struct hprof_allocation *a,
			  const struct hprof_allocation *b)
{
	return a->trace_serial < b->trace_serial   ? -1
	       : a->trace_serial > b->trace_serial ? 1
	       : a->class_row < b->class_row	   ? -1
						   : 1;
}

static int compare_rows(const void *left, const void *right)
{
	const struct hprof_allocation *a = left, *b = right;

	if (a->shallow != b->shallow)
		return a->shallow > b->shallow ? -1 : 1;
	return compare_frames(a, b);
}

static enum hprof_status sort_rows(struct allocations *a)
{
	const struct hp_u64_map *map = &a->rows;
	struct hprof_allocation *rows =
		hp_arena_take(&a->arena, (map->count + 1) * sizeof *rows);

	if (!rows)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i <= map->mask; i++)
		if (map->slots[i].value)
			memcpy(&rows[a->table.count++], map->slots[i].value,
			       sizeof *rows);
	assert(a->table.count == map->count);
	qsort(rows, a->table.count, sizeof *rows, compare_rows);
	a->table.rows = rows;
	return HPROF_OK;
}

/* FROM to TO: the objects to look at. */
static enum hprof_status make_table(struct allocations *a, uint64_t from,
				    uint64_t to, uint64_t holder,
				    struct hprof_error *error)
{
	const struct hprof_summary *summary = a->look.heap->summary;
	const struct hp_name_table *symbols = &summary->impl->census.symbols;

	if (hp_stack_traces_init(&a->stacks, symbols, &a->arena) != HPROF_OK ||
	    hp_u64_map_init(&a->rows, 2) != HPROF_OK)
		return hp_no_memory(error);
	if (has_traces(summary)) {
		if (mark_holder(a, holder) != HPROF_OK)
			return hp_no_memory(error);
		HP_TRY(hprof_cursor_new(a->look.heap, &a->look.cursor, error));
		for (uint64_t i = from; i < to; i++)
			HP_TRY(take(a, i, error));
	}
	return sort_rows(a) == HPROF_OK ? HPROF_OK : hp_no_memory(error);
}

/* GRAPH is NULL if reachable or not is all the same. */
static struct allocations *begin(const struct hprof_heap *heap,
				 const struct hprof_graph *graph)
{
	struct allocations *a = hp_calloc(1, sizeof *a);

	if (a) {
		a->table.impl = a;
		a->look = (struct hp_look){ heap, graph, NULL };
	}
	return a;
}

/* Frees what only the making needs; and all, if that has failed. */
static enum hprof_status end(struct allocations *a, enum hprof_status status,
			     struct hprof_allocation_table **ret_table)
{
	hprof_cursor_free(a->look.cursor);
	hp_u64_map_done(&a->rows);
	hp_stack_traces_done(&a->stacks);
	hp_free(a->below);
	if (status < 0)
		hprof_allocation_table_free(&a->table);
	else
		*ret_table = &a->table;
	return status;
}

/* ---- public -------------------------------------------------------------- */

enum hprof_status
hprof_allocations_read(const struct hprof_graph *graph, uint64_t holder,
		       struct hprof_allocation_table **ret_table,
		       struct hprof_error *ret_error)
{
	struct allocations *a;
	uint64_t count;

	HP_TRY(hp_graph_need(graph,
			     holder == HPROF_NO_OBJECT ? HP_GRAPH_ANY
						       : HP_GRAPH_DOMINATORS,
			     ret_error));
	if (holder != HPROF_NO_OBJECT)
		HP_TRY(hp_graph_need_object(graph, holder, ret_error));
	HP_NEED(ret_error, ret_table);
	a = begin(graph->heap, graph);
	if (!a)
		return hp_no_memory(ret_error);
	count = hprof_heap_count(graph->heap);
	return end(a, make_table(a, 0, count, holder, ret_error), ret_table);
}

enum hprof_status hprof_allocation_of(const struct hprof_graph *graph,
				      uint64_t object,
				      struct hprof_allocation_table **ret_table,
				      struct hprof_error *ret_error)
{
	struct allocations *a;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_ANY, ret_error));
	HP_TRY(hp_graph_need_object(graph, object, ret_error));
	HP_NEED(ret_error, ret_table);
	a = begin(graph->heap, graph);
	if (!a)
		return hp_no_memory(ret_error);
	a->garbage = true;
	return end(
		a,
		make_table(a, object, object + 1, HPROF_NO_OBJECT, ret_error),
		ret_table);
}

bool hprof_summary_has_allocations(const struct hprof_summary *summary)
{
	return summary && has_traces(summary);
}

enum hprof_status
hprof_heap_allocations(const struct hprof_heap *heap,
		       struct hprof_allocation_table **ret_table,
		       struct hprof_error *ret_error)
{
	struct allocations *a;

	HP_NEED(ret_error, heap);
	HP_NEED(ret_error, ret_table);
	a = begin(heap, NULL);
	if (!a)
		return hp_no_memory(ret_error);
	a->garbage = true;
	return end(a,
		   make_table(a, 0, hprof_heap_count(heap), HPROF_NO_OBJECT,
			      ret_error),
		   ret_table);
}

void hprof_allocation_table_free(struct hprof_allocation_table *table)
{
	struct allocations *a = table ? table->impl : NULL;

	if (!a)
		return;
	hp_arena_done(&a->arena);
	hp_free(a);
}
