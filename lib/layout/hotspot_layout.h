/* SPDX-License-Identifier: MIT */
/*
 * hotspot_layout.h - classes whose instances are larger in HotSpot than their
 * declared fields, in a way that the dump does not show.
 */
#ifndef HP_HOTSPOT_LAYOUT_H
#define HP_HOTSPOT_LAYOUT_H

#include "census/class_table.h"
#include "layout/object_layout.h"

enum hp_hotspot_quirk {
	HP_INJECTED = 1,  /* injected fields, see javaClasses.hpp */
	HP_CONTENDED = 2, /* @Contended: 128 bytes of padding on each side */
};

/* The quirks of class I and of its superclasses, enum hp_hotspot_quirk. */
unsigned hp_hotspot_quirks(const struct hp_class_table *c, uint32_t i);

/*
 * The fields of class I itself, which has a CLASS_DUMP: the declared ones, and
 * those that HotSpot (JDK 8 to 28) injects.
 */
struct hp_fields hp_hotspot_fields(const struct hp_class_table *c, uint32_t i);

/*
 * The bytes of those fields of class I that form a known @Contended group of
 * their own, and that OWN then excludes; 0 if there are none.
 */
unsigned hp_hotspot_contended(const struct hp_class_table *c, uint32_t i,
			      struct hp_fields *own);

/*
 * True for classes whose references come first before JDK 15, so that no field
 * fills the gap between them and the other fields.
 */
bool hp_hotspot_keeps_order(const struct hp_class_table *c, uint32_t i,
			    const struct hp_object_layout *layout);

/*
 * The bytes of all jdk.internal.vm.StackChunk instances, 0 if unknown. Each has
 * HEAD bytes, followed by a stack whose length in words is in the field "size",
 * at offset SIZE_AT of the values. *RET_LARGEST is the size of the largest one.
 */
uint64_t hp_hotspot_chunks(const struct hp_chunks *chunks, uint32_t size_at,
			   uint64_t head, const struct hp_object_layout *layout,
			   uint64_t *ret_largest);

/* The bytes that follow the head of a chunk with a stack of WORDS words. */
static inline uint64_t hp_hotspot_stack(uint64_t words, unsigned ref_width,
					unsigned alignment)
{
	return hp_align_up(8 * hp_chunk_words(words, ref_width == 4),
			   alignment);
}

#endif
