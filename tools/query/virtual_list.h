/* SPDX-License-Identifier: MIT */
/*
 * virtual_list.h - table-valued functions of an object: what it refers to, who
 * refers to it, its elements, what it dominates and retains, its path.
 *
 * The module's client data is a struct query_dump. Its only argument is the
 * name of the function; the object is a hidden column.
 */
#ifndef TOOLS_QUERY_VIRTUAL_LIST_H
#define TOOLS_QUERY_VIRTUAL_LIST_H

#include "tools/query/sqlite.h"

extern const sqlite3_module virtual_list_module;

#endif
