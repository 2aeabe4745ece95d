/* SPDX-License-Identifier: MIT */
/*
 * class_table.h - a class as a virtual table: a row for each of its objects, a
 * column for each of its fields.
 *
 * The module's client data is a struct query_dump. Its only argument is the
 * name of the class in quotes, with a + behind it for the objects of subclasses
 * as well.
 */
#ifndef TOOLS_QUERY_CLASS_TABLE_H
#define TOOLS_QUERY_CLASS_TABLE_H

#include <stdbool.h>

#include "tools/query/query_dump.h"
#include "tools/query/sqlite.h"

extern const sqlite3_module class_table_module;

/*
 * The same for modules that are tables without CREATE: the class is the one that
 * the module is called, or that its name has behind the first dot.
 */
extern const sqlite3_module class_named_module, class_behind_dot_module;

/* Is NAME, which may end in +, the name of a class of the dump? */
bool class_table_exists(const struct query_dump *dump, const char *name);

#endif
