/* SPDX-License-Identifier: MIT */
/*
 * count_rewrite.h - statements that only count objects and add up their sizes
 * are answered from the table of classes, which has both for each class.
 *
 * SQLite asks a virtual table for rows, and cannot ask it for a sum. Of
 * millions of objects that takes seconds, where the sums are known.
 */
#ifndef TOOLS_QUERY_COUNT_REWRITE_H
#define TOOLS_QUERY_COUNT_REWRITE_H

#include <stddef.h>

#include "tools/query/sqlite.h"

/*
 * A statement with the same rows and names of columns as the one at SQL, SIZE
 * bytes, which STATEMENT is prepared from; NULL if it is none of the known
 * kind, or there is no memory. Free it with sqlite3_free.
 *
 * Right only for a dump whose objects all are counted in the table class.
 */
char *count_rewrite(const char *sql, size_t size, sqlite3_stmt *statement);

#endif
