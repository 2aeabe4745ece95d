/* SPDX-License-Identifier: MIT */
/*
 * path_tree_read.c - hprof_path_tree_read: who holds what, by names.
 *
 * A search from the roots, a level at a time, gives each object the node by
 * which it is reached. If one level reaches an object in several ways, the
 * first by the names on the path wins, regardless of the order of the search.
 *
 * Some ways say little about who holds an object, and would attract everything
 * below them, so they are taken only when all else is done: first the references of
 * shunned_edges.h, then what stacks hold, which differs from one moment to the
 * next. A class that only one loader has defined is a start like a root, since
 * who refers to its loader says nothing about who uses its statics; copies of a
 * class by many loaders are what may leak.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/sort_numbers.h"
#include "diff/path_tree_strings.h"
#include "graph/graph.h"
#include "report/object_info.h"
#include "report/name_keys.h"
#include "report/passing_roots.h"
#include "report/root_index.h"
#include "report/shunned_edges.h"

struct search {
	struct hp_look look;
	struct hp_path_nodes nodes;
	struct hp_arena arena; /* of the roots */
	struct hp_root_index roots;
	uint64_t count;	 /* objects */
	uint32_t *of;	 /* node of each object, plus 1; 0: none */
	uint64_t *fresh; /* bits: objects reached in this level */
	uint32_t *next;	 /* these objects */
	size_t next_count, next_room;
	struct hp_shunned_edges shunned;
	uint32_t *late; /* objects with references that are put off */
	size_t late_count, late_room;
	bool takes_all; /* now also those */
	struct hp_path_tree_strings texts;
};

/* ---- before it begins ---------------------------------------------------- */

static enum hprof_status begin(struct search *s,
			       const struct hprof_graph *graph,
			       struct hprof_error *error)
{
	const struct hprof_heap *heap = graph->heap;

	s->look = (struct hp_look){ heap, graph, NULL };
	s->count = hprof_heap_count(heap);
	s->of = hp_calloc((size_t)s->count + 1, sizeof *s->of);
	s->fresh = hp_calloc(hp_bit_words(s->count), sizeof *s->fresh);
	if (hp_path_nodes_init(&s->nodes) != HPROF_OK ||
	    hp_shunned_edges_init(&s->shunned, heap) != HPROF_OK ||
	    hp_path_tree_strings_init(&s->texts, &s->nodes, heap) != HPROF_OK ||
	    !s->of || !s->fresh)
		return hp_no_memory(error);
	HP_TRY(hprof_cursor_new(heap, &s->look.cursor, error));
	return hp_root_index_init(&s->roots, &s->look, &s->arena, error);
}

static void end(struct search *s)
{
	if (s->roots.look)
		hp_root_index_done(&s->roots);
	hp_arena_done(&s->arena);
	hprof_cursor_free(s->look.cursor);
	hp_free(s->of);
	hp_free(s->fresh);
	hp_free(s->next);
	hp_free(s->late);
	hp_shunned_edges_done(&s->shunned);
	hp_path_tree_strings_done(&s->texts);
	hp_path_nodes_done(&s->nodes);
}

/* ---- reaching objects ---------------------------------------------------- */

static enum hprof_object_kind kind_of(const struct search *s, uint32_t kind)
{
	const struct hprof_summary *summary = hprof_heap_summary(s->look.heap);
	size_t row = hp_kind_row(kind);

	if (hp_kind_is_class(kind))
		return HPROF_OBJECT_CLASS;
	if (row >= summary->class_count)
		return HPROF_OBJECT_INSTANCE;
	switch (summary->class_rows[row].kind) {
	case HPROF_CLASS_OBJ_ARRAY:
		return HPROF_OBJECT_OBJ_ARRAY;
	case HPROF_CLASS_PRIM_ARRAY:
		return HPROF_OBJECT_PRIM_ARRAY;
	default:
		return HPROF_OBJECT_INSTANCE;
	}
}

/* KEY has yet to get the kind and class of OBJECT. */
static enum hprof_status reach(struct search *s, uint32_t object,
			       struct hp_path_key *key,
			       struct hprof_error *error)
{
	uint32_t kind, node, old = s->of[object];

	if (old && !hp_bit(s->fresh, object))
		return HPROF_OK;
	kind = hp_graph_kind(s->look.graph, object);
	key->kind = (uint8_t)kind_of(s, kind);
	key->class_name = hp_path_class(&s->texts, hp_kind_row(kind));
	node = hp_path_node(&s->nodes, key);
	if (node == HP_NO_NODE_YET || s->texts.no_memory)
		return hp_no_memory(error);
	if (old) {
		if (hp_path_before(&s->nodes, node, old - 1))
			s->of[object] = node + 1;
		return HPROF_OK;
	}
	if (hp_grow((void **)&s->next, &s->next_room, s->next_count,
		    sizeof *s->next) != HPROF_OK)
		return hp_no_memory(error);
	s->next[s->next_count++] = object;
	s->of[object] = node + 1;
	hp_bit_set(s->fresh, object);
	return HPROF_OK;
}

static bool follows(const struct search *s, const struct hprof_edge *edge)
{
	return edge->to != HPROF_NO_OBJECT &&
	       hprof_graph_is_reachable(s->look.graph, edge->to) &&
	       hp_edge_holds(&s->look, edge);
}

/* Puts off the references of OBJECT that are not followed yet. */
static enum hprof_status put_off(struct search *s, uint32_t object,
				 struct hprof_error *error)
{
	if (s->late_count && s->late[s->late_count - 1] == object)
		return HPROF_OK;
	if (hp_grow((void **)&s->late, &s->late_room, s->late_count,
		    sizeof *s->late) != HPROF_OK)
		return hp_no_memory(error);
	s->late[s->late_count++] = object;
	return HPROF_OK;
}

/* Whether EDGE is one of those that are followed later. */
static bool is_late(const struct search *s, const struct hprof_object *from,
		    const struct hprof_edge *edge)
{
	return !s->takes_all && hp_shunned_edges_has(&s->shunned, from, edge);
}

/* Reaches all objects to which OBJECT refers, or puts them off. */
static enum hprof_status expand(struct search *s, uint32_t object,
				struct hprof_error *error)
{
	struct hprof_cursor *cursor = s->look.cursor;
	struct hprof_object about;
	struct hprof_edge edge;
	enum hprof_status status = hprof_cursor_seek(cursor, object, &about);

	for (uint64_t i = 0; status == HPROF_OK; i++) {
		struct hp_path_key key = { .parent = s->of[object] - 1 };

		status = hprof_cursor_edge(cursor, i, &edge);
		if (status != HPROF_OK || !follows(s, &edge))
			continue;
		if (is_late(s, &about, &edge)) {
			if (!s->of[edge.to])
				HP_TRY(put_off(s, object, error));
			continue;
		}
		key.edge = (uint8_t)edge.kind;
		key.field = hp_path_field(&s->texts, edge.name);
		HP_TRY(reach(s, (uint32_t)edge.to, &key, error));
	}
	return status < 0 ? hp_look_failure(&s->look, error) : HPROF_OK;
}

/* ---- levels -------------------------------------------------------------- */

/* Sorts the level by place in the file, since neighbours are cheap to read. */
static void sort_level(struct search *s)
{
	if (s->next_count < s->count / 64)
		qsort(s->next, s->next_count, sizeof *s->next,
		      hp_compare_numbers);
	else
		hp_list_bits(s->fresh, hp_bit_words(s->count), s->next);
}

/* Counts the objects of the level, and keeps those that can have references. */
static size_t close_level(struct search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->next_count; i++) {
		uint32_t object = s->next[i];
		struct hp_path_node *node = &s->nodes.items[s->of[object] - 1];

		node->objects++;
		node->shallow += hprof_graph_shallow(s->look.graph, object);
		hp_bit_clear(s->fresh, object);
		if (node->key.kind != HPROF_OBJECT_PRIM_ARRAY)
			s->next[kept++] = object;
	}
	return kept;
}

static enum hprof_status run_level(struct search *s, struct hprof_error *error)
{
	uint32_t *front = s->next;
	enum hprof_status status = HPROF_OK;
	size_t count;

	sort_level(s);
	count = close_level(s);
	s->next = NULL;
	s->next_count = s->next_room = 0;
	if (hp_path_rank(&s->nodes) != HPROF_OK)
		status = hp_no_memory(error);
	for (size_t i = 0; status == HPROF_OK && i < count; i++)
		status = expand(s, front[i], error);
	hp_free(front);
	return status;
}

/* Follows all references of the objects that were put off. */
static enum hprof_status catch_up(struct search *s, struct hprof_error *error)
{
	uint32_t *late = s->late;
	size_t count = s->late_count;
	enum hprof_status status = HPROF_OK;

	s->late = NULL;
	s->late_count = s->late_room = 0;
	s->takes_all = true;
	for (size_t i = 0; status == HPROF_OK && i < count; i++)
		status = expand(s, late[i], error);
	s->takes_all = false;
	hp_free(late);
	return status;
}

/* Runs levels until no object is left. */
static enum hprof_status run_levels(struct search *s, struct hprof_error *error)
{
	while (s->next_count || s->late_count) {
		if (!s->next_count)
			HP_TRY(catch_up(s, error));
		if (s->next_count)
			HP_TRY(run_level(s, error));
	}
	return HPROF_OK;
}

/* ---- roots --------------------------------------------------------------- */

/* The method of a local variable; *RET is 0 if it is unknown. */
static enum hprof_status frame_text(struct search *s,
				    const struct hprof_heap_root *root,
				    uint32_t *ret, struct hprof_error *error)
{
	struct hprof_stack_frame frame = { 0 };

	*ret = hp_root_index_frame(&s->roots, root, &frame)
		       ? hp_path_frame(&s->texts, &frame)
		       : 0;
	return s->roots.stacks.no_memory || s->texts.no_memory
		       ? hp_no_memory(error)
		       : HPROF_OK;
}

/*
 * Reaches an object by one root record; other records of it may have other
 * frames.
 */
static enum hprof_status reach_root(struct search *s,
				    const struct hprof_heap_root *root,
				    struct hprof_error *error)
{
	struct hp_path_key key = { .parent = HP_NO_NODE_YET,
				   .root = root->tag };
	uint64_t object = root->object;

	/* Android lists objects that it found unreachable as roots. */
	if (!hprof_graph_is_reachable(s->look.graph, object) ||
	    (s->of[object] && !hp_bit(s->fresh, object)))
		return HPROF_OK;
	if (root->tag == HPROF_ROOT_JAVA_FRAME)
		HP_TRY(frame_text(s, root, &key.field, error));
	return reach(s, (uint32_t)object, &key, error);
}

/* Reaches the roots in the dump that are PASSING, or those that are not. */
static enum hprof_status reach_roots(struct search *s, bool passing,
				     struct hprof_error *error)
{
	const struct hprof_heap_root *roots = hprof_heap_roots(s->look.heap);
	size_t count = hprof_heap_root_count(s->look.heap);

	for (size_t i = 0; i < count; i++)
		if (roots[i].object != HPROF_NO_OBJECT &&
		    hp_root_is_passing(roots[i].tag) == passing)
			HP_TRY(reach_root(s, &roots[i], error));
	return HPROF_OK;
}

static enum hprof_status reach_class(struct search *s, size_t row,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(s->look.heap);
	struct hprof_heap_root start = {
		.object = hprof_heap_find(s->look.heap,
					  summary->class_rows[row].class_id)
	};

	return start.object == HPROF_NO_OBJECT ? HPROF_OK
					       : reach_root(s, &start, error);
}

/* Reaches the classes that are the only ones of their names. */
static enum hprof_status reach_classes(struct search *s,
				       struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(s->look.heap);
	uint32_t *key = hp_name_keys(summary);
	bool *many = hp_calloc(summary->class_count + 1, sizeof *many);
	enum hprof_status status = HPROF_OK;

	if (!key || !many)
		status = hp_no_memory(error);
	for (size_t i = 0; status == HPROF_OK && i < summary->class_count; i++)
		if (hp_kind_row(key[hp_kind_of_class(i)]) != i)
			many[hp_kind_row(key[hp_kind_of_class(i)])] = many[i] =
				true;
	for (size_t i = 0; status == HPROF_OK && i < summary->class_count; i++)
		if (!many[i])
			status = reach_class(s, i, error);
	hp_free(key);
	hp_free(many);
	return status;
}

/*
 * Roots that the graph adds are system classes. Other objects that are not
 * reached, although they are reachable in the graph, get a root of a kind of
 * their own.
 */
static enum hprof_status reach_rest(struct search *s, bool classes,
				    struct hprof_error *error)
{
	const struct hprof_graph *graph = s->look.graph;
	struct hprof_heap_root root = { .tag = classes ? HPROF_ROOT_STICKY_CLASS
						       : 0 };

	for (uint64_t i = 0; i < s->count; i++) {
		bool wanted = classes ? hprof_graph_is_root(graph, i)
				      : hprof_graph_is_reachable(graph, i);
		uint32_t kind;

		if (!wanted || s->of[i])
			continue;
		kind = hp_graph_kind(graph, (uint32_t)i);
		root.object = i;
		if (!classes || hp_kind_is_class(kind))
			HP_TRY(reach_root(s, &root, error));
	}
	return HPROF_OK;
}

static enum hprof_status run(struct search *s, struct hprof_error *error)
{
	HP_TRY(reach_roots(s, false, error));
	HP_TRY(reach_rest(s, true, error));
	HP_TRY(reach_classes(s, error));
	HP_TRY(run_levels(s, error));
	HP_TRY(reach_roots(s, true, error));
	HP_TRY(run_levels(s, error));
	HP_TRY(reach_rest(s, false, error));
	return run_levels(s, error);
}

/* ---- the table ----------------------------------------------------------- */

struct tree {
	struct hprof_path_tree table;
	struct hp_arena arena;
};

enum hprof_status hprof_path_tree_read(const struct hprof_graph *graph,
				       struct hprof_path_tree **ret_tree,
				       struct hprof_error *ret_error)
{
	struct search s = { .count = 0 };
	enum hprof_status status;
	struct tree *tree;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_ANY, ret_error));
	HP_NEED(ret_error, ret_tree);
	tree = hp_calloc(1, sizeof *tree);
	if (!tree)
		return hp_no_memory(ret_error);
	tree->table.impl = tree;
	status = begin(&s, graph, ret_error);
	if (status == HPROF_OK)
		status = run(&s, ret_error);
	if (status == HPROF_OK &&
	    hp_path_nodes_list(&s.nodes, &tree->table) != HPROF_OK)
		status = hp_no_memory(ret_error);
	/* The tree keeps the texts. */
	tree->arena = s.nodes.arena;
	s.nodes.arena = (struct hp_arena){ NULL, 0 };
	end(&s);
	if (status < 0) {
		hprof_path_tree_free(&tree->table);
		return status;
	}
	*ret_tree = &tree->table;
	return HPROF_OK;
}

void hprof_path_tree_free(struct hprof_path_tree *table)
{
	struct tree *tree = table ? table->impl : NULL;

	if (!tree)
		return;
	hp_arena_done(&tree->arena);
	hp_free(tree->table.nodes);
	hp_free(tree);
}
