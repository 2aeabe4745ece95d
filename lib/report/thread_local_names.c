/* SPDX-License-Identifier: MIT */
/*
 * thread_local_names.c - see thread_local_names.h.
 *
 * A ThreadLocal is mostly a static, and then its class object dominates it. If
 * its dominator has no field that refers to it, the statics of all classes are
 * searched, once.
 */
#include "report/thread_local_names.h"

#include <string.h>

#include "base/error.h"
#include "graph/graph.h"
#include "base/mem.h"

struct hp_static_name {
	const char *class_name, *field;
};

void hp_thread_local_names_done(struct hp_thread_local_names *n)
{
	if (n->is_read)
		hp_u64_map_done(&n->statics);
	hp_arena_done(&n->arena);
	*n = (struct hp_thread_local_names){ .is_read = false };
}

/* ---- statics ------------------------------------------------------------- */

/* Whether OBJECT is an instance of the class at row BASE, or of a subclass. */
static bool is_instance_of(const struct hp_look *look, uint64_t object,
			   size_t base)
{
	uint32_t kind = hp_graph_kind(look->graph, (uint32_t)object);

	return base != SIZE_MAX && !hp_kind_is_class(kind) &&
	       hprof_heap_class_is(look->heap, hp_kind_row(kind), base);
}

static enum hprof_status note_static(struct hp_thread_local_names *n,
				     const struct hp_look *look,
				     const struct hprof_edge *edge, size_t base,
				     const char *class_name)
{
	struct hp_static_name *name;

	if (edge->kind != HPROF_EDGE_STATIC || edge->to == HPROF_NO_OBJECT ||
	    !is_instance_of(look, edge->to, base) ||
	    hp_u64_map_get(&n->statics, edge->to + 1))
		return HPROF_OK;
	name = hp_arena_take(&n->arena, sizeof *name);
	if (!name)
		return HPROF_E_NOMEM;
	*name = (struct hp_static_name){ class_name, edge->name };
	return hp_u64_map_put(&n->statics, edge->to + 1, name);
}

static enum hprof_status read_statics(struct hp_thread_local_names *n,
				      const struct hp_look *look,
				      struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	size_t base =
		hprof_heap_class_named(look->heap, "java.lang.ThreadLocal", 0);

	if (hp_u64_map_init(&n->statics, 2) != HPROF_OK)
		return hp_no_memory(error);
	n->is_read = true;
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		uint64_t of = hprof_heap_find(look->heap, row->class_id);
		struct hprof_object object;
		struct hprof_edge edge;
		enum hprof_status status = HPROF_END;

		if (of != HPROF_NO_OBJECT)
			status = hprof_cursor_seek(look->cursor, of, &object);
		for (uint64_t k = 0; status == HPROF_OK; k++) {
			status = hprof_cursor_edge(look->cursor, k, &edge);
			if (status == HPROF_OK &&
			    note_static(n, look, &edge, base, row->name) !=
				    HPROF_OK)
				return hp_no_memory(error);
		}
		if (status < 0)
			return hp_look_failure(look, error);
	}
	return HPROF_OK;
}

/* ---- names --------------------------------------------------------------- */

/* The field of the dominator of LOCAL that refers to it, if there is one. */
static bool held_by_dominator(const struct hp_look *look, uint64_t local,
			      const char **ret_class, const char **ret_field)
{
	uint64_t by = hprof_graph_dominator(look->graph, local);
	struct hprof_object object;
	struct hprof_edge edge;
	uint64_t i = 0;

	if (by == HPROF_NO_OBJECT ||
	    hprof_cursor_seek(look->cursor, by, &object) != HPROF_OK)
		return false;
	while (hprof_cursor_edge(look->cursor, i++, &edge) == HPROF_OK)
		if (edge.to == local && edge.name &&
		    (edge.kind == HPROF_EDGE_FIELD ||
		     edge.kind == HPROF_EDGE_STATIC)) {
			*ret_class =
				hp_class_name(look->heap, object.class_row);
			*ret_field = edge.name;
			return true;
		}
	return false;
}

/* The ThreadLocal of the entry ENTRY, or HPROF_NO_OBJECT. */
static uint64_t local_of(const struct hp_look *look, uint64_t entry)
{
	struct hprof_object object;
	struct hprof_edge edge;
	uint64_t i = 0;

	if (hprof_cursor_seek(look->cursor, entry, &object) != HPROF_OK)
		return HPROF_NO_OBJECT;
	while (hprof_cursor_edge(look->cursor, i++, &edge) == HPROF_OK)
		if (edge.kind == HPROF_EDGE_REFERENT)
			return edge.to;
	return HPROF_NO_OBJECT;
}

static bool is_entry(const struct hp_look *look, uint64_t object)
{
	uint32_t kind = hp_graph_kind(look->graph, (uint32_t)object);
	const char *name = hp_class_name(look->heap, hp_kind_row(kind));

	return !hp_kind_is_class(kind) && name &&
	       !strcmp(name, "java.lang.ThreadLocal$ThreadLocalMap$Entry");
}

static enum hprof_status find_name(struct hp_thread_local_names *n,
				   const struct hp_look *look, uint64_t local,
				   const char **ret_class,
				   const char **ret_field,
				   struct hprof_error *error)
{
	const struct hp_static_name *name;

	if (held_by_dominator(look, local, ret_class, ret_field))
		return HPROF_OK;
	if (!n->is_read)
		HP_TRY(read_statics(n, look, error));
	name = hp_u64_map_get(&n->statics, local + 1);
	if (name) {
		*ret_class = name->class_name;
		*ret_field = name->field;
		return HPROF_OK;
	}
	*ret_class = hp_class_name(
		look->heap,
		hp_kind_row(hp_graph_kind(look->graph, (uint32_t)local)));
	return HPROF_OK;
}

enum hprof_status hp_thread_local_names_find(struct hp_thread_local_names *n,
					     const struct hp_look *look,
					     const struct hprof_edge *edge,
					     const char **ret_class,
					     const char **ret_field,
					     struct hprof_error *error)
{
	uint64_t local;

	*ret_class = *ret_field = NULL;
	if (edge->kind != HPROF_EDGE_FIELD || !is_entry(look, edge->from))
		return HPROF_OK;
	local = local_of(look, edge->from);
	if (local == HPROF_NO_OBJECT)
		return HPROF_OK;
	return find_name(n, look, local, ret_class, ret_field, error);
}

/* ---- for users ----------------------------------------------------------- */

struct hprof_thread_local_names {
	struct hp_look look;
	struct hp_thread_local_names names;
	size_t base; /* the row of ThreadLocal; SIZE_MAX: there is none */
};

enum hprof_status
hprof_thread_local_names_new(const struct hprof_graph *graph,
			     struct hprof_thread_local_names **ret_names,
			     struct hprof_error *ret_error)
{
	struct hprof_thread_local_names *n;
	enum hprof_status status;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_names);
	n = hp_calloc(1, sizeof *n);
	if (!n)
		return hp_no_memory(ret_error);
	n->look = (struct hp_look){ graph->heap, graph, NULL };
	n->base =
		hprof_heap_class_named(graph->heap, "java.lang.ThreadLocal", 0);
	status = hprof_cursor_new(graph->heap, &n->look.cursor, ret_error);
	if (status < 0) {
		hp_free(n);
		return status;
	}
	*ret_names = n;
	return HPROF_OK;
}

void hprof_thread_local_names_free(struct hprof_thread_local_names *n)
{
	if (!n)
		return;
	hprof_cursor_free(n->look.cursor);
	hp_thread_local_names_done(&n->names);
	hp_free(n);
}

enum hprof_status
hprof_thread_local_names_find(struct hprof_thread_local_names *names,
			      uint64_t object, const char **ret_class,
			      const char **ret_field,
			      struct hprof_error *ret_error)
{
	const char *class_name = NULL, *field = NULL;

	HP_NEED(ret_error, names);
	HP_NEED(ret_error, ret_class);
	HP_NEED(ret_error, ret_field);
	HP_TRY(hp_graph_need_object(names->look.graph, object, ret_error));
	if (!is_instance_of(&names->look, object, names->base))
		return HPROF_END;
	HP_TRY(find_name(&names->names, &names->look, object, &class_name,
			 &field, ret_error));
	*ret_class = class_name;
	*ret_field = field;
	return HPROF_OK;
}
