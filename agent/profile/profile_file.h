/* SPDX-License-Identifier: MIT */
/*
 * profile_file.h - makes a report from beginning to end: file or connection,
 * collectors, records, message.
 */
#ifndef AG_PROFILE_FILE_H
#define AG_PROFILE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/profile/session.h"

/* What the session's options ask for: for the reports of events. */
struct ag_report_options ag_report_defaults(const struct ag_options *options);

/*
 * Writes a report where OPTIONS say: to their connection, or to the file with
 * number *COUNT, the number of dumps so far, which is incremented. One is
 * written at a time. False, with a message logged, on failure.
 */
bool ag_profile_write(struct ag_session *session, JNIEnv *jni,
		      const struct ag_options *options,
		      const struct ag_report_options *report,
		      atomic_uint *count);

/* Logs what a profile that was written lacks. PATH is not escaped. */
void ag_profile_say_lacks(const char *path, const struct ag_profile *profile,
			  uint64_t clamped);

#endif
