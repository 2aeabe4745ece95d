/* SPDX-License-Identifier: MIT */
/*
 * views.h - the kinds of views, a file for each or for a few that are alike.
 */
#ifndef TOOLS_BROWSE_VIEWS_H
#define TOOLS_BROWSE_VIEWS_H

#include "tools/browse/view.h"

extern const struct view_kind overview_view, properties_view, diagnostics_view;
enum { OVERVIEW_WAYS = 9 };
extern const struct target overview_ways[OVERVIEW_WAYS];
extern const struct view_kind classes_view, groups_view;
extern const struct view_kind instances_view, texts_view;
extern const struct view_kind dominated_view;
extern const struct view_kind object_view;
extern const struct view_kind referrers_view, path_view;
extern const struct view_kind suspects_view, suspect_view;
extern const struct view_kind threads_view, thread_view;
extern const struct view_kind waste_view, waste_kind_view;
extern const struct view_kind native_view;
extern const struct view_kind sites_view, site_view, profile_row_view;
extern const struct view_kind help_view, marks_view;

#endif
