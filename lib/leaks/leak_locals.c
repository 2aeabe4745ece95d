/* SPDX-License-Identifier: MIT */
/*
 * leak_locals.c - see leak_locals.h.
 *
 * The maps of all threads are read. A value counts if its entry dominates it, so that
 * it is the map that keeps it. ThreadLocals of one name are one: often each object of a
 * class has its own in the same field.
 */
#include "leaks/leak_locals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/same_text.h"
#include "leaks/leak_crowds.h"
#include "leaks/leak_tree.h"

enum {
	VALUE_PART =
		100, /* of what a thread keeps: smaller values do not count */
	GUILTY_PART = 10, /* of what the first thread keeps by it */
	NAMES_MOST = 1000
};

/* ThreadLocals of one name. */
struct local {
	const char *class_name, *field;
	uint64_t retained;
};

struct value {
	size_t local, thread; /* indices */
	uint32_t object;
	uint64_t retained;
};

struct finder {
	struct hp_root_paths *paths;
	const struct hp_look *look;
	struct local *locals;
	size_t local_count, local_room;
	struct hp_u64_map by_object; /* ThreadLocal + 1 -> its index, plus 1 */
	struct value *values;
	size_t value_count, value_room;
	uint32_t *entries; /* of one map */
	size_t entry_count, entry_room;
};

/* ---- what maps have ------------------------------------------------------ */

/* The object in field NAME of OBJECT, or HPROF_NO_OBJECT. */
static enum hprof_status follow(const struct finder *f, uint64_t object,
				const char *name, uint64_t *ret,
				struct hprof_error *error)
{
	struct hprof_cursor *cursor = f->look->cursor;
	struct hprof_object at;
	struct hprof_field field;
	enum hprof_status status = HPROF_END;

	*ret = HPROF_NO_OBJECT;
	if (object != HPROF_NO_OBJECT)
		status = hprof_cursor_seek(cursor, object, &at);
	if (status == HPROF_OK)
		status = hprof_cursor_field_named(cursor, NULL, name, &field);
	if (status < 0)
		return hp_look_failure(f->look, error);
	if (status == HPROF_OK && field.type == HPROF_TYPE_OBJECT)
		*ret = hprof_heap_find(f->look->heap, field.value);
	return HPROF_OK;
}

/* Leaves the entries of TABLE, which may be HPROF_NO_OBJECT. */
static enum hprof_status take_entries(struct finder *f, uint64_t table,
				      struct hprof_error *error)
{
	struct hprof_object at;
	struct hprof_edge edge;
	enum hprof_status status = HPROF_END;

	f->entry_count = 0;
	if (table != HPROF_NO_OBJECT)
		status = hprof_cursor_seek(f->look->cursor, table, &at);
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(f->look->cursor, i, &edge);
		if (status != HPROF_OK || edge.kind != HPROF_EDGE_ELEMENT ||
		    edge.to == HPROF_NO_OBJECT)
			continue;
		if (hp_grow((void **)&f->entries, &f->entry_room,
			    f->entry_count, sizeof *f->entries) != HPROF_OK)
			return hp_no_memory(error);
		f->entries[f->entry_count++] = (uint32_t)edge.to;
	}
	return status < 0 ? hp_look_failure(f->look, error) : HPROF_OK;
}

/* The index of the name of ThreadLocal OBJECT, the value of ENTRY by EDGE. */
static enum hprof_status find_local(struct finder *f, uint64_t object,
				    const struct hprof_edge *edge, size_t *ret,
				    struct hprof_error *error)
{
	const char *class_name, *field;
	size_t i = hp_u64_map_number(&f->by_object, object + 1);

	*ret = i;
	if (i != HP_NO_NUMBER)
		return HPROF_OK;
	HP_TRY(hp_thread_local_names_find(&f->paths->locals, f->look, edge,
					  &class_name, &field, error));
	if (!class_name)
		return HPROF_OK;
	for (i = 0; i < f->local_count; i++)
		if (!strcmp(f->locals[i].class_name, class_name) &&
		    hp_same_text(f->locals[i].field, field))
			break;
	if (i == NAMES_MOST)
		return HPROF_OK;
	if (i == f->local_count) {
		if (hp_grow((void **)&f->locals, &f->local_room, f->local_count,
			    sizeof *f->locals) != HPROF_OK)
			return hp_no_memory(error);
		f->locals[f->local_count++] =
			(struct local){ class_name, field, 0 };
	}
	*ret = i;
	return hp_u64_map_put_number(&f->by_object, object + 1, i) == HPROF_OK
		       ? HPROF_OK
		       : hp_no_memory(error);
}

/* The ThreadLocal of ENTRY, and the reference to its value, if it has both. */
static enum hprof_status read_entry(const struct finder *f, uint32_t entry,
				    uint64_t *ret_local,
				    struct hprof_edge *ret_value,
				    struct hprof_error *error)
{
	struct hprof_object at;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(f->look->cursor, entry, &at);

	*ret_local = HPROF_NO_OBJECT;
	ret_value->to = HPROF_NO_OBJECT;
	for (uint64_t i = 0; status == HPROF_OK; i++) {
		status = hprof_cursor_edge(f->look->cursor, i, &edge);
		if (status != HPROF_OK)
			break;
		if (edge.kind == HPROF_EDGE_REFERENT)
			*ret_local = edge.to;
		else if (edge.kind == HPROF_EDGE_FIELD && edge.name &&
			 !strcmp(edge.name, "value"))
			*ret_value = edge;
	}
	return status < 0 ? hp_look_failure(f->look, error) : HPROF_OK;
}

static enum hprof_status take_value(struct finder *f, uint32_t entry,
				    size_t thread, uint64_t least,
				    struct hprof_error *error)
{
	const struct hprof_graph *graph = f->look->graph;
	struct hprof_edge edge;
	uint64_t object, bytes;
	size_t local;

	if (hprof_graph_retained(graph, entry) < least)
		return HPROF_OK;
	HP_TRY(read_entry(f, entry, &object, &edge, error));
	if (object == HPROF_NO_OBJECT || edge.to == HPROF_NO_OBJECT ||
	    hprof_graph_dominator(graph, edge.to) != entry)
		return HPROF_OK;
	bytes = hprof_graph_retained(graph, edge.to);
	HP_TRY(find_local(f, object, &edge, &local, error));
	if (local == HP_NO_NUMBER)
		return HPROF_OK;
	if (hp_grow((void **)&f->values, &f->value_room, f->value_count,
		    sizeof *f->values) != HPROF_OK)
		return hp_no_memory(error);
	f->locals[local].retained += bytes;
	f->values[f->value_count++] =
		(struct value){ local, thread, (uint32_t)edge.to, bytes };
	return HPROF_OK;
}

static enum hprof_status read_map(struct finder *f, uint32_t node,
				  size_t thread, const char *name,
				  struct hprof_error *error)
{
	uint64_t least =
		hprof_graph_retained(f->look->graph, node) / VALUE_PART;
	uint64_t map, table;

	HP_TRY(follow(f, node, name, &map, error));
	HP_TRY(follow(f, map, "table", &table, error));
	HP_TRY(take_entries(f, table, error));
	for (size_t i = 0; i < f->entry_count; i++)
		HP_TRY(take_value(f, f->entries[i], thread, least, error));
	return HPROF_OK;
}

static enum hprof_status read_maps(struct finder *f, const uint32_t *nodes,
				   size_t count, struct hprof_error *error)
{
	size_t row =
		hprof_heap_class_named(f->look->heap, "java.lang.Thread", 0);

	for (size_t i = 0; i < count && row != SIZE_MAX; i++) {
		uint32_t kind = hp_graph_kind(f->look->graph, nodes[i]);

		if (hp_kind_is_class(kind) ||
		    !hprof_heap_class_is(f->look->heap, hp_kind_row(kind), row))
			continue;
		HP_TRY(read_map(f, nodes[i], i, "threadLocals", error));
		HP_TRY(read_map(f, nodes[i], i, "inheritableThreadLocals",
				error));
	}
	return HPROF_OK;
}

/* ---- who is guilty ------------------------------------------------------- */

static int compare_values(const void *left, const void *right)
{
	const struct value *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

/* Leaves only values of LOCAL, by thread. */
static void choose_values(struct finder *f, size_t local)
{
	size_t count = 0;

	for (size_t i = 0; i < f->value_count; i++)
		if (f->values[i].local == local)
			f->values[count++] = f->values[i];
	f->value_count = count;
	if (count)
		qsort(f->values, count, sizeof *f->values, compare_values);
}

/* Sums up the values of one thread, from I on; where those of the next begin. */
static size_t sum_up(const struct finder *f, size_t i, uint64_t *ret_retained)
{
	size_t thread = f->values[i].thread;

	*ret_retained = 0;
	for (; i < f->value_count && f->values[i].thread == thread; i++)
		*ret_retained += f->values[i].retained;
	return i;
}

/* Takes the name of the thread NODE, if it is that of the others. */
static enum hprof_status take_name(struct finder *f, uint32_t node,
				   struct hprof_leak_local *local,
				   struct hprof_error *error)
{
	const char *name;

	HP_TRY(hp_leak_thread_name(f->paths, node, &name, error));
	if (local->threads == 1)
		local->thread_name = name;
	else if (local->thread_name && strcmp(local->thread_name, name))
		local->thread_name = NULL;
	return HPROF_OK;
}

static enum hprof_status take_guilty(struct finder *f, const uint32_t *nodes,
				     struct hprof_leak_local *local,
				     struct hprof_error *error)
{
	uint64_t most = 0, bytes, largest = 0;
	size_t end;

	for (size_t i = 0; i < f->value_count; i = end) {
		end = sum_up(f, i, &bytes);
		most = bytes > most ? bytes : most;
	}
	for (size_t i = 0; i < f->value_count; i = end) {
		end = sum_up(f, i, &bytes);
		if (bytes < most / GUILTY_PART)
			continue;
		local->threads++;
		local->values += end - i;
		local->retained += bytes;
		HP_TRY(take_name(f, nodes[f->values[i].thread], local, error));
		for (; i < end; i++) {
			uint32_t object = f->values[i].object;

			if (f->values[i].retained <= largest)
				continue;
			largest = f->values[i].retained;
			HP_TRY(hp_object_info_get(f->look, object,
						  &local->largest, error));
		}
	}
	return HPROF_OK;
}

/* How many live threads have the name of the guilty ones. */
static enum hprof_status count_named(struct finder *f,
				     struct hprof_leak_local *local,
				     struct hprof_error *error)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(f->look->heap);
	const char *name;

	if (!local->thread_name || !*local->thread_name) {
		local->thread_name = NULL;
		return HPROF_OK;
	}
	local->of_threads = 0;
	for (size_t i = 0; i < hprof_heap_root_count(f->look->heap); i++) {
		if (roots[i].tag != HPROF_ROOT_THREAD_OBJ ||
		    roots[i].object == HPROF_NO_OBJECT)
			continue;
		HP_TRY(hp_leak_thread_name(f->paths, roots[i].object, &name,
					   error));
		local->of_threads += !strcmp(name, local->thread_name);
	}
	return HPROF_OK;
}

/* The ThreadLocal by which most is kept; false: none has so much. */
static bool find_main(const struct finder *f, uint64_t of, size_t *ret)
{
	size_t best = 0;

	for (size_t i = 1; i < f->local_count; i++)
		if (f->locals[i].retained > f->locals[best].retained)
			best = i;
	*ret = best;
	return f->local_count && hp_leak_is_most(f->locals[best].retained, of);
}

static enum hprof_status find(struct finder *f, const uint32_t *nodes,
			      size_t count, struct hprof_leak *leak,
			      struct hprof_error *error)
{
	struct hprof_leak_local *local;
	size_t best;

	HP_TRY(read_maps(f, nodes, count, error));
	if (!find_main(f, leak->retained, &best))
		return HPROF_OK;
	local = hp_arena_take(f->paths->arena, sizeof *local);
	if (!local)
		return hp_no_memory(error);
	*local = (struct hprof_leak_local){ .class_name =
						    f->locals[best].class_name,
					    .field = f->locals[best].field,
					    .of_threads = leak->members };
	choose_values(f, best);
	HP_TRY(take_guilty(f, nodes, local, error));
	HP_TRY(count_named(f, local, error));
	leak->local = local;
	return HPROF_OK;
}

enum hprof_status hp_leak_locals_find(struct hp_root_paths *paths,
				      const uint32_t *nodes, size_t count,
				      struct hprof_leak *leak,
				      struct hprof_error *error)
{
	struct finder f = { .paths = paths, .look = &paths->look };
	enum hprof_status status = hp_u64_map_init(&f.by_object, 2);

	status = status == HPROF_OK ? find(&f, nodes, count, leak, error)
				    : hp_no_memory(error);
	hp_u64_map_done(&f.by_object);
	hp_free(f.locals);
	hp_free(f.values);
	hp_free(f.entries);
	return status;
}
