/* SPDX-License-Identifier: MIT */
/*
 * collectors.h - which options ask for which profile.
 */
#ifndef AG_COLLECTORS_H
#define AG_COLLECTORS_H

#include "agent/profile/session.h"

bool ag_wants_profile(const struct ag_options *options);

/*
 * Sets up the collectors that the options ask for. Without one of them, which
 * was logged, the agent does the rest; NULL: there is none. LATE: the JVM runs.
 */
struct ag_session *ag_load_profile(JavaVM *vm, const struct ag_options *options,
				   bool late);

#endif
