/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.c - see stack_tree.h.
 */
#include "tools/stacks/stack_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"

enum { SLOTS_FIRST = 1024 };

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = stack_mix(hash, (unsigned char)*text);
	return stack_mix(hash, 256);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- functions ----------------------------------------------------------- */

static uint64_t function_hash(const char *name, const char *file)
{
	return hash_text(hash_text(1, name), file);
}

/* Puts the numbers of COUNT things into twice as many slots as before. */
static uint32_t *grow_slots(uint32_t *slots, size_t *count)
{
	size_t wanted = *count ? *count * 2 : SLOTS_FIRST;

	free(slots);
	*count = wanted;
	return cli_calloc(wanted, sizeof(*slots));
}

static void place(uint32_t *slots, size_t count, uint64_t hash, uint32_t number)
{
	size_t at = (size_t)hash & (count - 1);

	while (slots[at])
		at = (at + 1) & (count - 1);
	slots[at] = number + 1;
}

static void add_function(struct stack_tree *tree, const char *name,
			 const char *file)
{
	if (tree->function_count == tree->function_room) {
		tree->function_room =
			tree->function_room ? tree->function_room * 2 : 256;
		tree->functions =
			cli_realloc(tree->functions, tree->function_room,
				    sizeof(*tree->functions));
	}
	tree->functions[tree->function_count++] = (struct stack_function){
		.name = cli_strdup(name),
		.file = file ? cli_strdup(file) : NULL,
	};
	if (tree->function_count * 2 <= tree->function_slot_count) {
		place(tree->function_slots, tree->function_slot_count,
		      function_hash(name, file),
		      (uint32_t)tree->function_count - 1);
		return;
	}
	tree->function_slots =
		grow_slots(tree->function_slots, &tree->function_slot_count);
	for (size_t i = 0; i < tree->function_count; i++)
		place(tree->function_slots, tree->function_slot_count,
		      function_hash(tree->functions[i].name,
				    tree->functions[i].file),
		      (uint32_t)i);
}

uint32_t stack_tree_function(struct stack_tree *tree, const char *name,
			     const char *file)
{
	const size_t mask = tree->function_slot_count - 1;
	size_t at = (size_t)function_hash(name, file) & mask;

	for (; tree->function_slots[at]; at = (at + 1) & mask) {
		uint32_t i = tree->function_slots[at] - 1;

		if (same_text(tree->functions[i].name, name) &&
		    same_text(tree->functions[i].file, file))
			return i;
	}
	add_function(tree, name, file);
	return (uint32_t)tree->function_count - 1;
}

/* ---- nodes --------------------------------------------------------------- */

static uint64_t node_hash(const struct stack_node *node)
{
	return stack_mix(stack_mix(stack_mix(7, node->parent), node->function),
			 (uint32_t)node->line);
}

static void add_node(struct stack_tree *tree, const struct stack_node *node)
{
	if (tree->count == UINT32_MAX - 1)
		cli_out_of_memory();
	if (tree->count == tree->node_room) {
		tree->node_room = tree->node_room ? tree->node_room * 2 : 256;
		tree->nodes = cli_realloc(tree->nodes, tree->node_room,
					  sizeof(*tree->nodes));
	}
	tree->nodes[tree->count++] = *node;
	if (tree->count * 2 <= tree->node_slot_count) {
		place(tree->node_slots, tree->node_slot_count, node_hash(node),
		      (uint32_t)tree->count - 1);
		return;
	}
	tree->node_slots = grow_slots(tree->node_slots, &tree->node_slot_count);
	for (size_t i = 1; i < tree->count; i++)
		place(tree->node_slots, tree->node_slot_count,
		      node_hash(&tree->nodes[i]), (uint32_t)i);
}

static uint32_t find_node(struct stack_tree *tree,
			  const struct stack_node *node)
{
	const size_t mask = tree->node_slot_count - 1;
	size_t at = (size_t)node_hash(node) & mask;

	for (; tree->node_slots[at]; at = (at + 1) & mask) {
		const struct stack_node *found =
			&tree->nodes[tree->node_slots[at] - 1];

		if (found->parent == node->parent &&
		    found->function == node->function &&
		    found->line == node->line)
			return tree->node_slots[at] - 1;
	}
	add_node(tree, node);
	return (uint32_t)tree->count - 1;
}

uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent,
			  uint32_t function, int32_t line)
{
	struct stack_node node = { .parent = parent, .function = function };

	assert(parent < tree->count);
	assert(function < tree->function_count);
	if (tree->nodes[parent].depth == STACK_DEEPEST)
		return parent;
	node.depth = tree->nodes[parent].depth + 1;
	if (node.depth == STACK_DEEPEST) {
		node.function = stack_tree_function(tree, "(deeper)", NULL);
		line = 0;
	}
	node.line = tree->lines && line > 0 ? line : 0;
	return find_node(tree, &node);
}

uint32_t stack_tree_node(struct stack_tree *tree, uint32_t parent,
			 const char *name, const char *file, int32_t line)
{
	return stack_tree_child(tree, parent,
				stack_tree_function(tree, name, file), line);
}

/*
 * A copy of TEXT, or of its beginning and dots. One long name may be that of very many
 * frames of different classes, of which each is a function with a text of its own.
 */
static char *copy_name(const char *text)
{
	size_t size = strnlen(text, STACK_NAME_MOST + 1);

	if (size <= STACK_NAME_MOST)
		return cli_strdup(text);
	/* Not within a character of UTF-8. */
	for (size = STACK_NAME_MOST; size && (text[size] & 0xC0) == 0x80;)
		size--;
	return describe_format("%.*s...", (int)size, text);
}

/* "Class.method" */
static uint32_t make_function(struct stack_tree *tree,
			      const struct hprof_stack_frame *frame)
{
	char *class_name = copy_name(frame->class_name ? frame->class_name
						       : "<Unknown Class>");
	char *method =
		copy_name(frame->method ? frame->method : "<Unknown Method>");
	char *source = frame->source ? copy_name(frame->source) : NULL;
	char *name = describe_format("%s.%s", class_name, method);
	uint32_t function = stack_tree_function(tree, name, source);

	free(class_name);
	free(method);
	free(source);
	free(name);
	return function;
}

static uint32_t put_frame(struct stack_tree *tree, uint32_t parent,
			  const struct hprof_stack_frame *frame)
{
	const struct stack_key key = { STACK_KEY_FRAME,
				       { frame->class_name, frame->method,
					 frame->source } };
	uint32_t *function = stack_known_find(&tree->known, &key);

	if (*function == STACK_NEW)
		*function = make_function(tree, frame);
	return stack_tree_child(tree, parent, *function, frame->line);
}

static uint32_t put_what(struct stack_tree *tree, uint32_t parent,
			 const char *what)
{
	const struct stack_key key = { STACK_KEY_NAME, { what } };
	uint32_t *function = stack_known_find(&tree->known, &key);

	if (*function == STACK_NEW)
		*function = stack_tree_function(tree, what, NULL);
	return stack_tree_child(tree, parent, *function, 0);
}

static uint32_t put_frames(struct stack_tree *tree,
			   const struct hprof_stack_frame *frames, size_t count)
{
	uint32_t node = 0;

	if (count == 0)
		node = stack_tree_node(tree, node, "(no stack)", NULL, 0);
	/* Where it is deepest, the rest is in the last frame. */
	for (size_t i = count; i > 0 && tree->nodes[node].depth < STACK_DEEPEST;
	     i--)
		node = put_frame(tree, node, &frames[i - 1]);
	return node;
}

uint32_t stack_tree_stack(struct stack_tree *tree,
			  const struct hprof_stack_frame *frames, size_t count,
			  const char *what)
{
	const struct stack_key key = { STACK_KEY_STACK, { frames } };
	uint32_t node =
		count ? *stack_known_find(&tree->known, &key) : STACK_NEW;

	if (node == STACK_NEW) {
		node = put_frames(tree, frames, count);
		/* The frames have been put there as well. */
		if (count)
			*stack_known_find(&tree->known, &key) = node;
	}
	return what ? put_what(tree, node, what) : node;
}

void stack_tree_sum(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		memcpy(tree->nodes[i].total, tree->nodes[i].self,
		       sizeof(tree->nodes[i].total));
	for (size_t i = tree->count; i > 1; i--) {
		const struct stack_node *node = &tree->nodes[i - 1];
		struct stack_node *parent = &tree->nodes[node->parent];

		assert(node->parent < i - 1);
		for (size_t v = 0; v < tree->measure_count; v++)
			parent->total[v] += node->total[v];
	}
}

/* ---- what functions weigh ------------------------------------------------- */

static void weigh_node(const struct stack_tree *tree, size_t measure, size_t i,
		       uint32_t *within, struct stack_weighed *rows)
{
	const struct stack_node *node = &tree->nodes[i];
	struct stack_weighed *row = &rows[node->function];

	row->self += node->self[measure];
	if (within[node->function]++ == 0)
		row->total += node->total[measure];
}

/* NODE and those above it of which it is the last one; returns the next, or 0. */
static uint32_t leave_nodes(const struct stack_tree *tree, uint32_t node,
			    const uint32_t *before, uint32_t *within)
{
	for (; node; node = tree->nodes[node].parent) {
		within[tree->nodes[node].function]--;
		if (before[node])
			return before[node];
	}
	return 0;
}

/*
 * Along all stacks: WITHIN has how often each function is in that of the node. A
 * node has one child, the last, and each child the one before it.
 */
void stack_tree_weigh(const struct stack_tree *tree, size_t measure,
		      struct stack_weighed *rows)
{
	uint32_t *child = cli_calloc(tree->count, sizeof(*child));
	uint32_t *before = cli_calloc(tree->count, sizeof(*before));
	uint32_t *within =
		cli_calloc(tree->function_count + 1, sizeof(*within));

	for (size_t i = 0; i < tree->function_count; i++)
		rows[i] = (struct stack_weighed){ .function = (uint32_t)i };
	for (size_t i = 1; i < tree->count; i++) {
		before[i] = child[tree->nodes[i].parent];
		child[tree->nodes[i].parent] = (uint32_t)i;
	}
	for (uint32_t at = child[0]; at;) {
		weigh_node(tree, measure, at, within, rows);
		at = child[at] ? child[at]
			       : leave_nodes(tree, at, before, within);
	}
	free(child);
	free(before);
	free(within);
}

/* ---- parts of a tree ------------------------------------------------------ */

size_t stack_tree_path(const struct stack_tree *tree, uint32_t node,
		       uint32_t *path)
{
	size_t n = 0;

	for (; node != 0; node = tree->nodes[node].parent)
		path[n++] = node;
	return n;
}

static int compare_totals(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

uint64_t stack_tree_least(const struct stack_tree *tree, size_t measure,
			  size_t most)
{
	uint64_t least, *totals;

	if (tree->count <= most)
		return 1;
	totals = cli_calloc(tree->count, sizeof(*totals));
	for (size_t i = 0; i < tree->count; i++)
		totals[i] = tree->nodes[i].total[measure];
	qsort(totals, tree->count, sizeof(*totals), compare_totals);
	least = totals[most] + 1;
	free(totals);
	return least;
}

void stack_tree_init(struct stack_tree *tree, bool lines)
{
	*tree = (struct stack_tree){ .lines = lines };
	tree->node_slots = grow_slots(NULL, &tree->node_slot_count);
	tree->function_slots = grow_slots(NULL, &tree->function_slot_count);
	/* The root is found by nobody: it is not among the slots. */
	tree->node_room = 256;
	tree->nodes = cli_calloc(tree->node_room, sizeof(*tree->nodes));
	tree->count = 1;
}

void stack_tree_free(struct stack_tree *tree)
{
	for (size_t i = 0; i < tree->function_count; i++) {
		free(tree->functions[i].name);
		free(tree->functions[i].file);
	}
	free(tree->functions);
	free(tree->nodes);
	free(tree->node_slots);
	free(tree->function_slots);
	stack_known_done(&tree->known);
}
