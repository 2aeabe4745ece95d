/* SPDX-License-Identifier: MIT */
/*
 * stack_source.h - the weighted stacks in a dump that an agent measured: CPU
 * samples, allocation sites. Those of its objects are in dominator_stacks.h.
 */
#ifndef TOOLS_STACK_SOURCE_H
#define TOOLS_STACK_SOURCE_H

#include <hprof/retained.h>

#include "tools/stacks/stack_tree.h"

enum stack_weight {
	STACK_SAMPLES,
	STACK_LIVE_BYTES,
	STACK_LIVE_OBJECTS,
	STACK_ALLOCATED_BYTES,
	STACK_ALLOCATED_OBJECTS,
	STACK_RETAINED
};

/* As CLI_CHOICE has it: in the order of the enum. */
#define STACK_WEIGHTS \
	"samples|live-bytes|live-objects|allocated-bytes|allocated-objects|" \
	"retained"

/* What a dump has without being asked: samples, else sites, else its heap. */
enum stack_weight
stack_weight_default(const struct hprof_profile_table *profile);

/*
 * Adds the stacks of the last section that WEIGHT is about, with all values that
 * it has. *RET_MEASURE is the one that WEIGHT names. Returns false if the dump
 * has no such section. Not for STACK_RETAINED.
 */
bool stack_source_profile(struct stack_tree *tree,
			  const struct hprof_profile_table *profile,
			  enum stack_weight weight, size_t *ret_measure);

/*
 * The same of a profile that was taken, but in which nothing was seen: a tree without
 * stacks. False if it was not taken.
 */
bool stack_source_empty(struct stack_tree *tree,
			const struct hprof_profile_table *profile,
			enum stack_weight weight, size_t *ret_measure);

/* Live bytes and objects by where they were allocated. */
void stack_source_allocations(struct stack_tree *tree,
			      const struct hprof_allocation_table *sites);

#endif
