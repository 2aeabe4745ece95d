/* SPDX-License-Identifier: MIT */
/*
 * export_sqlite.h - how the database stores what hprof-tables(7)
 * describes, and its parts that are written in SQL.
 */
#ifndef TOOLS_EXPORT_SQLITE_H
#define TOOLS_EXPORT_SQLITE_H

#include <hprof.h>

#include "tools/common/progress.h"

#define ADDRESS_FIT_PARTS 1024 /* of a unit, in which steps are counted */

/* address = base + (number * step / ADDRESS_FIT_PARTS + rest) * unit */
struct address_fit {
	int64_t base, step, unit;
};

/* Reads all objects once. */
enum hprof_status address_fit_find(const struct hprof_heap *heap,
				   struct progress *progress,
				   struct address_fit *ret_fit,
				   struct hprof_error *error);
int64_t address_fit_rest(const struct address_fit *fit, int64_t number,
			 int64_t address);

/* Before all tables. */
extern const char sqlite_pragmas[];
extern const char sqlite_stage[];

/* One statement each, so that progress can be shown; NULL behind the last. */
extern const char *const sqlite_indexes[];
extern const unsigned sqlite_index_count;

extern const char sqlite_views[];

/* When everything is there. */
extern const char sqlite_last[];

#endif
