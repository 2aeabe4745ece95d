/* SPDX-License-Identifier: MIT */
/*
 * live_sites.c - see live_sites.h.
 */
#include "agent/profile/live_sites.h"

#include "agent/common/errors.h"
#include "agent/common/log.h"
#include "agent/profile/marks.h"
#include "agent/profile/site_counts.h"
#include "agent/profile/site_scale.h"

struct live {
	uint64_t interval;
	struct ag_site_row *rows; /* by site number - 1 */
	size_t count;
};

static jint JNICALL on_live(jlong class_tag, jlong size, jlong *tag_ptr,
			    jint length, void *user)
{
	const struct live *l = user;
	const uint64_t tag = (uint64_t)*tag_ptr;
	const uint32_t site = (uint32_t)tag;
	struct ag_site_row *row;

	(void)class_tag;
	(void)length;
	/* A site may be newer than the report. */
	if (!ag_is_mark(tag) || site == 0 || site > l->count)
		return 0;
	row = &l->rows[site - 1];
	if (row->trace == AG_TRACE_EARLY) {
		row->live_objects += AG_OBJECT_PARTS;
		row->live_bytes += (uint64_t)size;
	} else {
		row->live_objects += ag_site_parts(l->interval, (uint64_t)size);
		row->live_bytes += ag_site_bytes(l->interval, (uint64_t)size);
	}
	return 0;
}

/*
 * The same for the last report, by reachability. Objects are met as often as
 * they are referred to.
 */
static jint JNICALL on_reached(jvmtiHeapReferenceKind kind,
			       const jvmtiHeapReferenceInfo *info,
			       jlong class_tag, jlong referrer_class_tag,
			       jlong size, jlong *tag_ptr,
			       jlong *referrer_tag_ptr, jint length, void *user)
{
	const uint64_t tag = (uint64_t)*tag_ptr;

	(void)kind;
	(void)info;
	(void)referrer_class_tag;
	(void)referrer_tag_ptr;
	if (ag_is_mark(tag) && !(tag & AG_MARK_SEEN)) {
		on_live(class_tag, size, tag_ptr, length, user);
		*tag_ptr = (jlong)(tag | AG_MARK_SEEN);
	}
	return JVMTI_VISIT_OBJECTS;
}

void ag_sites_count_live(jvmtiEnv *marks, uint64_t interval, bool reachable,
			 struct ag_site_row *rows, size_t count)
{
	const jvmtiHeapCallbacks callbacks = {
		.heap_iteration_callback = on_live,
		.heap_reference_callback = on_reached,
	};
	const struct live l = { .interval = interval,
				.rows = rows,
				.count = count };
	jvmtiError error;

	if (reachable)
		error = (*marks)->FollowReferences(marks, 0, NULL, NULL,
						   &callbacks, &l);
	else
		error = (*marks)->IterateThroughHeap(marks,
						     JVMTI_HEAP_FILTER_UNTAGGED,
						     NULL, &callbacks, &l);
	if (error)
		ag_log("live objects are not counted: %s",
		       ag_error_text(error));
}
