/* SPDX-License-Identifier: MIT */
/*
 * path_tree_overlay.c - see path_tree_overlay.h.
 */
#include "diff/path_tree_overlay.h"

#include <string.h>

#include "base/mem.h"

enum { ROOM_FIRST = 256 };

static int widen(uint64_t **table, size_t from, size_t to)
{
	uint64_t *larger = hp_realloc(*table, to, sizeof *larger);

	if (!larger)
		return -1;
	memset(larger + from, 0, (to - from) * sizeof *larger);
	*table = larger;
	return 0;
}

static int make_room(struct hp_path_tree_overlay *o, size_t count)
{
	size_t room = o->room ? o->room : ROOM_FIRST;

	if (count <= o->room)
		return 0;
	while (room < count)
		room *= 2;
	if (widen(&o->objects, o->room * o->sides, room * o->sides) != 0 ||
	    widen(&o->shallow, o->room * o->sides, room * o->sides) != 0)
		return -1;
	o->room = room;
	return 0;
}

static int take_text(struct hp_path_tree_overlay *o, const char *text,
		     uint32_t *ret)
{
	*ret = text ? hp_path_text(&o->nodes, text, strlen(text)) : 0;
	return text && !*ret ? -1 : 0;
}

static int take_node(struct hp_path_tree_overlay *o,
		     const struct hprof_path_node *from, size_t side,
		     const uint32_t *place_of, uint32_t *ret)
{
	struct hp_path_key key = {
		.parent = from->parent == SIZE_MAX ? HP_NO_NODE_YET
						   : place_of[from->parent],
		.edge = (uint8_t)from->edge,
		.kind = (uint8_t)from->kind,
		.root = (uint16_t)from->root,
	};

	if (take_text(o, from->field, &key.field) != 0 ||
	    take_text(o, from->class_name, &key.class_name) != 0)
		return -1;
	*ret = hp_path_node(&o->nodes, &key);
	if (*ret == HP_NO_NODE_YET || make_room(o, o->nodes.count) != 0)
		return -1;
	hp_path_tree_overlay_objects(o, *ret)[side] += from->objects;
	hp_path_tree_overlay_shallow(o, *ret)[side] += from->shallow;
	return 0;
}

static int take_tree(struct hp_path_tree_overlay *o,
		     const struct hprof_path_tree *tree, size_t side)
{
	uint32_t *place_of = hp_calloc(tree->count + 1, sizeof *place_of);
	int failed = place_of ? 0 : -1;

	for (size_t i = 0; !failed && i < tree->count; i++)
		failed = take_node(o, &tree->nodes[i], side, place_of,
				   &place_of[i]);
	hp_free(place_of);
	return failed;
}

int hp_path_tree_overlay_make(struct hp_path_tree_overlay *o,
			      const struct hprof_path_tree *const *trees,
			      size_t count)
{
	*o = (struct hp_path_tree_overlay){ .sides = count };
	if (hp_path_nodes_init(&o->nodes) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (take_tree(o, trees[i], i) != 0)
			return -1;
	return 0;
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
