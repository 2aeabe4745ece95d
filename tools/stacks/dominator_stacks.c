/* SPDX-License-Identifier: MIT */
/*
 * dominator_stacks.c - see dominator_stacks.h. Frames are of one kind of objects,
 * or of several; so each tree that is wanted follows from that of kinds, which is
 * small, and not from the objects.
 */
#include "tools/stacks/dominator_stacks.h"

#include <assert.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"

#define NO_FUNCTION UINT32_MAX

static char *name_of_class(const struct hprof_summary *summary, size_t row,
			   bool is_class)
{
	return describe_kind(row < summary->class_count
				     ? summary->class_rows[row].name
				     : NULL,
			     is_class);
}

static uint32_t function_of(const struct dominator_stacks *wanted,
			    const struct hprof_summary *summary,
			    const struct hprof_dominator_kind *kind)
{
	char *name = wanted->name ? wanted->name(wanted->user, kind->class_row,
						 kind->is_class)
				  : name_of_class(summary, kind->class_row,
						  kind->is_class);
	uint32_t function = stack_tree_function(wanted->tree, name, NULL);

	free(name);
	return function;
}

/* FUNCTIONS and NODES have room for all kinds and all rows. */
static void add_kinds(const struct dominator_stacks *wanted,
		      const struct hprof_summary *summary,
		      const struct hprof_dominator_kinds *kinds,
		      uint32_t *functions, uint32_t *nodes)
{
	struct stack_tree *tree = wanted->tree;

	nodes[0] = 0;
	for (size_t i = 1; i < kinds->count; i++) {
		const struct hprof_dominator_kind *kind = &kinds->rows[i];
		uint32_t *function =
			&functions[2 * kind->class_row + kind->is_class];
		uint32_t parent = nodes[kind->parent];

		assert(kind->parent < i);
		if (*function == NO_FUNCTION)
			*function = function_of(wanted, summary, kind);
		nodes[i] =
			parent && tree->nodes[parent].function == *function
				? parent
				: stack_tree_child(tree, parent, *function, 0);
		tree->nodes[nodes[i]].self[0] += kind->shallow;
		tree->nodes[nodes[i]].self[1] += kind->objects;
	}
}

void dominator_stacks_make(const struct dominator_stacks *wanted,
			   const struct hprof_summary *summary,
			   const struct hprof_dominator_kinds *kinds)
{
	const size_t kind_count = 2 * (summary->class_count + 1);
	struct stack_tree *tree = wanted->tree;
	uint32_t *functions = cli_calloc(kind_count, sizeof(*functions));
	uint32_t *nodes = cli_calloc(kinds->count, sizeof(*nodes));

	for (size_t i = 0; i < kind_count; i++)
		functions[i] = NO_FUNCTION;
	tree->title = "Retained bytes by dominators";
	tree->measure_count = 2;
	tree->measures[0] = (struct stack_measure){ "space", "bytes" };
	tree->measures[1] = (struct stack_measure){ "objects", "count" };
	add_kinds(wanted, summary, kinds, functions, nodes);
	stack_tree_sum(tree);
	free(functions);
	free(nodes);
}
