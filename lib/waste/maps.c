/* SPDX-License-Identifier: MIT */
/*
 * maps.c - hash tables with many collisions, and WeakHashMaps whose values
 * refer to their keys, so that they are never cleared. These cost time or keep
 * others alive, but no bytes of their own are saved.
 *
 * How many buckets are in use is known from the notes. Chains are walked only in
 * the worst maps, and a limited number of nodes in all.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "waste/waste.h"

enum {
	ENTRIES_LEAST = 16,
	NODES_MOST = 1 << 18, /* that are visited, in all maps */
	EDGES_MOST = 256,     /* references of one value */
	MAPS_LEAST = 256,
	CHUNK = 256
};

struct maps {
	struct hp_waste *w;
	struct hprof_waste_map *items; /* by entries without a bucket */
	size_t count, room;
	uint64_t nodes; /* that may still be visited */
};

/* ---- collisions ---------------------------------------------------------- */

static enum hprof_status failure(const struct hp_waste *w,
				 enum hprof_status status)
{
	return hp_fail(w->error, status, HP_NO_OFFSET, "%s",
		       hprof_cursor_error(w->cursor)->text);
}

static uint64_t crowded(const struct hprof_waste_map *map)
{
	return map->entries - map->used;
}

static int compare_maps(const void *left, const void *right)
{
	const struct hprof_waste_map *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (crowded(a) != crowded(b))
		return crowded(a) > crowded(b) ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void keep_worst(struct maps *m)
{
	if (m->count)
		qsort(m->items, m->count, sizeof *m->items, compare_maps);
	if (m->count > m->w->top)
		m->count = m->w->top;
}

/* Of collisions only the worst are kept, now and then. */
static enum hprof_status add_map(struct maps *m,
				 const struct hprof_waste_map *map)
{
	if (map->kind == HPROF_WASTE_COLLISIONS &&
	    m->count >= 2 * m->w->top + MAPS_LEAST)
		keep_worst(m);
	if (hp_grow((void **)&m->items, &m->room, m->count, sizeof *m->items) !=
	    HPROF_OK)
		return hp_no_memory(m->w->error);
	m->items[m->count++] = *map;
	return HPROF_OK;
}

static enum hprof_status look_at_table(struct maps *m,
				       const struct hp_seen *seen)
{
	struct hp_waste *w = m->w;
	const struct hp_row_array *row;
	struct hprof_waste_map map = { .kind = HPROF_WASTE_COLLISIONS,
				       .object = seen->object,
				       .entries = seen->size,
				       .key_row = SIZE_MAX };
	bool is_class;
	const struct hp_form *form;

	if (seen->size == HP_SEEN_UNKNOWN || seen->size < ENTRIES_LEAST ||
	    seen->size > w->heap->count)
		return HPROF_OK;
	form = w->classes[hp_waste_row(w, seen->object, &is_class)].known.form;
	if (form->shape != HPROF_COLLECTION_HASH || !form->next)
		return HPROF_OK;
	row = hp_waste_find_row(w, seen->store);
	if (!row)
		return HPROF_OK;
	map.used = row->present;
	if (map.used >= seen->size / 2)
		return HPROF_OK;
	HP_TRY(hp_waste_note(w, HPROF_WASTE_COLLISIONS, seen->object,
			     hp_waste_shallow(w, seen->object), 0));
	return add_map(m, &map);
}

/* ---- the deepest bucket -------------------------------------------------- */

/* Moves to the object that field NAME refers to; HPROF_END: there is none. */
static enum hprof_status step(const struct hp_waste *w, const char *name,
			      struct hprof_object *at)
{
	struct hprof_field field;
	enum hprof_status status =
		hprof_cursor_field_named(w->cursor, NULL, name, &field);
	uint64_t to;

	if (status != HPROF_OK)
		return status;
	to = field.type == HPROF_TYPE_OBJECT
		     ? hprof_heap_find(w->heap, field.value)
		     : HPROF_NO_OBJECT;
	return to == HPROF_NO_OBJECT ? HPROF_END
				     : hprof_cursor_seek(w->cursor, to, at);
}

static enum hprof_status measure_chain(struct maps *m, uint64_t node,
				       uint64_t *ret_depth, size_t *ret_key)
{
	struct hp_waste *w = m->w;
	struct hprof_object at;
	uint64_t depth = 0;
	enum hprof_status status = hprof_cursor_seek(w->cursor, node, &at);

	if (status >= 0)
		status = step(w, "first", &at); /* of a tree's bin */
	if (status == HPROF_END)
		status = hprof_cursor_seek(w->cursor, node, &at);
	while (status == HPROF_OK && m->nodes) {
		m->nodes--;
		depth++;
		node = at.index;
		status = step(w, "next", &at);
	}
	if (status >= 0)
		status = hprof_cursor_seek(w->cursor, node, &at);
	if (status >= 0 && depth > *ret_depth) {
		*ret_depth = depth;
		status = step(w, "key", &at);
		*ret_key = status == HPROF_OK ? at.class_row : SIZE_MAX;
	}
	return status < 0 ? failure(w, status) : HPROF_OK;
}

static enum hprof_status measure_map(struct maps *m, uint64_t array,
				     struct hprof_waste_map *map)
{
	struct hp_waste *w = m->w;
	uint64_t ids[CHUNK];
	struct hprof_object at;
	size_t n = CHUNK;

	for (uint64_t i = 0; n == CHUNK && m->nodes; i += n) {
		enum hprof_status status =
			hprof_cursor_seek(w->cursor, array, &at);

		if (status >= 0)
			status = hprof_cursor_elements(w->cursor, i, CHUNK, ids,
						       &n);
		if (status < 0)
			return failure(w, status);
		for (size_t k = 0; k < n && m->nodes; k++) {
			uint64_t node = hprof_heap_find(w->heap, ids[k]);

			if (ids[k] && node != HPROF_NO_OBJECT)
				HP_TRY(measure_chain(m, node, &map->deepest,
						     &map->key_row));
		}
	}
	return HPROF_OK;
}

static enum hprof_status measure_all(struct maps *m)
{
	struct hprof_collection c;

	for (size_t i = 0; i < m->count && i < m->w->top && m->nodes; i++) {
		enum hprof_status status = hprof_collection_open(
			m->w->cursor, m->items[i].object, &c);

		if (status < 0)
			return failure(m->w, status);
		if (status == HPROF_OK && c.storage != HPROF_NO_OBJECT)
			HP_TRY(measure_map(m, c.storage, &m->items[i]));
	}
	return HPROF_OK;
}

/* ---- weak maps ----------------------------------------------------------- */

struct pairs {
	struct maps *m;
	uint64_t *items; /* key, value */
	size_t count, room;
	bool no_memory;
};

static bool take_pair(void *user, const struct hprof_collection_entry *entry)
{
	struct pairs *p = user;

	if (!entry->key || !entry->value)
		return true;
	if (!p->m->nodes)
		return false;
	p->m->nodes--;
	if (hp_grow((void **)&p->items, &p->room, p->count + 1,
		    sizeof *p->items) != HPROF_OK) {
		p->no_memory = true;
		return false;
	}
	p->items[p->count++] = entry->key;
	p->items[p->count++] = entry->value;
	return true;
}

/* Does the value refer to the key, or is it the key? */
static enum hprof_status refers(const struct hp_waste *w, uint64_t key,
				uint64_t value, bool *ret)
{
	uint64_t object = hprof_heap_find(w->heap, value);
	enum hprof_status status;
	struct hprof_object at;
	struct hprof_edge edge;

	*ret = key == value;
	if (object == HPROF_NO_OBJECT || *ret)
		return HPROF_OK;
	status = hprof_cursor_seek(w->cursor, object, &at);
	for (uint64_t i = 0; status == HPROF_OK && i < EDGES_MOST; i++) {
		status = hprof_cursor_edge(w->cursor, i, &edge);
		if (status != HPROF_OK || edge.to_id != key ||
		    edge.kind == HPROF_EDGE_CLASS ||
		    edge.kind == HPROF_EDGE_REFERENT)
			continue;
		*ret = true;
		break;
	}
	return status < 0 ? failure(w, status) : HPROF_OK;
}

static enum hprof_status look_at_weak(struct maps *m, uint32_t object)
{
	struct hprof_waste_map map = { .kind = HPROF_WASTE_WEAK_MAPS,
				       .object = object,
				       .key_row = SIZE_MAX };
	struct pairs p = { .m = m };
	enum hprof_status status;

	status = hprof_collection_each(m->w->cursor, object, 0, take_pair, &p,
				       NULL);
	if (status < 0)
		status = failure(m->w, status);
	else if (p.no_memory)
		status = hp_no_memory(m->w->error);
	map.entries = p.count / 2;
	for (size_t i = 0; status >= 0 && i < p.count; i += 2) {
		bool back;

		status = refers(m->w, p.items[i], p.items[i + 1], &back);
		map.refer_back += status >= 0 && back;
	}
	hp_free(p.items);
	if (status < 0 || !map.refer_back)
		return status;
	map.used = map.entries;
	HP_TRY(hp_waste_note(m->w, HPROF_WASTE_WEAK_MAPS, object,
			     hp_waste_shallow(m->w, object), 0));
	return add_map(m, &map);
}

static bool is_weak(const struct hp_waste *w, uint32_t object)
{
	bool is_class;

	return w->classes[hp_waste_row(w, object, &is_class)].weak;
}

/* Classes are few, what they have is not. */
static bool has_weak(const struct hp_waste *w)
{
	bool any = false;

	for (size_t row = 0; row < w->class_count; row++)
		any |= w->classes[row].weak;
	return any;
}

/* ---- both ---------------------------------------------------------------- */

static enum hprof_status find_all(struct maps *m)
{
	struct hp_waste *w = m->w;

	for (size_t i = 0; i < w->seen.count; i++)
		HP_TRY(look_at_table(m, &w->seen.items[i]));
	keep_worst(m);
	HP_TRY(measure_all(m));
	if (!has_weak(w))
		return HPROF_OK;
	for (size_t i = 0; i < w->seen.count && m->nodes; i++)
		if (is_weak(w, w->seen.items[i].object))
			HP_TRY(look_at_weak(m, w->seen.items[i].object));
	return HPROF_OK;
}

static enum hprof_status keep(struct maps *m)
{
	struct hp_waste *w = m->w;

	if (m->count)
		qsort(m->items, m->count, sizeof *m->items, compare_maps);
	w->table.maps =
		hp_arena_take(&w->arena, (m->count + 1) * sizeof *m->items);
	if (!w->table.maps)
		return hp_no_memory(w->error);
	for (size_t i = 0; i < m->count; i++) {
		uint32_t holder;

		HP_TRY(hp_holder_of(w, (uint32_t)m->items[i].object, &holder));
		m->items[i].holder = hp_holder_get(w, holder);
		w->table.maps[i] = m->items[i];
	}
	w->table.map_count = m->count;
	return HPROF_OK;
}

enum hprof_status hp_waste_maps(struct hp_waste *w)
{
	struct maps m = { .w = w, .nodes = NODES_MOST };
	enum hprof_status status = find_all(&m);

	if (status >= 0)
		status = keep(&m);
	hp_free(m.items);
	return status;
}
