/* SPDX-License-Identifier: MIT */
/* leak_crowd_list.c - the list of crowds, which grows; see leak_crowds.h. */
#include "leaks/leak_crowds.h"

#include "base/error.h"
#include "base/mem.h"
#include "graph/dominator_tree.h"

struct hp_leak_crowd *hp_leak_crowds_add(struct hp_leak_crowds *crowds)
{
	struct hp_leak_crowd *crowd;

	if (hp_grow((void **)&crowds->items, &crowds->room, crowds->count,
		    sizeof *crowds->items) != HPROF_OK)
		return NULL;
	crowd = &crowds->items[crowds->count++];
	*crowd = (struct hp_leak_crowd){ .member = HP_NO_NODE,
					 .suspect = SIZE_MAX };
	return crowd;
}

enum hprof_status hp_leak_crowd_add_node(struct hp_leak_crowd *crowd,
					 uint64_t node, size_t member)
{
	HP_TRY(hp_grow((void **)&crowd->nodes, &crowd->room, crowd->count,
		       sizeof *crowd->nodes));
	crowd->nodes[crowd->count++] =
		(struct hp_crowd_node){ (uint32_t)node, (uint32_t)member };
	return HPROF_OK;
}

void hp_leak_crowds_done(struct hp_leak_crowds *crowds)
{
	for (size_t i = 0; i < crowds->count; i++) {
		hp_free(crowds->items[i].nodes);
		hp_free(crowds->items[i].among);
	}
	hp_free(crowds->items);
	*crowds = (struct hp_leak_crowds){ NULL, 0, 0 };
}
