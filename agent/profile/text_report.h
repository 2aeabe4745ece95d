/* SPDX-License-Identifier: MIT */
/*
 * text_report.h - a profile as the text of format=a: threads, the traces that
 * its rows name, and a section for each collector; with cpu=old the calls alone.
 */
#ifndef AG_TEXT_REPORT_H
#define AG_TEXT_REPORT_H

#include "agent/profile/session.h"
#include "hprof/writer.h"

/* Returns what WRITE did, or HPROF_E_NOMEM. */
enum hprof_status ag_text_report(struct ag_session *session,
				 const struct ag_profile *profile,
				 hprof_write_fn *write, void *user);

#endif
