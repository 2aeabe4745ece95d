/* SPDX-License-Identifier: MIT */
/*
 * transform_version.c - another version of the format: one that has nothing
 * of Android's, and heap records in an order of our own where all of the heap
 * has to be in one record.
 */
#include <string.h>

#include "convert/convert.h"

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->standard;
}

static void header(struct hp_convert *c, void *state,
		   struct hprof_header *header)
{
	(void)state;
	strcpy(header->version, c->plan->options.format == HPROF_FORMAT_101
					? "JAVA PROFILE 1.0.1"
					: "JAVA PROFILE 1.0.2");
}

static bool keeps(struct hp_convert *c, void *state,
		  const struct hprof_record *r)
{
	(void)state;
	return !c->plan->ordered || !hp_cv_is_frame(r->tag);
}

/*
 * Makes R the standard sub-record that is nearest to Android's. A root that
 * no other writer has is a root for an unknown reason; the elements of an
 * array that were left out cannot be had back, so it has none.
 */
static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	(void)c;
	(void)state;
	switch (r->tag) {
	case HPROF_ROOT_INTERNED_STRING:
	case HPROF_ROOT_FINALIZING:
	case HPROF_ROOT_DEBUGGER:
	case HPROF_ROOT_REFERENCE_CLEANUP:
	case HPROF_ROOT_VM_INTERNAL:
	case HPROF_ROOT_UNREACHABLE:
		r->tag = HPROF_ROOT_UNKNOWN;
		break;
	case HPROF_ROOT_JNI_MONITOR:
		r->tag = HPROF_ROOT_MONITOR_USED;
		break;
	case HPROF_PRIM_ARRAY_NODATA_DUMP:
		r->tag = HPROF_PRIM_ARRAY_DUMP;
		r->u.prim_array_dump.count = 0;
		r->u.prim_array_dump.elements = (struct hprof_bytes){ 0 };
		break;
	case HPROF_ROOT_THREAD_OBJ:
		if (r->u.root.trace_serial == UINT32_MAX)
			r->u.root.trace_serial = 0; /* none */
		break;
	case HPROF_HEAP_DUMP_INFO:
		*ret_gone = true; /* it has no place in a standard dump */
		break;
	}
	return HPROF_OK;
}

const struct hp_transform hp_transform_version = {
	.name = "version",
	.wanted = wanted,
	.header = header,
	.keeps = keeps,
	.record = record,
};
