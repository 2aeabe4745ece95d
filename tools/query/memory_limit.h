/* SPDX-License-Identifier: MIT */
/*
 * memory_limit.h - what option --memory allows to statements. SQLite keeps to
 * it by itself; rows and lists of ours ask before they grow.
 */
#ifndef TOOLS_QUERY_MEMORY_LIMIT_H
#define TOOLS_QUERY_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/query/sqlite.h"

/* May a block have SIZE bytes? */
static inline bool memory_allows(size_t size)
{
	sqlite3_int64 most = sqlite3_hard_heap_limit64(-1);

	return most <= 0 || size <= (size_t)most;
}

#endif
