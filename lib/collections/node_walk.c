/* SPDX-License-Identifier: MIT */
/*
 * node_walk.c - entries in nodes: buckets, chains, trees.
 *
 * The nodes of a collection are mostly of one class, so the places of their
 * fields are kept for the class that was seen last.
 */
#include <string.h>

#include "base/error.h"
#include "collections/field_path.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum {
	CHUNK = 64,
	TREE_DEPTH = 256, /* of a balanced tree with 2^64 nodes: 128 */
	LEFT_THREAD = 30, /* bits: see forms.h */
	RIGHT_THREAD = 31
};

/* The children of trees; the long names are those of Scala. */
#define RED_BLACK "scala$collection$immutable$RedBlackTree$Tree$$"
#define NEW_RED_BLACK "scala$collection$immutable$NewRedBlackTree$Tree$$"
#define LEFT "left|_left|" RED_BLACK "_left|" NEW_RED_BLACK "_left"
#define RIGHT "right|_right|" RED_BLACK "_right|" NEW_RED_BLACK "_right"

/* ---- fields of nodes ----------------------------------------------------- */

struct node_field {
	size_t index; /* in the layout; SIZE_MAX: there is none */
	bool longer;  /* it is the first step of a path */
};

struct node_layout {
	size_t row;
	struct node_field key, value, next, first, moved, threads;
};

static struct node_field look_up(const struct hprof_heap *heap, size_t row,
				 const char *path)
{
	struct hprof_field field;
	const char *rest = NULL;
	struct node_field ret = { SIZE_MAX, false };

	if (path)
		ret.index = hp_field_path_first(heap, row, SIZE_MAX, path,
						&field, &rest);
	ret.longer = rest != NULL;
	return ret;
}

static void take_layout(const struct hp_walk_state *w, size_t row,
			struct node_layout *ret)
{
	const struct hprof_heap *heap = w->cursor->heap;

	if (ret->row == row)
		return;
	*ret = (struct node_layout){
		.row = row,
		.key = look_up(heap, row, w->form->key),
		.value = look_up(heap, row, w->form->value),
		.next = look_up(heap, row, w->form->next),
		/* Of ConcurrentHashMap: a bucket that is a tree or has moved */
		.first = look_up(heap, row, "first"),
		.moved = look_up(heap, row, "nextTable"),
		.threads = look_up(heap, row, w->form->threads),
	};
}

/* The value of a field of NODE, on which the cursor is; type 0: none. */
static enum hprof_status take_field(const struct hp_walk_state *w,
				    uint64_t node, struct node_field at,
				    const char *path, unsigned *type,
				    uint64_t *bits)
{
	struct hprof_field field;
	struct hprof_object back;
	enum hprof_status status;

	*type = 0;
	*bits = 0;
	if (at.index == SIZE_MAX)
		return HPROF_OK;
	if (!at.longer) {
		status = hprof_cursor_field(w->cursor, at.index, &field);
	} else {
		status = hp_field_path_read(w->cursor, node, SIZE_MAX, path,
					    &field);
		HP_TRY(hprof_cursor_seek(w->cursor, node, &back));
	}
	if (status == HPROF_OK) {
		*type = field.type;
		*bits = field.value;
	} else if (at.longer) {
		*type = HPROF_TYPE_OBJECT;
	}
	return status < 0 ? status : HPROF_OK;
}

/*
 * Moves to NODE. HPROF_END: it is no node, or too many have been visited, which
 * is odd.
 */
static enum hprof_status visit(struct hp_walk_state *w, uint64_t node,
			       struct node_layout *layout)
{
	struct hprof_object at;

	if (!w->nodes) {
		w->result.odd = true;
		return HPROF_END;
	}
	w->nodes--;
	HP_TRY(hprof_cursor_seek(w->cursor, node, &at));
	if (at.kind != HPROF_OBJECT_INSTANCE)
		return HPROF_END;
	take_layout(w, at.class_row, layout);
	return HPROF_OK;
}

static enum hprof_status take_entry(const struct hp_walk_state *w,
				    uint64_t node,
				    const struct node_layout *layout,
				    struct hprof_collection_entry *ret)
{
	*ret = (struct hprof_collection_entry){ .node = node };
	HP_TRY(take_field(w, node, layout->key, w->form->key, &ret->key_type,
			  &ret->key));
	return take_field(w, node, layout->value, w->form->value,
			  &ret->value_type, &ret->value);
}

/* ---- chains -------------------------------------------------------------- */

/*
 * Is it an entry, not a mere link? Concurrent collections without a field for
 * the size keep nodes that were removed, with nulls.
 */
static bool is_entry(const struct hp_walk_state *w,
		     const struct hprof_collection_entry *entry)
{
	if (!entry->value_type)
		return false;
	if (w->form->key && !entry->key_type)
		return false;
	if (w->form->walk == HP_WALK_CHAIN && w->form->size)
		return true;
	if (w->form->walk == HP_WALK_AFTER && !w->form->key && w->form->size)
		return true;
	if (w->form->walk == HP_WALK_BUCKETS ||
	    w->form->walk == HP_WALK_SEGMENTS || !*w->form->store)
		return true;
	return entry->value != 0 && (!w->form->key || entry->key != 0);
}

static enum hprof_status next_of(const struct hp_walk_state *w, uint64_t node,
				 const struct node_layout *layout,
				 uint64_t *ret)
{
	unsigned type;
	uint64_t id;

	HP_TRY(take_field(w, node, layout->next, w->form->next, &type, &id));
	*ret = type == HPROF_TYPE_OBJECT ? hp_walk_follow(w, id)
					 : HPROF_NO_OBJECT;
	return HPROF_OK;
}

/* SKIP: the first node is no entry. */
static enum hprof_status walk_links(struct hp_walk_state *w, uint64_t node,
				    bool skip, struct node_layout *layout)
{
	struct hprof_collection_entry entry;
	const uint64_t first = node;

	while (node != HPROF_NO_OBJECT && !w->stopped) {
		enum hprof_status status = visit(w, node, layout);
		uint64_t here = node;

		if (status != HPROF_OK)
			return status < 0 ? status : HPROF_OK;
		HP_TRY(take_entry(w, here, layout, &entry));
		HP_TRY(next_of(w, here, layout, &node));
		/* How removed nodes, and the end of a list, are marked. */
		if (node == here && !entry.value &&
		    w->form->walk == HP_WALK_CHAIN)
			return HPROF_OK;
		if (!skip && is_entry(w, &entry))
			hp_walk_emit(w, entry);
		/* A first node that is no entry may be the end, too. */
		if (node == here ||
		    (node == first && w->form->walk == HP_WALK_AFTER))
			return HPROF_OK;
		skip = false;
	}
	return HPROF_OK;
}

enum hprof_status hp_walk_chain(struct hp_walk_state *w, uint64_t node)
{
	struct node_layout layout = { .row = SIZE_MAX };

	return walk_links(w, node, w->form->walk == HP_WALK_AFTER, &layout);
}

/* ---- buckets ------------------------------------------------------------- */

/* NODE is the first of a bucket. *MOVED is the table that replaces this one. */
static enum hprof_status walk_bucket(struct hp_walk_state *w, uint64_t node,
				     struct node_layout *layout,
				     uint64_t *moved)
{
	struct hprof_object at;
	unsigned type;
	uint64_t id;

	HP_TRY(hprof_cursor_seek(w->cursor, node, &at));
	if (at.kind != HPROF_OBJECT_INSTANCE)
		return HPROF_OK;
	take_layout(w, at.class_row, layout);
	if (layout->moved.index != SIZE_MAX) {
		HP_TRY(take_field(w, node, layout->moved, "", &type, &id));
		*moved = hp_walk_follow(w, id);
		return HPROF_OK;
	}
	if (layout->first.index != SIZE_MAX) {
		HP_TRY(take_field(w, node, layout->first, "", &type, &id));
		node = hp_walk_follow(w, id);
	}
	return walk_links(w, node, false, layout);
}

/* NODE is that, or an array of nodes, as Groovy has them. */
static enum hprof_status walk_slot(struct hp_walk_state *w, uint64_t node,
				   struct node_layout *layout, uint64_t *moved)
{
	struct hprof_object at;
	uint64_t ids[CHUNK];
	size_t n = CHUNK;

	HP_TRY(hprof_cursor_seek(w->cursor, node, &at));
	if (at.kind != HPROF_OBJECT_OBJ_ARRAY)
		return walk_bucket(w, node, layout, moved);
	/* Or one array in all slots would cost its square. */
	if (at.length > w->nodes) {
		w->result.odd = true;
		return HPROF_OK;
	}
	w->nodes -= at.length;
	for (uint64_t i = 0; n == CHUNK && !w->stopped; i += n) {
		HP_TRY(hp_walk_elements(w, node, i, CHUNK, ids, &n, NULL));
		for (size_t k = 0; k < n && !w->stopped; k++) {
			uint64_t one = hp_walk_follow(w, ids[k]);

			if (one != HPROF_NO_OBJECT)
				HP_TRY(walk_bucket(w, one, layout, moved));
		}
	}
	return HPROF_OK;
}

static enum hprof_status walk_table(struct hp_walk_state *w, uint64_t array,
				    uint64_t *moved)
{
	struct node_layout layout = { .row = SIZE_MAX };
	uint64_t ids[CHUNK];
	size_t n = CHUNK;

	for (uint64_t i = 0; n == CHUNK && !w->stopped; i += n) {
		unsigned type = 0;

		HP_TRY(hp_walk_elements(w, array, i, CHUNK, ids, &n, &type));
		if (type != HPROF_TYPE_OBJECT)
			return HPROF_OK;
		/* Many segments may have one table. */
		if (n > w->slots) {
			w->result.odd = true;
			return HPROF_OK;
		}
		w->slots -= n;
		for (size_t k = 0; k < n && !w->stopped; k++) {
			uint64_t node = hp_walk_follow(w, ids[k]);

			if (node != HPROF_NO_OBJECT)
				HP_TRY(walk_slot(w, node, &layout, moved));
			else if (ids[k])
				w->result.odd = true;
		}
	}
	return HPROF_OK;
}

enum hprof_status hp_walk_buckets(struct hp_walk_state *w, uint64_t array)
{
	uint64_t moved = HPROF_NO_OBJECT, none;

	HP_TRY(walk_table(w, array, &moved));
	if (moved != HPROF_NO_OBJECT && moved != array)
		HP_TRY(walk_table(w, moved, &none));
	return HPROF_OK;
}

/* ---- trees --------------------------------------------------------------- */

struct tree {
	uint64_t path[TREE_DEPTH]; /* nodes whose right side is still to do */
	unsigned depth;
};

static enum hprof_status side_of(const struct hp_walk_state *w, uint64_t node,
				 size_t row, const char *path, uint64_t *ret)
{
	struct node_field at = look_up(w->cursor->heap, row, path);
	unsigned type;
	uint64_t id;

	HP_TRY(take_field(w, node, at, path, &type, &id));
	*ret = type == HPROF_TYPE_OBJECT ? hp_walk_follow(w, id)
					 : HPROF_NO_OBJECT;
	return HPROF_OK;
}

/* Whether the left (bit 30) or right side (31) of NODE leads down. */
static enum hprof_status leads_down(const struct hp_walk_state *w,
				    uint64_t node,
				    const struct node_layout *layout,
				    unsigned bit, bool *ret)
{
	unsigned type;
	uint64_t bits;

	HP_TRY(take_field(w, node, layout->threads, w->form->threads, &type,
			  &bits));
	*ret = !(bits >> bit & 1);
	return HPROF_OK;
}

/* Puts NODE and its line of left children on the path. */
static enum hprof_status go_left(struct hp_walk_state *w, struct tree *t,
				 uint64_t node, struct node_layout *layout)
{
	bool down = true;

	while (node != HPROF_NO_OBJECT && down) {
		enum hprof_status status = visit(w, node, layout);

		if (status != HPROF_OK)
			return status < 0 ? status : HPROF_OK;
		if (t->depth == TREE_DEPTH) {
			w->result.odd = true;
			return HPROF_OK;
		}
		t->path[t->depth++] = node;
		HP_TRY(leads_down(w, node, layout, LEFT_THREAD, &down));
		HP_TRY(side_of(w, node, layout->row, LEFT, &node));
	}
	return HPROF_OK;
}

enum hprof_status hp_walk_tree(struct hp_walk_state *w, uint64_t root)
{
	struct node_layout layout = { .row = SIZE_MAX };
	struct hprof_collection_entry entry;
	struct tree t = { .depth = 0 };
	struct hprof_object at;
	uint64_t right;
	bool down;

	HP_TRY(go_left(w, &t, root, &layout));
	while (t.depth && !w->stopped) {
		uint64_t node = t.path[--t.depth];

		HP_TRY(hprof_cursor_seek(w->cursor, node, &at));
		take_layout(w, at.class_row, &layout);
		HP_TRY(take_entry(w, node, &layout, &entry));
		HP_TRY(leads_down(w, node, &layout, RIGHT_THREAD, &down));
		HP_TRY(side_of(w, node, at.class_row, RIGHT, &right));
		/* Clojure's leaves with a null value lack the field. */
		if (!entry.value_type)
			entry.value_type = HPROF_TYPE_OBJECT;
		hp_walk_emit(w, entry);
		if (down)
			HP_TRY(go_left(w, &t, right, &layout));
	}
	return HPROF_OK;
}
