/* SPDX-License-Identifier: MIT */
/*
 * same.h - are two summaries the same in every field? Used by unit tests and
 * fuzz targets.
 */
#ifndef SAME_H
#define SAME_H

#include <hprof.h>

/* NULL, or the name of what differs. */
const char *summary_difference(const struct hprof_summary *a,
			       const struct hprof_summary *b);

#endif
