/* SPDX-License-Identifier: MIT */
/*
 * children_by_class.h - the children of one node of the dominator tree, grouped
 * by the names of their classes.
 */
#ifndef HP_CHILDREN_BY_CLASS_H
#define HP_CHILDREN_BY_CLASS_H

#include "leaks/leak_explained.h"

/* The children that have one key. */
struct hp_children_by_class {
	uint64_t retained, count,
		large; /* large: those that retain LEAST or more */
	uint32_t largest;
};

/* Counts for one node at a time. */
struct hp_children_by_class_table {
	struct hp_children_by_class *items; /* by key; count 0: none */
	uint32_t *keys;			    /* those in use */
	size_t count;
};

/*
 * For keys below COUNT. Fails only with HPROF_E_NOMEM; to be freed in any case.
 */
enum hprof_status
hp_children_by_class_init(struct hp_children_by_class_table *table,
			  size_t count);
void hp_children_by_class_done(struct hp_children_by_class_table *table);

/*
 * Counts the objects from CHILD up to END, replacing the previous counts;
 * without what is EXPLAINED already.
 */
void hp_children_by_class_count(struct hp_children_by_class_table *table,
				const struct hp_leak_explained *explained,
				const uint32_t *key, const uint32_t *child,
				const uint32_t *end, uint64_t least);

/* The key that retains most, the lowest if several do; HP_NO_NODE if none. */
uint32_t
hp_children_by_class_largest(const struct hp_children_by_class_table *table);

#endif
