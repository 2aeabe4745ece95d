/* SPDX-License-Identifier: MIT */
/*
 * object_layout.h - how a JVM lays out objects: what it predicts for each
 * class, and which layout fits a dump.
 */
#ifndef HPROF_JVM_LAYOUT_H
#define HPROF_JVM_LAYOUT_H

#include "model/class_table.h"

/*
 * Fields of a subclass fill gaps of its supers (JDK 15 and later), or each
 * level starts behind the one before, by the rule of the JVM or by Memory
 * Analyzer's, which only aligns levels.
 */
struct hp_object_layout {
	unsigned ref, header, array_header, alignment;
	enum { HP_FILLED, HP_LEVELS, HP_MAT_LEVELS } packing;
};

static inline uint64_t hp_align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * Where the fields of each class end; since JDK 15 later levels fill all
 * gaps. ENDS has an entry for each class.
 */
void hp_object_layout_place(const struct hp_class_table *classes,
			    const struct hp_object_layout *layout,
			    uint64_t *ends);

/* Where the elements of an array begin, which have WIDTH bytes. */
unsigned hp_object_layout_elements(const struct hp_object_layout *layout,
				   unsigned width);

/* All arrays of a slot: header and elements of WIDTH bytes, each aligned. */
uint64_t hp_object_layout_arrays(const struct hp_slot *slot,
				 const struct hp_object_layout *layout,
				 unsigned width);

/*
 * The layout that fits best; false: nothing is measured. ENDS has room for
 * an entry for each class.
 */
bool hp_object_layout_find(const struct hp_class_table *classes,
			   struct hp_object_layout *ret_layout, uint64_t *ends);

/* Without measurements: by the age of the JVM, as far as classes show. */
struct hp_object_layout
hp_object_layout_assume(const struct hp_class_table *classes);

#endif
