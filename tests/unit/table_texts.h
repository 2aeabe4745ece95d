/* SPDX-License-Identifier: MIT */
/*
 * table_texts.h - tables of single objects as text: threads, system properties, class
 * loaders, memory outside of the heap.
 */
#ifndef TABLE_TEXTS_H
#define TABLE_TEXTS_H

#include <hprof.h>

/* "FAILED n" for a table that cannot be made. The caller frees. */
typedef char *table_fn(const struct hprof_summary *summary);
char *threads_text(const struct hprof_summary *summary);
char *properties_text(const struct hprof_summary *summary);
char *loaders_text(const struct hprof_summary *summary);
char *outside_text(const struct hprof_summary *summary);

#endif
