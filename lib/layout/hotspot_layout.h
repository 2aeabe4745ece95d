/* SPDX-License-Identifier: MIT */
/*
 * hotspot_layout.h - classes that HotSpot lays out in a way of its own, which
 * the dump does not show.
 */
#ifndef HP_HOTSPOT_LAYOUT_H
#define HP_HOTSPOT_LAYOUT_H

#include "model/class_table.h"
#include "layout/object_layout.h"

enum hp_hotspot_quirk {
	HP_INJECTED = 1,  /* the VM adds fields, see java_lang classes */
	HP_CONTENDED = 2, /* fields set apart by 128 bytes on either side */
};

/* The habits of class I, its supers' included. */
unsigned hp_hotspot_quirks(const struct hp_class_table *c, uint32_t i);

/* Bytes that HotSpots (11 to 25) add to class I, supers included. */
unsigned hp_hotspot_injected(const struct hp_class_table *c, uint32_t i,
			     const struct hp_object_layout *layout);

/*
 * All jdk.internal.vm.StackChunk instances: a head of HEAD bytes and the
 * stack behind it, whose size is in the field "size", at SIZE_AT. 0: not
 * known.
 */
uint64_t hp_hotspot_chunks(const struct hp_chunks *chunks, uint32_t size_at,
			   uint64_t head, bool narrow_refs,
			   uint64_t *ret_largest);

/* The stack of a chunk, of WORDS words, with the bits behind it. */
static inline uint64_t hp_hotspot_stack(uint64_t words, bool narrow_refs)
{
	uint64_t bits = words << narrow_refs;

	return 8 * (words + (bits + 63) / 64);
}

#endif
