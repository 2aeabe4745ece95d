/* SPDX-License-Identifier: MIT */
/*
 * stack_source.c - see stack_source.h.
 */
#include "tools/stacks/stack_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/record.h>

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

static void add_section(struct stack_tree *tree,
			const struct hprof_profile_section *section,
			enum stack_weight weight, size_t *ret_measure)
{
	static const char *const titles[] = {
		"Live bytes by allocation site",
		"Live objects by allocation site",
		"Allocated bytes by allocation site",
		"Allocated objects by allocation site",
	};

	*ret_measure = 0;
	if (weight == STACK_SAMPLES) {
		add_samples(tree, section);
	} else {
		*ret_measure = (size_t)(weight - STACK_LIVE_BYTES);
		tree->title = titles[*ret_measure];
		add_sites(tree, section);
	}
	stack_tree_sum(tree);
}

static uint16_t tag_of(enum stack_weight weight)
{
	assert(weight != STACK_RETAINED);
	return weight == STACK_SAMPLES ? HPROF_CPU_SAMPLES : HPROF_ALLOC_SITES;
}

bool stack_source_profile(struct stack_tree *tree,
			  const struct hprof_profile_table *profile,
			  enum stack_weight weight, size_t *ret_measure)
{
	const struct hprof_profile_section *section =
		last_section(profile, tag_of(weight));

	if (section)
		add_section(tree, section, weight, ret_measure);
	return section != NULL;
}

bool stack_source_empty(struct stack_tree *tree,
			const struct hprof_profile_table *profile,
			enum stack_weight weight, size_t *ret_measure)
{
	const uint16_t tag = tag_of(weight);

	for (size_t i = 0; i < profile->count; i++)
		if (profile->sections[i].tag == tag) {
			add_section(tree, &profile->sections[i], weight,
				    ret_measure);
			return true;
		}
	return false;
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
