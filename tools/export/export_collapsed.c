/* SPDX-License-Identifier: MIT */
/*
 * export_collapsed.c - collapsed stacks, as many tools for flame graphs read
 * them: a line for each stack, its frames from the outermost on, separated by
 * semicolons, then a blank and its weight.
 */
#include <stdlib.h>

#include "text/number_text.h"
#include "tools/export/export_stacks.h"

static enum hprof_status put_stack(struct hprof_output *output,
				   const struct stack_tree *tree, uint32_t node,
				   uint64_t weight, uint32_t *path)
{
	size_t count = stack_tree_path(tree, node, path), size;
	char number[NUMBER_TEXT_MAX];
	enum hprof_status status = HPROF_OK;

	for (size_t i = count; i > 0 && status == HPROF_OK; i--) {
		uint32_t function = tree->nodes[path[i - 1]].function;

		status = export_stacks_name(output,
					    tree->functions[function].name);
		if (status == HPROF_OK)
			status = hprof_output_write(output, i > 1 ? ";" : " ",
						    1);
	}
	size = number_text_unsigned(number, weight);
	number[size++] = '\n';
	return status == HPROF_OK ? hprof_output_write(output, number, size)
				  : status;
}

static enum hprof_status write_collapsed(struct hprof_output *output,
					 const struct export_stacks *stacks)
{
	const struct stack_tree *tree = &stacks->tree;
	uint32_t *path = cli_calloc(STACK_DEEPEST + 1, sizeof(*path));
	enum hprof_status status = HPROF_OK;

	for (size_t i = 1; i < tree->count && status == HPROF_OK; i++) {
		uint64_t weight = tree->nodes[i].self[stacks->measure];

		if (weight > 0)
			status = put_stack(output, tree, (uint32_t)i, weight,
					   path);
	}
	free(path);
	return status;
}

static int run_collapsed(struct export_job *job)
{
	return export_stacks_run(job, false, write_collapsed);
}

const struct export_form export_collapsed = {
	.name = "collapsed",
	.suffixes = ".collapsed .folded",
	.text = true,
	.packs = true,
	.run = run_collapsed,
};
