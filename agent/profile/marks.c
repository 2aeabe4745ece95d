/* SPDX-License-Identifier: MIT */
/* marks.c - see marks.h. */
#include "agent/profile/marks.h"

#include <assert.h>
#include <inttypes.h>

#include "agent/common/errors.h"
#include "agent/common/log.h"
#include "base/mem.h"
#include "base/search.h"

void ag_marks_note(struct ag_marks *m, uint32_t place, uint64_t tag)
{
	const uint32_t site = (uint32_t)tag;

	if (!ag_is_mark(tag) || site == 0)
		return;
	assert(m->count == 0 || m->noted[m->count - 1].place < place);
	if (hp_grow((void **)&m->noted, &m->room, m->count, sizeof *m->noted) !=
	    HPROF_OK) {
		m->lost++;
		return;
	}
	m->noted[m->count++] =
		(struct ag_noted){ .place = place, .site = site };
}

/* 0 if there is none. */
static uint32_t find_site(const struct ag_marks *m, uint32_t place)
{
	size_t at;

	HP_LOWER_BOUND(&at, m->count, m->noted[hp_at].place < place);
	return at < m->count && m->noted[at].place == place ? m->noted[at].site
							    : 0;
}

uint32_t ag_marks_trace(const struct ag_marks *m, uint32_t place)
{
	const uint32_t site = find_site(m, place);

	/* A site may be newer than the report that was made for the dump. */
	return site != 0 && site <= m->site_count ? m->trace_of[site - 1]
						  : AG_TRACE_EMPTY;
}

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr,
			      jint length, void *user)
{
	const struct ag_marks *m = user;
	const uint64_t tag = (uint64_t)*tag_ptr;
	uint32_t site;

	(void)class_tag;
	(void)size;
	(void)length;
	if (ag_is_mark(tag))
		return 0;
	site = find_site(m, (uint32_t)tag);
	*tag_ptr = site ? (jlong)(AG_MARK | site) : 0;
	return 0;
}

void ag_marks_restore(struct ag_marks *m)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback =
						       on_object };
	jvmtiError error = (*m->jvmti)->IterateThroughHeap(
		m->jvmti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, &callbacks, m);

	if (error)
		ag_log("live objects are not counted from now on: %s",
		       ag_error_text(error));
	if (m->lost)
		ag_log("%" PRIu64 " objects are without the trace of their "
		       "allocation: the agent had no memory",
		       m->lost);
	hp_free(m->noted);
	m->noted = NULL;
	m->count = m->room = 0;
	m->lost = 0;
}
