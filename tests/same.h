/* SPDX-License-Identifier: MIT */
/*
 * same.h - compares all fields of two summaries. Used by unit tests and
 * fuzz targets.
 */
#ifndef SAME_H
#define SAME_H

#include <hprof.h>

/* The name of the first field that differs; NULL if all are equal. */
const char *summary_difference(const struct hprof_summary *a,
			       const struct hprof_summary *b);

#endif
