/* SPDX-License-Identifier: MIT */
/*
 * path_steps.c - how one object refers to another, and paths of such steps.
 */
#include "report/root_paths.h"

#include <string.h>

#include "base/error.h"
#include "graph/graph.h"
#include "heap/cursor.h"
#include "report/step_keys.h"

enum { STEPS_MAX = 2000 }; /* of longer paths the middle is left out */

/* ---- references ---------------------------------------------------------- */

/*
 * Fields tell more than references that every object has, and strong references
 * more than weak ones.
 */
static unsigned edge_rank(enum hprof_edge_kind kind)
{
	switch (kind) {
	case HPROF_EDGE_FIELD:
	case HPROF_EDGE_ELEMENT:
	case HPROF_EDGE_STATIC:
		return 0;
	case HPROF_EDGE_REFERENT:
		return 2;
	default:
		return 1;
	}
}

static enum hprof_status from_array(const struct hp_look *look,
				    const struct hprof_object *array,
				    uint64_t to, struct hprof_edge *ret)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	size_t row = array->class_row;

	*ret = (struct hprof_edge){ .kind = HPROF_EDGE_ELEMENT,
				    .from = array->index,
				    .to = to };
	if (row < summary->class_count &&
	    hprof_heap_find(look->heap, summary->class_rows[row].class_id) ==
		    to)
		ret->kind = HPROF_EDGE_CLASS;
	return HPROF_OK;
}

enum hprof_status hp_root_paths_edge(const struct hp_look *look, uint64_t from,
				     uint64_t to, bool numbered,
				     bool *ret_found, struct hprof_edge *ret,
				     struct hprof_error *error)
{
	struct hprof_object object;
	struct hprof_edge edge;
	enum hprof_status status =
		hprof_cursor_seek(look->cursor, from, &object);
	unsigned best = 3;

	if (status == HPROF_OK && !numbered &&
	    object.kind == HPROF_OBJECT_OBJ_ARRAY) {
		*ret_found = true;
		return from_array(look, &object, to, ret);
	}
	for (uint64_t i = 0; status == HPROF_OK && best; i++) {
		status = hprof_cursor_edge(look->cursor, i, &edge);
		if (status != HPROF_OK || edge.to != to ||
		    edge_rank(edge.kind) >= best)
			continue;
		best = edge_rank(edge.kind);
		*ret = edge;
	}
	*ret_found = best < 3;
	return status < 0 ? hp_look_failure(look, error) : HPROF_OK;
}

/* How the object at the cursor, a Reference, holds its referent. */
static enum hprof_strength referent_strength(const struct hp_look *look)
{
	static const enum hprof_strength strengths[] = {
		[HP_STRONG] = HPROF_STRENGTH_STRONG,
		[HP_SOFT] = HPROF_STRENGTH_SOFT,
		[HP_WEAK] = HPROF_STRENGTH_WEAK,
		[HP_PHANTOM] = HPROF_STRENGTH_PHANTOM,
		[HP_FINAL] = HPROF_STRENGTH_FINALIZER,
	};

	return strengths[look->cursor->here.spot.of->weakness];
}

/* The class that declares the field NAME whose value is the object with ID. */
static const char *declaring_class(const struct hp_look *look,
				   const struct hprof_edge *edge)
{
	struct hprof_object object;
	struct hprof_field field;

	if (!edge->name ||
	    hprof_cursor_seek(look->cursor, edge->from, &object) != HPROF_OK)
		return NULL;
	for (size_t i = 0;
	     hprof_cursor_field(look->cursor, i, &field) == HPROF_OK; i++)
		if (field.type == HPROF_TYPE_OBJECT &&
		    field.value == edge->to_id &&
		    !strcmp(field.name, edge->name))
			return hp_class_name(look->heap, field.class_row);
	return NULL;
}

/* ---- steps --------------------------------------------------------------- */

enum hprof_status hp_root_paths_step(struct hp_root_paths *p, uint64_t from,
				     uint64_t object,
				     struct hprof_path_step *to,
				     bool *ret_found, struct hprof_error *error)
{
	struct hprof_edge edge;

	*ret_found = false;
	*to = (struct hprof_path_step){ .edge = HPROF_EDGE_FIELD };
	HP_TRY(hp_object_info_get(&p->look, object, &to->held, error));
	if (from == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hp_root_paths_edge(&p->look, from, object, true, ret_found,
				  &edge, error));
	if (!*ret_found)
		return HPROF_OK;
	to->edge = edge.kind;
	to->field = edge.name;
	to->number = edge.number;
	to->weak = edge.kind == HPROF_EDGE_REFERENT;
	to->strength =
		to->weak ? referent_strength(&p->look) : HPROF_STRENGTH_STRONG;
	to->field_class = declaring_class(&p->look, &edge);
	HP_TRY(hp_step_key(&p->look, p->arena, &edge, to, error));
	return hp_thread_local_names_find(&p->locals, &p->look, &edge,
					  &to->local_class, &to->local_field,
					  error);
}

/* ---- paths --------------------------------------------------------------- */

static enum hprof_status begin_path(struct hp_root_paths *p, uint64_t count,
				    struct hprof_path *path,
				    struct hprof_error *error)
{
	*path = (struct hprof_path){ .count = (size_t)count };
	if (count > STEPS_MAX) {
		path->count = STEPS_MAX;
		path->gap = STEPS_MAX / 2;
		path->left_out = count - STEPS_MAX;
	}
	path->steps =
		hp_arena_take(p->arena, path->count * sizeof *path->steps);
	return path->steps ? HPROF_OK : hp_no_memory(error);
}

/* The loader of a class that is no root: see struct hprof_path. */
static enum hprof_status find_loader(struct hp_root_paths *p,
				     struct hprof_path *path,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(p->look.heap);
	const struct hprof_object_info *first = &path->steps[0].held;
	uint64_t loader = HPROF_NO_OBJECT;

	if (!path->root.tag && first->kind == HPROF_OBJECT_CLASS &&
	    first->class_row < summary->class_count)
		loader = hprof_heap_find(
			p->look.heap,
			summary->class_rows[first->class_row].loader_id);
	return hp_object_info_get(&p->look, loader, &path->loader, error);
}

/* The statics of a class that stays are not held by the stack that uses it. */
static enum hprof_status find_root(struct hp_root_paths *p,
				   struct hprof_path *path,
				   struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(p->look.heap);
	const struct hprof_object_info *first = &path->steps[0].held;
	struct hprof_path_root *root = &path->root;

	HP_TRY(hp_root_index_get(&p->roots, first->object, root, error));
	if (path->count > 1 && first->kind == HPROF_OBJECT_CLASS &&
	    first->class_row < summary->class_count &&
	    hp_root_is_passing(root->tag) &&
	    !hp_root_paths_pass(p, first->object))
		*root = (struct hprof_path_root){
			.tag = summary->class_rows[first->class_row].loader_id
				       ? 0
				       : HPROF_ROOT_STICKY_CLASS
		};
	return HPROF_OK;
}

enum hprof_status hp_root_paths_walk(struct hp_root_paths *p,
				     hp_next_object_fn *next, void *state,
				     uint64_t count, struct hprof_path *path,
				     struct hprof_error *error)
{
	uint64_t object = next(state), from, gap;
	uint64_t array = HPROF_NO_OBJECT; /* that has the step before */
	size_t i;
	bool found;

	HP_TRY(begin_path(p, count, path, error));
	i = path->count;
	gap = path->count - path->gap; /* counted from the end */
	for (uint64_t n = 0; n < count; n++, object = from) {
		from = n + 1 < count ? next(state) : HPROF_NO_OBJECT;
		if (n >= gap && n - gap < path->left_out)
			continue;
		HP_TRY(hp_root_paths_step(p, from, object, &path->steps[--i],
					  &found, error));
		if (found && i + 1 < path->count && array == object)
			HP_TRY(hp_step_element_key(&p->look, p->arena, from,
						   object, &path->steps[i + 1],
						   error));
		array = from;
	}
	HP_TRY(find_root(p, path, error));
	return find_loader(p, path, error);
}

static uint64_t next_of_array(void *state)
{
	const uint64_t **at = state;

	return *(*at)++;
}

enum hprof_status hp_root_paths_make(struct hp_root_paths *p,
				     const uint64_t *objects, size_t count,
				     struct hprof_path *path,
				     struct hprof_error *error)
{
	return hp_root_paths_walk(p, next_of_array, &objects, count, path,
				  error);
}
