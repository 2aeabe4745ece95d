/* SPDX-License-Identifier: MIT */
/*
 * sqlite.h - SQLite's interface: linked in for hprof-query, or handed over by
 * the program that loads the extension.
 */
#ifndef TOOLS_QUERY_SQLITE_H
#define TOOLS_QUERY_SQLITE_H

#ifdef HPROF_SQLITE_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
