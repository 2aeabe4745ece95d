/* SPDX-License-Identifier: MIT */
/*
 * transform_zygote.c - leaves out the objects that Android's zygote had created
 * before the app was forked from it. HEAP_DUMP_INFO names the heap of the
 * objects that follow it, up to the end of the segment.
 */
#include "convert/convert.h"

struct zygote {
	uint32_t heap; /* of the objects that follow */
};

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.no_zygote;
}

static enum hprof_status before(struct hp_convert *c, void *state,
				unsigned select)
{
	struct zygote *z = state;

	(void)c;
	(void)select;
	z->heap = 0;
	return HPROF_OK;
}

static bool keeps(struct hp_convert *c, void *state,
		  const struct hprof_record *r)
{
	enum { ZYGOTE = 'Z' };
	struct zygote *z = state;

	(void)c;
	if (hp_cv_is_frame(r->tag))
		z->heap = 0;
	if (r->tag == HPROF_HEAP_DUMP_INFO)
		z->heap = r->u.heap_dump_info.heap;
	return z->heap != ZYGOTE || !hp_cv_is_object(r->tag);
}

const struct hp_transform hp_transform_zygote = {
	.name = "zygote",
	.state_size = sizeof(struct zygote),
	.wanted = wanted,
	.before = before,
	.keeps = keeps,
};
