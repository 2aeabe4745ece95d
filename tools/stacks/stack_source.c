/* SPDX-License-Identifier: MIT */
/*
 * stack_source.c - see stack_source.h.
 */
#include "tools/stacks/stack_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/record.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"

/* ---- profiles ------------------------------------------------------------ */

/* The last one with rows; what the old agent counts is counted from its start
 * on, so that it has all. */
static const struct hprof_profile_section *
last_section(const struct hprof_profile_table *profile, uint16_t tag)
{
	for (size_t i = profile->count; i > 0; i--)
		if (profile->sections[i - 1].tag == tag &&
		    profile->sections[i - 1].row_count > 0)
			return &profile->sections[i - 1];
	return NULL;
}

enum stack_weight
stack_weight_default(const struct hprof_profile_table *profile)
{
	if (last_section(profile, HPROF_CPU_SAMPLES))
		return STACK_SAMPLES;
	if (last_section(profile, HPROF_ALLOC_SITES))
		return STACK_LIVE_BYTES;
	return STACK_RETAINED;
}

static void add_samples(struct stack_tree *tree,
			const struct hprof_profile_section *section)
{
	tree->title = "CPU samples";
	tree->measure_count = 1;
	tree->measures[0] = (struct stack_measure){ "samples", "count" };
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		uint32_t node = stack_tree_stack(tree, row->frames,
						 row->frame_count, NULL);

		tree->nodes[node].self[0] += row->samples;
	}
}

/* In the order of enum stack_weight, from STACK_LIVE_BYTES on. */
static void add_sites(struct stack_tree *tree,
		      const struct hprof_profile_section *section)
{
	static const struct stack_measure measures[] = {
		{ "inuse_space", "bytes" },
		{ "inuse_objects", "count" },
		{ "alloc_space", "bytes" },
		{ "alloc_objects", "count" },
	};

	tree->measure_count = sizeof(measures) / sizeof(*measures);
	memcpy(tree->measures, measures, sizeof(measures));
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		uint32_t node = stack_tree_stack(
			tree, row->frames, row->frame_count,
			row->class_name ? row->class_name : "<Unknown Class>");
		uint64_t *self = tree->nodes[node].self;

		self[0] += row->live_bytes;
		self[1] += row->live_instances;
		self[2] += row->allocated_bytes;
		self[3] += row->allocated_instances;
	}
}

bool stack_source_profile(struct stack_tree *tree,
			  const struct hprof_profile_table *profile,
			  enum stack_weight weight, size_t *ret_measure)
{
	static const char *const titles[] = {
		"Live bytes by allocation site",
		"Live objects by allocation site",
		"Allocated bytes by allocation site",
		"Allocated objects by allocation site",
	};
	const struct hprof_profile_section *section;

	assert(weight != STACK_RETAINED);
	section = last_section(profile, weight == STACK_SAMPLES
						? HPROF_CPU_SAMPLES
						: HPROF_ALLOC_SITES);
	if (!section)
		return false;
	*ret_measure = 0;
	if (weight == STACK_SAMPLES) {
		add_samples(tree, section);
	} else {
		*ret_measure = (size_t)(weight - STACK_LIVE_BYTES);
		tree->title = titles[*ret_measure];
		add_sites(tree, section);
	}
	stack_tree_sum(tree);
	return true;
}

/* ---- allocations --------------------------------------------------------- */

void stack_source_allocations(struct stack_tree *tree,
			      const struct hprof_allocation_table *sites)
{
	tree->title = "Live bytes by where they were allocated";
	tree->measure_count = 2;
	tree->measures[0] = (struct stack_measure){ "inuse_space", "bytes" };
	tree->measures[1] = (struct stack_measure){ "inuse_objects", "count" };
	for (size_t i = 0; i < sites->count; i++) {
		const struct hprof_allocation *site = &sites->rows[i];
		uint32_t node =
			stack_tree_stack(tree, site->frames, site->frame_count,
					 site->class_name ? site->class_name
							  : "<Unknown Class>");

		tree->nodes[node].self[0] += site->shallow;
		tree->nodes[node].self[1] += site->objects;
	}
	stack_tree_sum(tree);
}

/* ---- dominators ---------------------------------------------------------- */

enum { NO_NODE = 0 };
#define NO_FUNCTION UINT32_MAX
/* Beyond it, objects count for what dominates them. */
#define NODES_MOST (1u << 20)

struct dominators {
	struct stack_tree *tree;
	const struct hprof_graph *graph;
	const struct hprof_summary *summary;
	const struct stack_groups *groups;
	uint32_t *functions; /* two for each class: instances, class object */
	uint32_t *nodes;     /* of each object, NO_NODE: not yet */
};

static char *name_of_class(const struct dominators *d, size_t row,
			   bool is_class)
{
	const struct hprof_summary *summary = d->summary;

	return describe_kind(row < summary->class_count
				     ? summary->class_rows[row].name
				     : NULL,
			     is_class);
}

static uint32_t function_of(const struct dominators *d, uint64_t object)
{
	bool is_class = false;
	size_t row = hprof_graph_class_row(d->graph, object, &is_class);
	uint32_t *function = &d->functions[2 * row + is_class];
	char *name;

	if (*function == NO_FUNCTION) {
		name = d->groups
			       ? d->groups->name(d->groups->user, row, is_class)
			       : name_of_class(d, row, is_class);
		*function = stack_tree_function(d->tree, name, NULL);
		free(name);
	}
	return *function;
}

/* The node of an object whose dominator, if it has any, has one. */
static uint32_t node_below(const struct dominators *d, uint64_t object)
{
	uint64_t dominator = hprof_graph_dominator(d->graph, object);
	uint32_t function = function_of(d, object), parent = 0;

	if (dominator != HPROF_NO_OBJECT) {
		parent = d->nodes[dominator];
		/* Of a list, say, each dominates the next. */
		if (d->tree->nodes[parent].function == function ||
		    d->tree->count >= NODES_MOST)
			return parent;
	}
	return stack_tree_child(d->tree, parent, function, 0);
}

/* Gives OBJECT its node, and before that all that dominate it theirs. */
static void find_node_of(const struct dominators *d, uint64_t object,
			 uint64_t **chain, size_t *room)
{
	size_t depth = 0;

	for (uint64_t at = object;
	     at != HPROF_NO_OBJECT && d->nodes[at] == NO_NODE;
	     at = hprof_graph_dominator(d->graph, at)) {
		if (depth == *room) {
			*room = *room ? *room * 2 : 256;
			*chain = cli_realloc(*chain, *room, sizeof(**chain));
		}
		(*chain)[depth++] = at;
	}
	for (; depth > 0; depth--)
		d->nodes[(*chain)[depth - 1]] =
			node_below(d, (*chain)[depth - 1]);
}

static void add_objects(const struct dominators *d, uint64_t count)
{
	uint64_t *chain = NULL;
	size_t room = 0;

	for (uint64_t i = 0; i < count; i++) {
		struct stack_node *node;

		if (!hprof_graph_is_reachable(d->graph, i))
			continue;
		find_node_of(d, i, &chain, &room);
		node = &d->tree->nodes[d->nodes[i]];
		node->self[0] += hprof_graph_shallow(d->graph, i);
		node->self[1]++;
	}
	free(chain);
}

void stack_source_dominators(struct stack_tree *tree,
			     const struct hprof_graph *graph,
			     const struct stack_groups *groups)
{
	const struct hprof_heap *heap = hprof_graph_heap(graph);
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	const size_t count = (size_t)hprof_heap_count(heap);
	const size_t kinds = 2 * (summary->class_count + 1);
	struct dominators d = {
		.tree = tree,
		.graph = graph,
		.summary = summary,
		.groups = groups,
		.functions = cli_calloc(kinds, sizeof(*d.functions)),
		.nodes = cli_calloc(count + 1, sizeof(*d.nodes)),
	};

	for (size_t i = 0; i < kinds; i++)
		d.functions[i] = NO_FUNCTION;
	tree->title = "Retained bytes by dominators";
	tree->measure_count = 2;
	tree->measures[0] = (struct stack_measure){ "space", "bytes" };
	tree->measures[1] = (struct stack_measure){ "objects", "count" };
	add_objects(&d, count);
	stack_tree_sum(tree);
	free(d.functions);
	free(d.nodes);
}
