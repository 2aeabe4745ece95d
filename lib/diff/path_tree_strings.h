/* SPDX-License-Identifier: MIT */
/*
 * path_tree_strings.h - the names on the paths of a tree: of classes, fields
 * and frames, in a form that is the same in every dump.
 */
#ifndef HP_PATH_TREE_STRINGS_H
#define HP_PATH_TREE_STRINGS_H

#include "hprof/heap.h"
#include "base/u64_map.h"
#include "diff/path_tree.h"

struct hp_path_tree_strings {
	struct hp_path_nodes *nodes; /* they own the texts */
	const struct hprof_heap *heap;
	uint32_t *of_class; /* by row; 0: not looked up yet */
	size_t rows;
	struct hp_u64_map of_field; /* name of a field -> text */
	bool no_memory;		    /* in any call */
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_path_tree_strings_init(struct hp_path_tree_strings *texts,
					    struct hp_path_nodes *nodes,
					    const struct hprof_heap *heap);
void hp_path_tree_strings_done(struct hp_path_tree_strings *texts);

/* The number of a text; 0 if there is none or no_memory is set. */
uint32_t hp_path_class(struct hp_path_tree_strings *texts, size_t row);

/* NAME must live as long as the heap. */
uint32_t hp_path_field(struct hp_path_tree_strings *texts, const char *name);

/* "com.acme.Main.run" */
uint32_t hp_path_frame(struct hp_path_tree_strings *texts,
		       const struct hprof_stack_frame *frame);

#endif
