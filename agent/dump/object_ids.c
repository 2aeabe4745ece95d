/* SPDX-License-Identifier: MIT */
/*
 * object_ids.c - see object_ids.h.
 */
#include "agent/dump/object_ids.h"

enum {
	FIRST_ADDRESS = 4096, /* nothing lies on the first page */
	LEAST_ALIGNMENT = 8,
	LARGEST_ALIGNMENT = 256 /* in HotSpot */
};

static const uint64_t end = (uint64_t)1 << 32;	     /* of all places */
static const uint64_t sized_end = (uint64_t)3 << 30; /* of those with sizes */

void ag_ids_init(struct ag_ids *ids, unsigned id_size, unsigned alignment)
{
	ids->unit = id_size == 4 ? 1 : alignment;
	ids->next = FIRST_ADDRESS / ids->unit;
	ids->unsized = 0;
}

unsigned ag_ids_alignment(uint64_t bits)
{
	uint64_t lowest = bits & -bits;

	if (lowest < LEAST_ALIGNMENT)
		return LEAST_ALIGNMENT;
	return lowest > LARGEST_ALIGNMENT ? LARGEST_ALIGNMENT
					  : (unsigned)lowest;
}

uint32_t ag_ids_take(struct ag_ids *ids, jlong size, uint64_t tag)
{
	uint64_t place = ids->next;
	uint64_t units =
		size > 0 ? ((uint64_t)size + ids->unit - 1) / ids->unit : 1;

	if (place >= end)
		return 0;
	if (place + units > sized_end) {
		ids->unsized++;
		units = 1;
	}
	ids->next = place + units;
	if (ids->marks)
		ag_marks_note(ids->marks, (uint32_t)place, tag);
	return (uint32_t)place;
}
