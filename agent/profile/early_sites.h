/* SPDX-License-Identifier: MIT */
/*
 * early_sites.h - objects from before the first allocation that is reported:
 * they have a site for each class.
 */
#ifndef AG_EARLY_SITES_H
#define AG_EARLY_SITES_H

#include "agent/profile/session.h"
#include "agent/profile/site_counts.h"

/*
 * Marks and counts the objects that there are. What fails is logged: then they
 * are not counted.
 */
void ag_sites_mark_early(jvmtiEnv *marks, struct ag_session *session,
			 struct ag_site_counts *counts, JNIEnv *jni);

#endif
