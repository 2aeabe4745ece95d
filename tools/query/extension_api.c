/* SPDX-License-Identifier: MIT */
/*
 * extension_api.c - the program's SQLite, which all files of the extension
 * call: see sqlite.h.
 */
#include "tools/query/sqlite.h"

const sqlite3_api_routines *sqlite3_api;
