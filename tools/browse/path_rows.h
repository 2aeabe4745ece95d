/* SPDX-License-Identifier: MIT */
/* path_rows.h - a path from a root as rows of a view. */
#ifndef TOOLS_BROWSE_PATH_ROWS_H
#define TOOLS_BROWSE_PATH_ROWS_H

#include "tools/browse/view.h"

/* The first value of a row is what the step's object retains. */
void path_rows_put(struct view *view, const struct hprof_path *path);

#endif
