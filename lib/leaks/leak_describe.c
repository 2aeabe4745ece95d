/* SPDX-License-Identifier: MIT */
/*
 * leak_describe.c - what the dominator tree says of a suspect: its point and its owner,
 * what it holds, and its largest parts; and the paths that were found to it.
 */
#include "leaks/leak_report.h"

#include <string.h>

#include "base/error.h"
#include "leaks/leak_subject.h"

enum { PARTS = 5 };

static uint32_t kind_of(const struct hp_leaks *l, uint32_t node)
{
	return hp_graph_kind(l->look.graph, node);
}

/* ---- what a key stands for ----------------------------------------------- */

const char *hp_leaks_key_name(const struct hp_leaks *l, uint32_t key)
{
	return key == HP_NO_NODE
		       ? NULL
		       : hp_class_name(l->look.heap, hp_kind_row(key));
}

bool hp_leaks_key_is_class(uint32_t key)
{
	return key != HP_NO_NODE && hp_kind_is_class(key);
}

enum hprof_status hp_leaks_hold(struct hp_leaks *l, uint32_t node,
				struct hprof_object_info *ret,
				struct hprof_error *error)
{
	return hp_object_info_get(&l->look,
				  node == HP_NO_NODE ? HPROF_NO_OBJECT : node,
				  ret, error);
}

/* ---- with the tree ------------------------------------------------------- */

static enum hprof_status find_owner(struct hp_leaks *l, uint32_t node,
				    struct hprof_leak *leak,
				    struct hprof_error *error)
{
	while (node != HP_NO_NODE &&
	       hp_class_is_runtime(hp_class_name(
		       l->look.heap, hp_kind_row(kind_of(l, node)))))
		node = hp_graph_dominator_node(l->look.graph, node);
	return hp_leaks_hold(l, node, &leak->owner, error);
}

void hp_leaks_find_items(struct hp_leaks *l, uint32_t node,
			 struct hprof_leak *leak)
{
	struct hp_largest_group group =
		hp_leak_search_largest_group(&l->search, node);

	leak->item_class = hp_leaks_key_name(l, group.key);
	leak->item_is_class = hp_leaks_key_is_class(group.key);
	leak->items = group.count;
	leak->item_retained = group.retained;
	leak->all_items = group.all;
}

/* Finds the children of NODE that retain most, at most PARTS. */
static size_t find_largest(const struct hp_leaks *l, uint32_t node,
			   uint32_t largest[PARTS])
{
	const struct hprof_graph *graph = l->look.graph;
	const uint32_t *end,
		*child = hp_leak_search_children(&l->search, node, &end);
	size_t count = 0;

	for (; child < end; child++) {
		uint64_t size = hprof_graph_retained(graph, *child);
		size_t i = count;

		while (i > 0 &&
		       hprof_graph_retained(graph, largest[i - 1]) < size)
			i--;
		if (i == PARTS)
			continue;
		count += count < PARTS;
		memmove(largest + i + 1, largest + i,
			(count - 1 - i) * sizeof *largest);
		largest[i] = *child;
	}
	return count;
}

/*
 * The fields of a program's object have names and hold different things; the
 * elements of an array are much alike.
 */
static enum hprof_status find_parts(struct hp_leaks *l, uint32_t node,
				    struct hprof_leak *leak,
				    struct hprof_error *error)
{
	uint32_t largest[PARTS];
	size_t count;

	if (leak->kind != HPROF_LEAK_POINT ||
	    (leak->point.kind != HPROF_OBJECT_INSTANCE &&
	     leak->point.kind != HPROF_OBJECT_CLASS))
		return HPROF_OK;
	count = find_largest(l, node, largest);
	leak->parts =
		hp_arena_take(&l->arena, (count + 1) * sizeof *leak->parts);
	if (!leak->parts)
		return hp_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct hprof_leak_part *part = &leak->parts[i];

		HP_TRY(hp_root_paths_step(&l->paths, node, largest[i],
					  &part->step, &part->direct, error));
		if (part->step.held.retained < leak->retained / 100)
			break;
		leak->part_count++;
	}
	return HPROF_OK;
}

static enum hprof_status describe_group(struct hp_leaks *l, size_t i,
					struct hprof_leak *leak,
					struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->search.suspects[i];

	leak->member_class = hp_leaks_key_name(l, suspect->key);
	leak->member_is_class = hp_leaks_key_is_class(suspect->key);
	leak->members = suspect->members;
	if (hp_members_take(&l->search, suspect, &l->members[i]) != HPROF_OK)
		return hp_no_memory(error);
	return hp_leaks_hold(l, suspect->largest, &leak->member, error);
}

enum hprof_status hp_leaks_describe(struct hp_leaks *l, size_t i,
				    struct hprof_leak *leak,
				    struct hprof_error *error)
{
	const struct hp_suspect *suspect = &l->search.suspects[i];
	bool is_group = suspect->kind == HPROF_LEAK_GROUP;

	*leak = (struct hprof_leak){ .kind = suspect->kind,
				     .retained = suspect->retained };
	leak->origin.object = leak->member.object = HPROF_NO_OBJECT;
	HP_TRY(hp_leaks_hold(l, suspect->point, &leak->point, error));
	HP_TRY(find_owner(l, is_group ? suspect->dominator : suspect->point,
			  leak, error));
	hp_leaks_find_items(l, suspect->point, leak);
	HP_TRY(find_parts(l, suspect->point, leak, error));
	return is_group ? describe_group(l, i, leak, error) : HPROF_OK;
}

/* ---- with paths ---------------------------------------------------------- */

enum hprof_status hp_leaks_take_paths(struct hp_leaks *l,
				      struct hprof_leak *leak,
				      const struct hp_path_set *set,
				      struct hprof_error *error)
{
	leak->paths = set->paths;
	leak->path_count = set->count;
	return hp_leak_subject_find(&l->look, leak, error);
}
