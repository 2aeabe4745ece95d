/* SPDX-License-Identifier: MIT */
/*
 * stack_tree.h - weighted stacks, merged: what collapsed stacks, pprof and
 * flame graphs are made of.
 *
 * A node is a frame below its callers; equal stacks are one node. Node 0 is the
 * root, without a frame. Names are UTF-8, not escaped. A tree belongs to its
 * caller; memory that runs out ends the program.
 */
#ifndef TOOLS_STACK_TREE_H
#define TOOLS_STACK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof/report.h>

#include "tools/stacks/stack_known.h"

enum {
	STACK_VALUES = 4,
	/* Deeper stacks end in one frame that stands for the rest. */
	STACK_DEEPEST = 1024,
	/* Bytes; of longer names of classes, methods and files there is the beginning. */
	STACK_NAME_MOST = 1000
};

/* What is counted, in pprof's words: "inuse_space" in "bytes". */
struct stack_measure {
	const char *type, *unit;
};

struct stack_function {
	char *name; /* Class.method */
	char *file; /* NULL: not known */
};

struct stack_node {
	uint32_t parent;   /* less than its own number */
	uint32_t function; /* not of the root */
	int32_t line;	   /* 0: not known, or not told apart */
	uint32_t depth;	   /* 0: the root */
	uint64_t self[STACK_VALUES];
	uint64_t total[STACK_VALUES]; /* filled by stack_tree_sum */
};

struct stack_tree {
	bool lines; /* frames of a method differ by their line */
	size_t measure_count;
	struct stack_measure measures[STACK_VALUES];
	const char *title; /* what the stacks are of, for people */

	size_t count, function_count;
	struct stack_node *nodes;
	struct stack_function *functions;

	/* Open addressing; 0: free, else a number plus 1. */
	uint32_t *node_slots, *function_slots;
	size_t node_slot_count, function_slot_count;
	size_t node_room, function_room;
	struct stack_known known;
};

void stack_tree_init(struct stack_tree *tree, bool lines);
void stack_tree_free(struct stack_tree *tree);

/*
 * The node of a frame below PARENT, which is made if it is new. FILE may be
 * NULL.
 */
uint32_t stack_tree_node(struct stack_tree *tree, uint32_t parent,
			 const char *name, const char *file, int32_t line);

/* The same in two steps, for functions that have many nodes. */
uint32_t stack_tree_function(struct stack_tree *tree, const char *name,
			     const char *file);
uint32_t stack_tree_child(struct stack_tree *tree, uint32_t parent,
			  uint32_t function, int32_t line);

/*
 * The node of a whole stack, the innermost frame first; above it, if WHAT is
 * not NULL, a frame of that name. FRAMES, their texts and WHAT stay as they are until
 * the tree is freed: what was there before is found by its address, for a file may
 * name a long stack, or a long name, very often.
 */
uint32_t stack_tree_stack(struct stack_tree *tree,
			  const struct hprof_stack_frame *frames, size_t count,
			  const char *what);

/* Computes the totals, once all stacks are there. */
void stack_tree_sum(struct stack_tree *tree);

/* What a function weighs, wherever it is. */
struct stack_weighed {
	uint32_t function;
	uint64_t total; /* of stacks that it is in: once, if it calls itself */
	uint64_t self;
};

/* Fills ROWS, one for each function, in the order of their numbers. */
void stack_tree_weigh(const struct stack_tree *tree, size_t measure,
		      struct stack_weighed *rows);

/*
 * The least total, at least 1, that a node needs to be among those shown, if
 * these are to be no more than MOST.
 */
uint64_t stack_tree_least(const struct stack_tree *tree, size_t measure,
			  size_t most);

/*
 * Fills PATH, of STACK_DEEPEST + 1, with the nodes from NODE to the outermost
 * frame; returns their number.
 */
size_t stack_tree_path(const struct stack_tree *tree, uint32_t node,
		       uint32_t *path);

#endif
