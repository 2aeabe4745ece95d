/* SPDX-License-Identifier: MIT */
/*
 * text_report.h - a profile as the text of format=a: threads, the traces that
 * its rows name, and a section for each collector; with cpu=old the calls alone.
 * A heap dump may be a part of it.
 */
#ifndef AG_TEXT_REPORT_H
#define AG_TEXT_REPORT_H

#include "agent/profile/session.h"
#include "hprof/writer.h"
#include "text/text_writer.h"

/* A heap dump in the report; its functions fail by what they return. */
struct ag_text_heap {
	/* Threads and traces: those of the dump, and of the profile in it. */
	enum hprof_status (*put_head)(void *user, struct text_writer *w);
	enum hprof_status (*put_heap)(void *user, struct text_writer *w);
	void *user;
};

struct ag_text_order {
	/* Both NULL, or what was counted. */
	struct ag_session *session;
	const struct ag_profile *profile;
	const struct ag_text_heap *heap; /* may be NULL */
	bool goes_on; /* of a text that has begun: without its prelude */
	bool as_json; /* the lives of objects alone */
};

/* Returns what WRITE did, or a failure of the heap, or HPROF_E_NOMEM. */
enum hprof_status ag_text_report(const struct ag_text_order *order,
				 hprof_write_fn *write, void *user);

#endif
