/* SPDX-License-Identifier: MIT */
/*
 * children_by_class.h - the children of one node of the dominator tree, those
 * taken together whose classes have one name.
 */
#ifndef HP_CHILDREN_BY_CLASS_H
#define HP_CHILDREN_BY_CLASS_H

#include "graph/dominator_tree.h"

/*
 * Of each kind (object_kind.h) that of the first class with the same name, so
 * that classes of one name from several loaders are one.
 * Free with hp_free; NULL without memory.
 */
uint32_t *hp_name_keys(const struct hprof_summary *summary);

/* Children of one key. */
struct hp_children_by_class {
	uint64_t retained, count, large; /* large ones: LEAST or more */
	uint32_t largest;
};

/* The children of one node after the other. */
struct hp_children_by_class_table {
	struct hp_children_by_class *items; /* by key; count 0: none */
	uint32_t *keys;			    /* those in use */
	size_t count;
};

/* For keys below COUNT. Fails only with HPROF_E_NOMEM; done in any case. */
enum hprof_status
hp_children_by_class_init(struct hp_children_by_class_table *table,
			  size_t count);
void hp_children_by_class_done(struct hp_children_by_class_table *table);

/* Counts the objects from CHILD up to END, in place of those before. */
void hp_children_by_class_count(struct hp_children_by_class_table *table,
				const struct hprof_graph *graph,
				const uint32_t *key, const uint32_t *child,
				const uint32_t *end, uint64_t least);

/* The key that retains most, of equal ones the lowest; HP_NO_NODE: none. */
uint32_t
hp_children_by_class_largest(const struct hp_children_by_class_table *table);

#endif
