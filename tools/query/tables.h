/* SPDX-License-Identifier: MIT */
/*
 * tables.h - makes a dump part of an SQLite connection: its tables, views and
 * functions.
 */
#ifndef TOOLS_QUERY_TABLES_H
#define TOOLS_QUERY_TABLES_H

#include <stdbool.h>

#include "tools/query/query_dump.h"
#include "tools/query/sqlite.h"

/*
 * Adds the tables of DUMP to the schema SCHEMA of DB, which must exist, and its
 * functions: text() and so on for the schema main or temp, else NAME_text().
 * DUMP must outlive DB. An SQLite code; sqlite3_errmsg says more.
 */
int query_tables_add(sqlite3 *db, const char *schema, struct query_dump *dump);

/*
 * If a statement failed since table NAME of SCHEMA does not exist and that is a
 * class of DUMP, adds the table. *RET_ADDED: try again.
 */
int query_tables_add_class(sqlite3 *db, const char *schema,
			   struct query_dump *dump, const char *name,
			   bool *ret_added);

#endif
