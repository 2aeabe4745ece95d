/* SPDX-License-Identifier: MIT */
/*
 * path_rows.c - see path_rows.h.
 */
#include "tools/browse/path_rows.h"

#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/report/render.h"

static void put_step(struct view *v, const struct hprof_path_step *step,
		     bool is_first)
{
	struct view_row *row = view_add(v, render_path_held(step));

	row->label = is_first ? cli_strdup("") : describe_step(step, true);
	row->values[0] = step->held.retained;
	row->depth = 1;
	row_about(row, &step->held);
}

void path_rows_put(struct view *v, const struct hprof_path *path)
{
	char *start = render_path_start(path);
	struct view_row *row =
		view_add(v, describe_format("GC root: %s", start));

	free(start);
	if (path->loader.object != HPROF_NO_OBJECT && !path->root.tag)
		row_about(row, &path->loader);
	for (size_t i = 0; i < path->count; i++) {
		if (path->left_out && i == path->gap)
			view_add(v, describe_count(path->left_out,
						   "object left out",
						   "objects left out"));
		put_step(v, &path->steps[i], i == 0);
	}
	if (path->alike) {
		char *more =
			describe_count(path->alike, "more path", "more paths");

		view_add(v, describe_format("(%s by objects of these classes)",
					    more));
		free(more);
	}
}
