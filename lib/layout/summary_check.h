/* SPDX-License-Identifier: MIT */
/*
 * summary_check.h - faults that only the whole dump shows.
 */
#ifndef HP_SUMMARY_CHECK_H
#define HP_SUMMARY_CHECK_H

#include "layout/summary.h"

/* Adds to the diagnostics of the census. */
void hp_summary_check(struct hprof_summary_impl *impl);

#endif
