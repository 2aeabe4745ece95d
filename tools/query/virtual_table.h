/* SPDX-License-Identifier: MIT */
/*
 * virtual_table.h - the tables of hprof-tables(7) as virtual tables of SQLite.
 *
 * The module's client data is a struct query_dump. Its only argument is the
 * name of the table.
 */
#ifndef TOOLS_QUERY_VIRTUAL_TABLE_H
#define TOOLS_QUERY_VIRTUAL_TABLE_H

#include "tools/query/sqlite.h"

extern const sqlite3_module virtual_table_module;

#endif
