/* SPDX-License-Identifier: MIT */
/*
 * table_plan.h - which conditions of a statement a table can use to visit fewer
 * rows.
 */
#ifndef TOOLS_QUERY_TABLE_PLAN_H
#define TOOLS_QUERY_TABLE_PLAN_H

#include "tools/query/query_dump.h"
#include "tools/query/sqlite.h"

/* How the rows are found whose column has a value. */
enum lookup {
	LOOKUP_NONE,
	LOOKUP_OBJECT,	  /* the column is the object that they belong to */
	LOOKUP_ADDRESS,	  /* its address */
	LOOKUP_CLASS,	  /* its class */
	LOOKUP_TARGET,	  /* what it refers to */
	LOOKUP_DOMINATOR, /* what dominates it */
	LOOKUP_ORDER	  /* any column of a table that is kept in memory */
};

/*
 * A plan. The values of its conditions are passed on in the order: that of the
 * lookup, the least object, the greatest.
 */
struct table_plan {
	enum lookup lookup;
	unsigned column; /* of the lookup */
	bool least, greatest;
	bool costly; /* a column is read that takes a pass or a graph */
};

/* Is the table made object by object? Else it is kept in memory. */
bool table_is_large(enum hprof_table table);

/* An xBestIndex: sets what INFO says of the plan. */
void table_plan_choose(enum hprof_table table, const struct query_dump *dump,
		       sqlite3_index_info *info);

/* The plan that was chosen, from its number. */
struct table_plan table_plan_decode(int number);

#endif
