/* SPDX-License-Identifier: MIT */
/*
 * native_memory.c - hprof_native_read: memory outside of the heap that objects
 * stand for.
 *
 * A dump has none of that memory, but it has the Java objects that own it, and
 * these know its size. Views of a buffer and slices of a segment share the
 * memory of another object, and count once: views of buffers name what they are
 * a view of, segments are compared by their addresses.
 */
#include "hprof/retained.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "report/native_objects.h"
#include "report/native_pools.h"
#include "report/root_paths.h"

/*
 * All searches for owners together look at this many dominators, so that a
 * dump with long chains and many buffers cannot take hours.
 */
enum { OWNER_STEPS = 50 * 1000 * 1000 };

struct native {
	struct hprof_native_table table;
	struct hp_look look;
	struct hp_natives found;
	size_t owner_room;
	uint64_t *held; /* of each owner, what it holds the largest piece by */
	size_t held_room;
	uint64_t steps;
	struct hp_u64_map by_owner; /* kind and class -> index + 1 */
};

/* ---- owners -------------------------------------------------------------- */

static bool is_owner(const struct native *n, uint64_t object)
{
	uint32_t kind = hp_graph_kind(n->look.graph, (uint32_t)object);
	const char *name = hp_class_name(n->look.heap, hp_kind_row(kind));

	return !hp_class_is_runtime(name);
}

/*
 * The pool of a chunk; the nearest dominator that is not a part of the Java runtime, else the
 * uppermost one; OBJECT itself if nothing but roots hold it. HELD is what it
 * dominates on the way, HPROF_NO_OBJECT if there is nothing.
 */
static uint64_t owner_of(struct native *n, uint64_t object, uint64_t *held)
{
	uint64_t pool = hp_native_chunk_owner(&n->found, object);
	uint64_t owner = object, next = object;

	*held = HPROF_NO_OBJECT;
	if (pool != HPROF_NO_OBJECT)
		return pool;
	while (next != HPROF_NO_OBJECT && !is_owner(n, next) &&
	       n->steps++ < OWNER_STEPS) {
		*held = owner;
		owner = next;
		next = hprof_graph_dominator(n->look.graph, next);
	}
	if (next == HPROF_NO_OBJECT)
		next = owner;
	else
		*held = owner;
	if (*held == next)
		*held = HPROF_NO_OBJECT;
	return next;
}

/* The row of KIND for owners of the class of OWNER; NULL without memory. */
static struct hprof_native_owner *owner_row(struct native *n, uint64_t owner,
					    enum hprof_native_kind kind)
{
	uint32_t of = hp_graph_kind(n->look.graph, (uint32_t)owner);
	uint64_t key = ((uint64_t)of << 8 | (uint64_t)kind) + 1;
	size_t index = hp_u64_map_number(&n->by_owner, key);
	struct hprof_native_table *t = &n->table;
	struct hprof_native_owner *row;

	if (index != HP_NO_NUMBER)
		return &t->owners[index];
	if (hp_grow((void **)&t->owners, &n->owner_room, t->owner_count,
		    sizeof *t->owners) != HPROF_OK ||
	    hp_grow((void **)&n->held, &n->held_room, t->owner_count,
		    sizeof *n->held) != HPROF_OK ||
	    hp_u64_map_put_number(&n->by_owner, key, t->owner_count) !=
		    HPROF_OK)
		return NULL;
	n->held[t->owner_count] = HPROF_NO_OBJECT;
	row = &t->owners[t->owner_count++];
	*row = (struct hprof_native_owner){ .kind = kind };
	row->owner.object = owner;
	return row;
}

static enum hprof_status add_to_owner(struct native *n,
				      const struct hp_native *item)
{
	uint64_t held, owner = owner_of(n, item->object, &held);
	struct hprof_native_owner *row = owner_row(n, owner, item->kind);

	if (!row)
		return HPROF_E_NOMEM;
	if (item->bytes > row->largest) {
		row->largest = item->bytes;
		row->owner.object = owner;
		n->held[row - n->table.owners] = held;
	}
	row->objects++;
	row->bytes += item->bytes;
	return HPROF_OK;
}

static int compare_owners(const void *left, const void *right)
{
	const struct hprof_native_owner *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->owner.object != b->owner.object)
		return a->owner.object < b->owner.object ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

/* The field of ROW's owner that refers to HELD. */
static enum hprof_status find_field(struct native *n, uint64_t held,
				    struct hprof_native_owner *row,
				    struct hprof_error *error)
{
	struct hprof_edge edge;
	bool found;

	if (held == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hp_root_paths_edge(&n->look, row->owner.object, held, false,
				  &found, &edge, error));
	if (!found ||
	    (edge.kind != HPROF_EDGE_FIELD && edge.kind != HPROF_EDGE_STATIC))
		return HPROF_OK;
	row->field = edge.name;
	row->is_static = edge.kind == HPROF_EDGE_STATIC;
	return HPROF_OK;
}

static enum hprof_status describe_owners(struct native *n,
					 struct hprof_error *error)
{
	struct hprof_native_table *t = &n->table;

	for (size_t i = 0; i < t->owner_count; i++) {
		HP_TRY(hp_object_info_get(&n->look, t->owners[i].owner.object,
					  &t->owners[i].owner, error));
		HP_TRY(find_field(n, n->held[i], &t->owners[i], error));
	}
	for (size_t i = 0; i < t->pool_count; i++)
		if (t->pools[i].allocator.object != HPROF_NO_OBJECT)
			HP_TRY(hp_object_info_get(
				&n->look, t->pools[i].allocator.object,
				&t->pools[i].allocator, error));
	if (t->owner_count)
		qsort(t->owners, t->owner_count, sizeof *t->owners,
		      compare_owners);
	return HPROF_OK;
}

/* ---- sums ---------------------------------------------------------------- */

/*
 * The JDK maps the file of its own modules, mostly by a native call, and wraps it in
 * a buffer that looks like others without a Cleaner. Every JVM has it, and it is no
 * memory of the program: it would be most of the sum in small heaps.
 */
static bool is_modules_file(const struct native *n, uint64_t object)
{
	static const char package[] = "jdk.internal.jimage.";
	uint64_t holder = hprof_graph_dominator(n->look.graph, object);
	const char *name = NULL;

	if (holder != HPROF_NO_OBJECT)
		name = hp_class_name(n->look.heap,
				     hp_kind_row(hp_graph_kind(
					     n->look.graph, (uint32_t)holder)));
	return name && strncmp(name, package, sizeof package - 1) == 0;
}

/* Unreachable objects keep their memory until the collector has found them. */
static enum hprof_status add(struct native *n, struct hp_native *item)
{
	struct hprof_native_sum *sum;

	if ((item->kind == HPROF_NATIVE_UNMANAGED ||
	     item->kind == HPROF_NATIVE_MAPPED) &&
	    is_modules_file(n, item->object))
		item->kind = HPROF_NATIVE_MODULES;
	sum = &n->table.kinds[item->kind];
	sum->objects++;
	sum->bytes += item->bytes;
	if (item->kind != HPROF_NATIVE_MODULES)
		n->table.bytes += item->bytes;
	if (hprof_graph_is_reachable(n->look.graph, item->object))
		return add_to_owner(n, item);
	sum->unreachable_objects++;
	sum->unreachable_bytes += item->bytes;
	return HPROF_OK;
}

static enum hprof_status make_table(struct native *n,
				    const struct hprof_graph *graph,
				    struct hprof_error *error)
{
	n->look.graph = graph;
	n->look.heap = graph->heap;
	if (hp_u64_map_init(&n->by_owner, 1) != HPROF_OK)
		return hp_no_memory(error);
	HP_TRY(hprof_cursor_new(graph->heap, &n->look.cursor, error));
	HP_TRY(hp_natives_find(&n->found, &n->look, error));
	hp_native_chunks_sort(&n->found);
	for (size_t i = 0; i < n->found.count; i++)
		if (add(n, &n->found.items[i]) != HPROF_OK)
			return hp_no_memory(error);
	if (hp_native_pools_sum(&n->found, &n->table) != HPROF_OK)
		return hp_no_memory(error);
	return describe_owners(n, error);
}

enum hprof_status hprof_native_read(const struct hprof_graph *graph,
				    struct hprof_native_table **ret_table,
				    struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	enum hprof_status status;
	struct native *n;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, error));
	HP_NEED(error, ret_table);
	n = hp_calloc(1, sizeof *n);
	if (!n)
		return hp_no_memory(error);
	n->table.impl = n;
	status = make_table(n, graph, error);
	hprof_cursor_free(n->look.cursor);
	hp_natives_done(&n->found);
	hp_free(n->held);
	hp_u64_map_done(&n->by_owner);
	if (status < 0) {
		hprof_native_table_free(&n->table);
		return status;
	}
	*ret_table = &n->table;
	return HPROF_OK;
}

void hprof_native_table_free(struct hprof_native_table *table)
{
	if (!table)
		return;
	hp_free(table->owners);
	hp_free(table->pools);
	hp_free(table->impl);
}
