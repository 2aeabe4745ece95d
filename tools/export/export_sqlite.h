/* SPDX-License-Identifier: MIT */
/*
 * export_sqlite.h - how the database stores the tables of hprof-tables(7), and
 * its parts that are written in SQL.
 */
#ifndef TOOLS_EXPORT_SQLITE_H
#define TOOLS_EXPORT_SQLITE_H

#include <hprof.h>

#include "tools/common/progress.h"

#define ADDRESS_FIT_PARTS 1024 /* steps are counted in such parts of a unit */

/* address = base + (number * step / ADDRESS_FIT_PARTS + rest) * unit */
struct address_fit {
	int64_t base, step, unit;
};

/* Finds the fit. Reads all objects once. */
enum hprof_status address_fit_find(const struct hprof_heap *heap,
				   struct progress *progress,
				   struct address_fit *ret_fit,
				   struct hprof_error *error);
int64_t address_fit_rest(const struct address_fit *fit, int64_t number,
			 int64_t address);

/* Executed before the tables are created. */
extern const char sqlite_pragmas[];
extern const char sqlite_stage[];

/* One statement each, so that progress can be shown; NULL is the last. */
extern const char *const sqlite_indexes[];
extern const unsigned sqlite_index_count;

/* Executed at the end. */
extern const char sqlite_last[];

#endif
