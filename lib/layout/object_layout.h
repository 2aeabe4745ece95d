/* SPDX-License-Identifier: MIT */
/*
 * object_layout.h - layouts of objects in JVMs: the sizes that a layout
 * predicts for classes and arrays, and the layout that fits a dump best.
 */
#ifndef HPROF_JVM_LAYOUT_H
#define HPROF_JVM_LAYOUT_H

#include "census/class_table.h"

/*
 * Widths are in bytes. HP_FILLED: fields of a subclass may fill gaps in its
 * superclasses (JDK 15 and later). HP_LEVELS: the fields of each class follow
 * those of its superclass, by the rules of older JVMs. HP_MAT_LEVELS: the same
 * as Memory Analyzer counts, which aligns only the first field of each class.
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
 * Sets ENDS[i] to the offset at which the fields of class i end, before
 * alignment. The caller provides an entry for each class.
 */
void hp_object_layout_place(const struct hp_class_table *classes,
			    const struct hp_object_layout *layout,
			    uint64_t *ends);

/* The end of the fields OWN if those of the superclass end at END. */
uint64_t hp_object_layout_end(const struct hp_fields *own,
			      const struct hp_object_layout *layout,
			      uint64_t end);

/*
 * The same if the fields are appended, the widest first, without filling gaps.
 * REFS_FIRST: references before all others, else after them.
 */
uint64_t hp_object_layout_append(const struct hp_fields *own,
				 const struct hp_object_layout *layout,
				 bool refs_first, uint64_t end);

/* The offset at which elements of WIDTH bytes begin in an array. */
unsigned hp_object_layout_elements(const struct hp_object_layout *layout,
				   unsigned width);

/*
 * The bytes of all arrays that SLOT counts, whose elements have WIDTH bytes:
 * headers, elements and padding.
 */
uint64_t hp_object_layout_arrays(const struct hp_slot *slot,
				 const struct hp_object_layout *layout,
				 unsigned width);

/*
 * Finds the layout that fits the measured distances best; false if they are
 * inconclusive. ENDS is scratch memory with an entry for each class.
 */
bool hp_object_layout_find(const struct hp_class_table *classes,
			   struct hp_object_layout *ret_layout, uint64_t *ends);

/*
 * The bytes of an address in a JVM with this layout: 4 or 8. Dumps of 64-bit
 * JVMs may have identifiers of 4 bytes.
 */
unsigned hp_object_layout_word(const struct hp_class_table *classes,
			       const struct hp_object_layout *layout);

/*
 * The layout to assume if none could be measured: HotSpot's default, with the
 * packing of the JVM's version, which is recognized by a class of newer JDKs.
 */
struct hp_object_layout
hp_object_layout_assume(const struct hp_class_table *classes);

#endif
