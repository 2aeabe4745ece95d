/* SPDX-License-Identifier: MIT */
/*
 * table_visit.h - which objects a large table visits for a plan.
 */
#ifndef TOOLS_QUERY_TABLE_VISIT_H
#define TOOLS_QUERY_TABLE_VISIT_H

#include "tools/query/object_set.h"
#include "tools/query/table_plan.h"

/*
 * Puts the objects into SET, which is empty, that may have rows of TABLE which
 * fit the conditions of PLAN with these VALUES. An SQLite code, with *MESSAGE
 * as in result_failure.
 */
int table_visit(struct object_set *set, struct query_dump *dump,
		enum hprof_table table, const struct table_plan *plan,
		sqlite3_value **values, char **message);

#endif
