/* SPDX-License-Identifier: MIT */
/*
 * trie_walk.c - entries of hash tries: Clojure's map, Scala's immutable maps
 * and sets, its concurrent map, and Kotlin's persistent maps and sets.
 */
#include "base/error.h"
#include "base/pattern.h"
#include "collections/field_path.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum {
	TRIE_DEPTH = 32, /* they are at most 7 deep, links and collisions */
	WIDTH = 64 /* elements of an array; those of collisions have more */
};

/* What a node, or its array, has. */
enum content {
	NODES,	/* an array of nodes */
	PAIRS,	/* an array of keys and values; of a null key: a node */
	MAP,	/* pairs, as many as bits in "dataMap", and then nodes */
	SET,	/* elements, as many, and then nodes */
	MIXED,	/* elements and nodes */
	LINK,	/* another node */
	ENTRY,	/* a key and a value */
	VECTOR, /* a vector of elements, which of maps are tuples */
	LIST,	/* a list of tuples */
	CHAIN	/* linked entries: Scala's ListMap */
};

static const struct node_class {
	const char *name;
	enum content content;
	const char *field, *value;
} node_classes[] = {
	{ "clojure.lang.PersistentHashMap$ArrayNode", NODES, "array", NULL },
	{ "clojure.lang.PersistentHashMap$*Node", PAIRS, "array", NULL },
	{ "scala.collection.immutable.BitmapIndexedMapNode", MAP, "content",
	  NULL },
	{ "scala.collection.immutable.BitmapIndexedSetNode", SET, "content",
	  NULL },
	{ "scala.collection.immutable.HashCollision*Node", VECTOR, "content",
	  NULL },
	{ "scala.collection.immutable.HashMap$HashTrieMap", NODES,
	  "elems|elems0", NULL },
	{ "scala.collection.immutable.HashMap$HashMap1", ENTRY, "key",
	  "value" },
	{ "scala.collection.immutable.HashMap$HashMapCollision1", CHAIN, "kvs",
	  NULL },
	{ "scala.collection.immutable.HashSet$HashTrieSet", NODES,
	  "elems|elems0", NULL },
	{ "scala.collection.immutable.HashSet$HashSet1", ENTRY, NULL, "key" },
	{ "scala.collection.immutable.HashSet$HashSetCollision1", CHAIN, "ks",
	  NULL },
	{ "kotlinx.collections.immutable.implementations.immutableMap.TrieNode",
	  MAP, "buffer", NULL },
	{ "kotlinx.collections.immutable.implementations.immutableSet.TrieNode",
	  MIXED, "buffer", NULL },
	{ "scala.collection.concurrent.INode", LINK, "mainnode", NULL },
	{ "scala.collection.concurrent.CNode", NODES, "array", NULL },
	{ "scala.collection.concurrent.SNode", ENTRY, "k", "v" },
	{ "scala.collection.concurrent.TNode", ENTRY, "k", "v" },
	{ "scala.collection.concurrent.LNode", LIST, "entries", NULL },
};

struct trie {
	struct hp_walk_state *w;
	struct {
		enum content content;
		uint64_t array, at;
		uint64_t nodes_at; /* where nodes begin in it */
	} levels[TRIE_DEPTH];
	unsigned depth;
};

static const struct node_class *class_of(const struct hprof_heap *heap,
					 const struct hprof_object *node)
{
	const struct hprof_summary *summary = heap->summary;

	if (node->kind != HPROF_OBJECT_INSTANCE ||
	    node->class_row >= summary->class_count)
		return NULL;
	for (size_t i = 0; i < sizeof node_classes / sizeof *node_classes; i++)
		if (hp_pattern_match(node_classes[i].name,
				     summary->class_rows[node->class_row].name))
			return &node_classes[i];
	return NULL;
}

/* Long arrays cost more than one visit, or a circle could have many. */
static bool pay(struct hp_walk_state *w, uint64_t length)
{
	uint64_t price = length / WIDTH + 1;

	if (price > w->nodes) {
		w->result.odd = true;
		w->nodes = 0;
		return false;
	}
	w->nodes -= price;
	return true;
}

/* Where in the array of NODE its nodes begin. */
static enum hprof_status nodes_begin(const struct hp_walk_state *w,
				     uint64_t node, enum content content,
				     uint64_t *ret)
{
	struct hprof_field field = { .value = 0 };
	enum hprof_status status;

	*ret = content == NODES ? 0 : UINT64_MAX;
	if (content != MAP && content != SET)
		return HPROF_OK;
	/* Without nodes there may be more entries, of the same hash. */
	status = hp_field_path_read(w->cursor, node, SIZE_MAX, "nodeMap",
				    &field);
	if (status == HPROF_OK && !field.value)
		return HPROF_OK;
	field.value = 0;
	status = hp_field_path_read(w->cursor, node, SIZE_MAX, "dataMap",
				    &field);
	*ret = 0;
	for (uint32_t bits = (uint32_t)field.value; status == HPROF_OK && bits;
	     bits &= bits - 1)
		*ret += content == MAP ? 2 : 1;
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status push(struct trie *t, uint64_t node,
			      const struct node_class *class)
{
	struct hprof_object at;
	uint64_t array, nodes_at;

	HP_TRY(nodes_begin(t->w, node, class->content, &nodes_at));
	HP_TRY(hp_walk_reference(t->w, node, class->field, &array));
	if (array == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hprof_cursor_seek(t->w->cursor, array, &at));
	if (t->depth == TRIE_DEPTH) {
		t->w->result.odd = true;
		return HPROF_OK;
	}
	if (!pay(t->w, at.length))
		return HPROF_OK;
	t->levels[t->depth].content = class->content;
	t->levels[t->depth].array = array;
	t->levels[t->depth].at = 0;
	t->levels[t->depth].nodes_at = nodes_at;
	t->depth++;
	return HPROF_OK;
}

static enum hprof_status emit_pair(struct hp_walk_state *w, uint64_t object,
				   const char *key, const char *value)
{
	struct hprof_collection_entry entry;

	HP_TRY(hp_walk_pair(w, object, key, value, &entry));
	hp_walk_emit(w, entry);
	return HPROF_OK;
}

static enum hprof_status emit_chain(struct hp_walk_state *w, uint64_t link)
{
	bool is_map = w->form->kind == HPROF_COLLECTION_MAP;
	struct hprof_collection_entry entry;

	while (link != HPROF_NO_OBJECT && !w->stopped && pay(w, 1)) {
		HP_TRY(hp_walk_pair(w, link, is_map ? "key" : NULL,
				    is_map ? "value|_value" : "elem", &entry));
		/* The last one is an object for all that are empty. */
		HP_TRY(hp_walk_reference(w, link, "_init|$outer", &link));
		if (link != HPROF_NO_OBJECT)
			hp_walk_emit(w, entry);
	}
	return HPROF_OK;
}

static enum hprof_status emit_list(struct hp_walk_state *w, uint64_t link)
{
	uint64_t tuple;

	while (link != HPROF_NO_OBJECT && !w->stopped && pay(w, 1)) {
		HP_TRY(hp_walk_reference(
			w, link,
			"head|scala$collection$immutable$$colon$colon$$hd",
			&tuple));
		if (tuple != HPROF_NO_OBJECT)
			HP_TRY(emit_pair(w, tuple, "_1", "_2"));
		HP_TRY(hp_walk_reference(w, link, "next|tl|tail", &link));
	}
	return HPROF_OK;
}

static enum hprof_status enter(struct trie *t, uint64_t node)
{
	struct hp_walk_state *w = t->w;
	const struct node_class *class;
	struct hprof_object at;
	uint64_t inner;

	while (node != HPROF_NO_OBJECT && pay(w, 1)) {
		HP_TRY(hprof_cursor_seek(w->cursor, node, &at));
		class = class_of(w->cursor->heap, &at);
		if (!class) {
			w->result.odd = true;
			return HPROF_OK;
		}
		if (class->content == ENTRY)
			return emit_pair(w, node, class->field, class->value);
		if (class->content < LINK)
			return push(t, node, class);
		HP_TRY(hp_walk_reference(w, node, class->field, &inner));
		if (inner == HPROF_NO_OBJECT)
			return HPROF_OK;
		if (class->content == LIST)
			return emit_list(w, inner);
		if (class->content == CHAIN)
			return emit_chain(w, inner);
		if (class->content == VECTOR)
			return hp_walk_scala_vector(
				w, inner,
				w->form->kind == HPROF_COLLECTION_MAP);
		node = inner;
	}
	return HPROF_OK;
}

static enum hprof_status emit_element(struct trie *t, uint64_t array,
				      uint64_t id)
{
	struct hprof_collection_entry entry = { .node = array,
						.value_type = HPROF_TYPE_OBJECT,
						.value = id };

	hp_walk_emit(t->w, entry);
	return HPROF_OK;
}

/* An element of an array in which nodes are told by their class. */
static enum hprof_status enter_or_emit(struct trie *t, uint64_t array,
				       uint64_t id)
{
	uint64_t object = hp_walk_follow(t->w, id);
	const struct node_class *class = NULL;
	struct hprof_object at;

	if (object != HPROF_NO_OBJECT) {
		HP_TRY(hprof_cursor_seek(t->w->cursor, object, &at));
		class = class_of(t->w->cursor->heap, &at);
	}
	return class && class->content == MIXED ? enter(t, object)
						: emit_element(t, array, id);
}

/* The value of a pair; of ordered maps, that in it. */
static enum hprof_status read_value(const struct hp_walk_state *w, uint64_t id,
				    struct hprof_collection_entry *ret)
{
	uint64_t object =
		w->form->value ? hp_walk_follow(w, id) : HPROF_NO_OBJECT;
	struct hprof_collection_entry inner;

	ret->value = id;
	if (object == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hp_walk_pair(w, object, NULL, w->form->value, &inner));
	ret->value_type = inner.value_type;
	ret->value = inner.value;
	return HPROF_OK;
}

/* One element, or one pair, of the array on top. */
static enum hprof_status step(struct trie *t)
{
	unsigned top = t->depth - 1;
	enum content content = t->levels[top].content;
	uint64_t array = t->levels[top].array, at = t->levels[top].at;
	bool is_node = at >= t->levels[top].nodes_at;
	bool single = content == SET || content == MIXED;
	size_t n, step = is_node || single ? 1 : 2;
	struct hprof_collection_entry entry = { .node = array,
						.value_type =
							HPROF_TYPE_OBJECT };
	uint64_t ids[2] = { 0, 0 };

	t->levels[top].at += step;
	HP_TRY(hp_walk_elements(t->w, array, at, step, ids, &n, NULL));
	if (n == 0) {
		t->depth--;
		return HPROF_OK;
	}
	if (is_node)
		return enter(t, hp_walk_follow(t->w, ids[0]));
	if (content == PAIRS && !ids[0])
		return enter(t, hp_walk_follow(t->w, ids[1]));
	if (content == MIXED)
		return enter_or_emit(t, array, ids[0]);
	if (single)
		return emit_element(t, array, ids[0]);
	entry.key_type = HPROF_TYPE_OBJECT;
	entry.key = ids[0];
	HP_TRY(read_value(t->w, ids[1], &entry));
	hp_walk_emit(t->w, entry);
	return HPROF_OK;
}

/* The null key of Clojure's map, which is beside of its nodes. */
static enum hprof_status emit_null_key(struct hp_walk_state *w)
{
	struct hprof_collection_entry entry = { .node = w->c->object,
						.key_type = HPROF_TYPE_OBJECT };
	struct hprof_field field;
	enum hprof_status status = hp_field_path_read(
		w->cursor, w->c->object, w->c->known_row, "hasNull", &field);

	if (status != HPROF_OK || !field.value)
		return status < 0 ? status : HPROF_OK;
	status = hp_field_path_read(w->cursor, w->c->object, w->c->known_row,
				    "nullValue", &field);
	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	entry.value_type = field.type;
	entry.value = field.value;
	hp_walk_emit(w, entry);
	return HPROF_OK;
}

enum hprof_status hp_walk_trie(struct hp_walk_state *w, uint64_t root)
{
	struct trie t = { .w = w };

	HP_TRY(enter(&t, root));
	while (t.depth && !w->stopped)
		HP_TRY(step(&t));
	return w->stopped ? HPROF_OK : emit_null_key(w);
}
