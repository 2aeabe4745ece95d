/* SPDX-License-Identifier: MIT */
/*
 * marks.h - the tags by which allocation sites know their objects, lent to a
 * heap dump.
 *
 * Tags belong to a JVMTI environment, and a heap callback sees those of one
 * alone. So a dump whose objects carry the traces of their allocations walks the
 * heap in the environment of the sites, and gives objects its own tags there. It
 * notes here what mark an object had, by the place that the object has in the
 * dump; afterwards the marks are put back. Objects that are allocated meanwhile
 * get marks as ever.
 */
#ifndef AG_MARKS_H
#define AG_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jvmti.h>

#include "agent/profile/trace_table.h"

/*
 * With AG_MARK, a tag has the number of a site, or 0 for an object of our own.
 * With AG_MARK_CLASS, it has the number of a class, while the heap is searched
 * for objects from before the profile. No tag of a dump has these bits.
 */
#define AG_MARK ((uint64_t)5 << 61)
#define AG_MARK_CLASS ((uint64_t)7 << 61)

/* In a mark: the object was counted by the last report. */
#define AG_MARK_SEEN ((uint64_t)1 << 60)

static inline bool ag_is_mark(uint64_t tag)
{
	return (tag & AG_MARK_CLASS) == AG_MARK;
}

struct ag_marks {
	jvmtiEnv *jvmti;
	uint32_t *trace_of; /* by site number - 1 */
	size_t site_count;

	/* Places ascend. */
	struct ag_noted {
		uint32_t place, site;
	} *noted;
	size_t count, room;
	uint64_t lost; /* without memory */
};

/*
 * The object at PLACE had TAG. Places ascend from call to call. May be called in
 * heap callbacks.
 */
void ag_marks_note(struct ag_marks *marks, uint32_t place, uint64_t tag);

/* The trace of the object at PLACE; AG_TRACE_EMPTY if it is not known. */
uint32_t ag_marks_trace(const struct ag_marks *marks, uint32_t place);

/* Replaces the tags of the dump by the marks, and frees what was noted. */
void ag_marks_restore(struct ag_marks *marks);

#endif
