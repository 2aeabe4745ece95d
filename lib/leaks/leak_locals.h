/* SPDX-License-Identifier: MIT */
/*
 * leak_locals.h - the ThreadLocal by which the threads of a suspect keep most of
 * what they do, and which of them: of a pool of 100, seldom all are guilty.
 */
#ifndef HP_LEAK_LOCALS_H
#define HP_LEAK_LOCALS_H

#include "hprof/leaks.h"
#include "report/root_paths.h"

/*
 * Sets LEAK's local if there is such a ThreadLocal. NODES, COUNT of them, have the
 * threads of LEAK; others are passed over.
 */
enum hprof_status hp_leak_locals_find(struct hp_root_paths *paths,
				      const uint32_t *nodes, size_t count,
				      struct hprof_leak *leak,
				      struct hprof_error *error);

#endif
