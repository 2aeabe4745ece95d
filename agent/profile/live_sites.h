/* SPDX-License-Identifier: MIT */
/*
 * live_sites.h - which of the objects of each site are alive, by their marks.
 */
#ifndef AG_LIVE_SITES_H
#define AG_LIVE_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include <jvmti.h>

#include "agent/profile/profile.h"

/*
 * Adds the live objects and bytes to ROWS, which are by site number - 1: those
 * that the heap has, or, if REACHABLE, only those that can be reached, which
 * takes no collection. A failure is logged.
 */
void ag_sites_count_live(jvmtiEnv *marks, uint64_t interval, bool reachable,
			 struct ag_site_row *rows, size_t count);

#endif
