/* SPDX-License-Identifier: MIT */
/*
 * site_changes.h - what a front end knows of allocation sites already, so that it
 * can be told only what has changed.
 */
#ifndef AG_SITE_CHANGES_H
#define AG_SITE_CHANGES_H

#include <stdbool.h>

#include "agent/profile/profile.h"

struct ag_site_changes {
	struct ag_site_row *rows; /* of the last report, by trace and class */
	size_t count;
};

/*
 * Remembers the rows of TABLE, and with ONLY_CHANGES drops those that are as
 * they were before. Without memory nothing is dropped.
 */
void ag_site_changes_heed(struct ag_site_changes *changes,
			  struct ag_site_table *table, bool only_changes);
void ag_site_changes_free(struct ag_site_changes *changes);

#endif
