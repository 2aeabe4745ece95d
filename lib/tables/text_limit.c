/* SPDX-License-Identifier: MIT */
/*
 * text_limit.c - how long the texts of a walk are; see hprof/tables.h.
 *
 * What was rejected: to ask how many strings refer to an array, since that takes a
 * pass over all of them even for the rows of a few; and to cut by array, which
 * takes a table of all arrays, and a text would then depend on those before it in
 * every dump in which a JVM has strings of equal characters share them.
 */
#include "hprof/tables.h"

enum { TIMES = 4, ALWAYS = 1 << 24 };

struct hprof_text_limit hprof_text_limit_of(const struct hprof_heap *heap)
{
	const struct hprof_summary *s = heap ? hprof_heap_summary(heap) : NULL;
	struct hprof_text_limit limit = { ALWAYS };

	if (s && s->data < (UINT64_MAX - ALWAYS) / TIMES)
		limit.left += TIMES * s->data;
	return limit;
}

size_t hprof_text_limit_next(const struct hprof_text_limit *limit)
{
	return !limit || limit->left ? HPROF_TEXT_MOST : HPROF_TEXT_CUT;
}

void hprof_text_limit_take(struct hprof_text_limit *limit, uint64_t length)
{
	if (limit)
		limit->left -= length < limit->left ? length : limit->left;
}
