/* SPDX-License-Identifier: MIT */
/*
 * prefix_sums.h - counts that become where what they count begins.
 */
#ifndef HP_PREFIX_SUMS_H
#define HP_PREFIX_SUMS_H

#include "graph/build_context.h"

/*
 * Makes of each of ROWS rows in COUNT tables the sum of all before it, which are those
 * of the rows before and, in the same row, of the tables before. Returns the sum of
 * all, which must be below 2^32. The threads of BUILD share the rows.
 */
uint32_t hp_prefix_sums(const struct hp_build *build, uint32_t *const *tables,
			unsigned count, uint64_t rows);

#endif
