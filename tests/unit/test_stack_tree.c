/* SPDX-License-Identifier: MIT */
/*
 * test_stack_tree.c - merged stacks: equal ones are one node, deep ones end.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/stacks/stack_tree.h"

static const struct hprof_stack_frame frames[] = {
	{ "A", "inner", "()V", "A.java", 10 },
	{ "A", "outer", "()V", "A.java", 20 },
};

Test(stack_tree, equal_stacks_are_one)
{
	struct hprof_stack_frame other[] = { frames[0], frames[1] };
	struct stack_tree tree;
	uint32_t first, path[STACK_DEEPEST + 1];

	stack_tree_init(&tree, false);
	tree.measure_count = 1;
	first = stack_tree_stack(&tree, frames, 2, NULL);
	tree.nodes[first].self[0] = 3;
	other[0].line = 11;
	cr_assert_eq(stack_tree_stack(&tree, other, 2, NULL), first);
	cr_assert_neq(stack_tree_stack(&tree, frames, 2, "int[]"), first);
	cr_assert_eq(tree.count, 4);
	stack_tree_sum(&tree);
	cr_assert_eq(tree.nodes[0].total[0], 3);
	cr_assert_eq(stack_tree_path(&tree, first, path), 2);
	cr_assert_str_eq(tree.functions[tree.nodes[path[1]].function].name,
			 "A.outer");
	stack_tree_free(&tree);
}

Test(stack_tree, lines)
{
	struct hprof_stack_frame other[] = { frames[0], frames[1] };
	struct stack_tree tree;

	stack_tree_init(&tree, true);
	other[0].line = 11;
	cr_assert_neq(stack_tree_stack(&tree, frames, 2, NULL),
		      stack_tree_stack(&tree, other, 2, NULL));
	cr_assert_eq(tree.function_count, 2);
	stack_tree_free(&tree);
}

/* Thousands of nodes and functions, found again after the slots grew. */
Test(stack_tree, many)
{
	struct stack_tree tree;
	uint32_t nodes[5000];
	char name[16];

	stack_tree_init(&tree, false);
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 5000; i++) {
			uint32_t node;

			snprintf(name, sizeof name, "f%u", i);
			node = stack_tree_node(&tree, 0, name, NULL, 0);
			if (round == 0)
				nodes[i] = node;
			cr_assert_eq(node, nodes[i]);
		}
	cr_assert_eq(tree.count, 5001);
	stack_tree_free(&tree);
}

Test(stack_tree, deep)
{
	static struct hprof_stack_frame deep[3 * STACK_DEEPEST];
	uint32_t path[STACK_DEEPEST + 1], node;
	struct stack_tree tree;

	for (size_t i = 0; i < 3 * STACK_DEEPEST; i++)
		deep[i] = frames[i % 2];
	stack_tree_init(&tree, false);
	node = stack_tree_stack(&tree, deep, 3 * STACK_DEEPEST, "int[]");
	cr_assert_eq(stack_tree_path(&tree, node, path), STACK_DEEPEST);
	cr_assert_str_eq(tree.functions[tree.nodes[node].function].name,
			 "(deeper)");
	stack_tree_free(&tree);
}

/* Frames that are in no node are not looked at. */
Test(stack_tree, frames_beyond_the_deepest)
{
	static struct hprof_stack_frame deep[3 * STACK_DEEPEST];
	static char names[3 * STACK_DEEPEST][8];
	struct stack_tree tree;

	for (size_t i = 0; i < 3 * STACK_DEEPEST; i++) {
		snprintf(names[i], sizeof names[i], "m%zu", i);
		deep[i] = frames[0];
		deep[i].method = names[i];
	}
	stack_tree_init(&tree, false);
	stack_tree_stack(&tree, deep, 3 * STACK_DEEPEST, NULL);
	cr_assert_eq(tree.count, STACK_DEEPEST + 1);
	cr_assert_eq(tree.function_count, STACK_DEEPEST + 1,
		     "with that of the rest");
	stack_tree_free(&tree);
}

/* What stays where it is is read once, however many samples have it. */
Test(stack_tree, known_stacks_are_not_read_again)
{
	struct hprof_stack_frame some[] = { frames[0], frames[1] };
	char what[] = "int[]";
	struct stack_tree tree;
	uint32_t first, array;

	stack_tree_init(&tree, false);
	first = stack_tree_stack(&tree, some, 2, NULL);
	array = stack_tree_stack(&tree, some, 2, what);
	some[0].method = some[1].method = "other";
	what[0] = '_';
	cr_assert_eq(stack_tree_stack(&tree, some, 2, NULL), first);
	cr_assert_eq(stack_tree_stack(&tree, some, 2, what), array);
	cr_assert_eq(tree.count, 4);
	cr_assert_eq(tree.function_count, 3);
	/* None has no address to be found by. */
	first = stack_tree_stack(&tree, NULL, 0, NULL);
	cr_assert_eq(stack_tree_stack(&tree, NULL, 0, NULL), first);
	stack_tree_free(&tree);
}

/* Of names that no compiler makes the beginning is enough, in whole characters. */
Test(stack_tree, long_names)
{
	enum { LONG = 1 << 20 };
	static char method[LONG], class_name[LONG];
	struct hprof_stack_frame frame = frames[0];
	const struct stack_function *f;
	struct stack_tree tree;
	uint32_t node;

	memset(method, 'm', LONG - 1);
	memset(class_name, 'c', LONG - 1);
	memcpy(method + STACK_NAME_MOST - 1, "\xc3\xa9", 2);
	frame.method = frame.source = method;
	frame.class_name = class_name;
	stack_tree_init(&tree, false);
	node = stack_tree_stack(&tree, &frame, 1, NULL);
	f = &tree.functions[tree.nodes[node].function];
	cr_assert_eq(strlen(f->name),
		     STACK_NAME_MOST + 3 + 1 + STACK_NAME_MOST - 1 + 3);
	cr_assert_eq(strncmp(f->name + STACK_NAME_MOST - 1, "c....mm", 7), 0);
	cr_assert_str_eq(f->name + strlen(f->name) - 5, "mm...");
	cr_assert_eq(strlen(f->file), STACK_NAME_MOST - 1 + 3);
	stack_tree_free(&tree);
}

/* More of them than there were slots. */
Test(stack_tree, many_known_stacks)
{
	enum { MANY = 1000 };
	static struct hprof_stack_frame many[MANY];
	static char names[MANY][8];
	static uint32_t nodes[MANY];
	struct stack_tree tree;

	stack_tree_init(&tree, false);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < MANY; i++) {
			uint32_t node;

			snprintf(names[i], sizeof names[i], "m%zu", i);
			many[i].method = names[i];
			node = stack_tree_stack(&tree, &many[i], 1, NULL);
			if (round == 0)
				nodes[i] = node;
			cr_assert_eq(node, nodes[i]);
		}
	cr_assert_eq(tree.count, MANY + 1);
	stack_tree_free(&tree);
}

static uint32_t put(struct stack_tree *tree, uint32_t parent, const char *name,
		    uint64_t self)
{
	uint32_t node = stack_tree_node(tree, parent, name, NULL, 0);

	tree->nodes[node].self[0] += self;
	return node;
}

/* Of a function that calls itself, also by way of another, a stack counts once. */
Test(stack_tree, weigh)
{
	struct stack_tree tree;
	struct stack_weighed rows[3];
	uint32_t a, b;

	stack_tree_init(&tree, false);
	tree.measure_count = 1;
	a = put(&tree, 0, "a", 1);
	b = put(&tree, a, "b", 2);
	put(&tree, put(&tree, b, "a", 4), "a", 8);
	put(&tree, a, "c", 16);
	put(&tree, put(&tree, 0, "c", 32), "b", 64);
	stack_tree_sum(&tree);
	stack_tree_weigh(&tree, 0, rows);
	for (uint32_t i = 0; i < 3; i++)
		cr_assert_eq(rows[i].function, i);
	cr_assert_str_eq(tree.functions[0].name, "a");
	cr_assert_eq(rows[0].self, 13);
	cr_assert_eq(rows[0].total, 31);
	cr_assert_str_eq(tree.functions[1].name, "b");
	cr_assert_eq(rows[1].self, 66);
	cr_assert_eq(rows[1].total, 78);
	cr_assert_eq(rows[2].self, 48);
	cr_assert_eq(rows[2].total, 112);
	stack_tree_free(&tree);
}

Test(stack_tree, weigh_nothing)
{
	struct stack_tree tree;
	struct stack_weighed row;

	stack_tree_init(&tree, false);
	tree.measure_count = 1;
	stack_tree_sum(&tree);
	stack_tree_weigh(&tree, 0, &row);
	stack_tree_free(&tree);
}
