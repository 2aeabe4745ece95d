/* SPDX-License-Identifier: MIT */
/*
 * path_folds.c - see path_folds.h.
 */
#include "tools/report/path_folds.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"

#define FOLD_LEAST 3 /* steps that are worth a line that says how many */

static bool is_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Whether both steps are by one field to one class, and nothing else is to be told. */
static bool is_same(const struct hprof_path_step *a,
		    const struct hprof_path_step *b)
{
	return a->edge == HPROF_EDGE_FIELD && b->edge == HPROF_EDGE_FIELD &&
	       a->held.class_row == b->held.class_row &&
	       is_text(a->field, b->field) && !a->key && !b->key &&
	       !a->local_class && !b->local_class;
}

size_t path_folds_next(const struct hprof_path *path, size_t at, size_t end)
{
	size_t last = at;

	/* Step 0 has no field. */
	while (at && last + 1 < end &&
	       is_same(&path->steps[at], &path->steps[last + 1]))
		last++;
	return last - at > FOLD_LEAST ? last : at + 1;
}

size_t path_folds_count(const struct hprof_path *path, size_t first, size_t end)
{
	size_t count = 0;

	for (size_t i = first; i < end; i = path_folds_next(path, i, end))
		count++;
	return count;
}

static uint64_t left_out(const struct hprof_path *path, size_t at, size_t next)
{
	return path->gap > at && path->gap <= next ? path->left_out : 0;
}

uint64_t path_folds_hidden(const struct hprof_path *path, size_t at,
			   size_t next)
{
	return next - at - 1 + left_out(path, at, next);
}

char *path_folds_text(const struct hprof_path *path, size_t at, size_t next)
{
	uint64_t out = left_out(path, at, next);
	char more[UNITS_MAX], *gap = NULL, *edge, *text;

	if (out)
		gap = describe_count(out, "object left out",
				     "objects left out");
	if (next == at + 1)
		return gap;
	edge = describe_step(&path->steps[at], true);
	text = describe_format("%s more %s%s%s",
			       units_count(next - at - 1, more), edge,
			       gap ? ", " : "", gap ? gap : "");
	free(edge);
	free(gap);
	return text;
}
