/* SPDX-License-Identifier: MIT */
/*
 * transform_version.c - converts to another version of the format: without
 * Android's records, and with all heap records in one if the version requires
 * it.
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
 * Replaces one of Android's sub-records by the standard one that is closest. A
 * root of a kind that no other writer has becomes a root of unknown kind. An
 * array whose elements were left out becomes an empty one.
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
		*ret_gone = true; /* there is no standard record for it */
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
