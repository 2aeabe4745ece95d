/* SPDX-License-Identifier: MIT */
/*
 * sizing.h - shared by the tests of sizes: summaries of dumps that are made for them.
 */
#ifndef SIZING_H
#define SIZING_H

#include <hprof.h>

#include "maker.h"

/* Classes, and the first of the objects. */
enum { OBJECT = 0x1000, A = 0x1100, B = 0x1200, FIRST = 0x100000 };

/* End the dump and free it; fail the test if it has no summary. */
struct hprof_summary *summarise_by(struct maker *m,
				   const struct hprof_summary_options *options);
struct hprof_summary *summarise(struct maker *m, enum hprof_sizes sizes);

/* The row of a class; fails the test if there is none. */
const struct hprof_class_row *class_row(const struct hprof_summary *s,
					uint64_t class_id);

#endif
