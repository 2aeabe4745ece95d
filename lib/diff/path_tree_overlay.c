/* SPDX-License-Identifier: MIT */
/*
 * path_tree_overlay.c - see path_tree_overlay.h.
 */
#include "diff/path_tree_overlay.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { ROOM_FIRST = 256 };

static enum hprof_status widen(uint64_t **table, size_t from, size_t to)
{
	uint64_t *larger = hp_realloc(*table, to, sizeof *larger);

	if (!larger)
		return HPROF_E_NOMEM;
	memset(larger + from, 0, (to - from) * sizeof *larger);
	*table = larger;
	return HPROF_OK;
}

static enum hprof_status make_room(struct hp_path_tree_overlay *o, size_t count)
{
	size_t room = o->room ? o->room : ROOM_FIRST;

	if (count <= o->room)
		return HPROF_OK;
	while (room < count)
		room *= 2;
	HP_TRY(widen(&o->objects, o->room * o->sides, room * o->sides));
	HP_TRY(widen(&o->shallow, o->room * o->sides, room * o->sides));
	o->room = room;
	return HPROF_OK;
}

static enum hprof_status take_text(struct hp_path_tree_overlay *o,
				   const char *text, uint32_t *ret)
{
	*ret = text ? hp_path_text(&o->nodes, text, strlen(text)) : 0;
	return text && !*ret ? HPROF_E_NOMEM : HPROF_OK;
}

static enum hprof_status take_node(struct hp_path_tree_overlay *o,
				   const struct hprof_path_node *from,
				   size_t side, const uint32_t *place_of,
				   uint32_t *ret)
{
	struct hp_path_key key = {
		.parent = from->parent == SIZE_MAX ? HP_NO_NODE_YET
						   : place_of[from->parent],
		.edge = (uint8_t)from->edge,
		.kind = (uint8_t)from->kind,
		.root = (uint16_t)from->root,
	};

	HP_TRY(take_text(o, from->field, &key.field));
	HP_TRY(take_text(o, from->class_name, &key.class_name));
	*ret = hp_path_node(&o->nodes, &key);
	if (*ret == HP_NO_NODE_YET)
		return HPROF_E_NOMEM;
	HP_TRY(make_room(o, o->nodes.count));
	hp_path_tree_overlay_objects(o, *ret)[side] += from->objects;
	hp_path_tree_overlay_shallow(o, *ret)[side] += from->shallow;
	return HPROF_OK;
}

static enum hprof_status take_tree(struct hp_path_tree_overlay *o,
				   const struct hprof_path_tree *tree,
				   size_t side)
{
	uint32_t *place_of = hp_calloc(tree->count + 1, sizeof *place_of);
	enum hprof_status status = place_of ? HPROF_OK : HPROF_E_NOMEM;

	for (size_t i = 0; status == HPROF_OK && i < tree->count; i++)
		status = take_node(o, &tree->nodes[i], side, place_of,
				   &place_of[i]);
	hp_free(place_of);
	return status;
}

enum hprof_status
hp_path_tree_overlay_make(struct hp_path_tree_overlay *o,
			  const struct hprof_path_tree *const *trees,
			  size_t count)
{
	*o = (struct hp_path_tree_overlay){ .sides = count };
	HP_TRY(hp_path_nodes_init(&o->nodes));
	for (size_t i = 0; i < count; i++)
		HP_TRY(take_tree(o, trees[i], i));
	return HPROF_OK;
}

void hp_path_tree_overlay_drop_shallow(struct hp_path_tree_overlay *o)
{
	hp_free(o->shallow);
	o->shallow = NULL;
}

void hp_path_tree_overlay_done(struct hp_path_tree_overlay *o)
{
	hp_path_nodes_done(&o->nodes);
	hp_free(o->objects);
	hp_free(o->shallow);
}
