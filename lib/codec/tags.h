/* SPDX-License-Identifier: MIT */
/*
 * tags.h - kinds of records, by their tags.
 */
#ifndef HP_TAGS_H
#define HP_TAGS_H

#include <stdbool.h>

#include "hprof/record.h"

/* True for records whose body consists of sub-records. */
static inline bool hp_tag_is_heap(unsigned tag)
{
	return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT;
}

#endif
