/* SPDX-License-Identifier: MIT */
/*
 * series.h - names that differ in their numbers only, as those of the threads of a
 * pool: "pool-1", "pool-10".
 */
#ifndef TOOLS_SERIES_H
#define TOOLS_SERIES_H

/* Compares names without regard to their numbers; 0: they are of one series. */
int series_compare(const char *a, const char *b);

/* The order of names in a series: "pool-9" is before "pool-10". */
int series_order(const char *a, const char *b);

#endif
