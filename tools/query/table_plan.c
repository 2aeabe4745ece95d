/* SPDX-License-Identifier: MIT */
/*
 * table_plan.c - see table_plan.h. SQLite checks every condition again, so a
 * plan may let rows through that do not fit, but must not lose one.
 */
#include "tools/query/table_plan.h"

#include <string.h>

static const struct {
	enum hprof_table table;
	const char *column;
	enum lookup lookup;
	double rows; /* that are expected; 0: the objects by the classes */
} lookups[] = {
	{ HPROF_TABLE_OBJECT, "id", LOOKUP_OBJECT, 1 },
	{ HPROF_TABLE_OBJECT, "address", LOOKUP_ADDRESS, 1 },
	{ HPROF_TABLE_OBJECT, "class", LOOKUP_CLASS, 0 },
	{ HPROF_TABLE_REFERENCE, "source", LOOKUP_OBJECT, 4 },
	{ HPROF_TABLE_REFERENCE, "target", LOOKUP_TARGET, 6 },
	{ HPROF_TABLE_DANGLING, "source", LOOKUP_OBJECT, 1 },
	{ HPROF_TABLE_VALUE, "object", LOOKUP_OBJECT, 4 },
	{ HPROF_TABLE_STRING, "object", LOOKUP_OBJECT, 1 },
	{ HPROF_TABLE_RETAINED, "object", LOOKUP_OBJECT, 1 },
	{ HPROF_TABLE_RETAINED, "dominator", LOOKUP_DOMINATOR, 6 },
	{ HPROF_TABLE_STRENGTH, "object", LOOKUP_OBJECT, 1 },
};

enum { LOOKUPS = sizeof(lookups) / sizeof(*lookups) };

bool table_is_large(enum hprof_table table)
{
	for (unsigned i = 0; i < LOOKUPS; i++)
		if (lookups[i].table == table)
			return true;
	return false;
}

/* ---- a plan as a number -------------------------------------------------- */

enum { LOOKUP_BITS = 4, COLUMN_BITS = 8 };

static int encode(const struct table_plan *plan)
{
	unsigned number = plan->costly;

	number = number << 1 | plan->least;
	number = number << 1 | plan->greatest;
	number = number << COLUMN_BITS | plan->column;
	return (int)(number << LOOKUP_BITS | plan->lookup);
}

struct table_plan table_plan_decode(int code)
{
	unsigned number = (unsigned)code;
	struct table_plan plan = { 0 };

	plan.lookup = (enum lookup)(number & ((1u << LOOKUP_BITS) - 1));
	number >>= LOOKUP_BITS;
	plan.column = number & ((1u << COLUMN_BITS) - 1);
	number >>= COLUMN_BITS;
	plan.greatest = number & 1;
	plan.least = number >> 1 & 1;
	plan.costly = number >> 2 & 1;
	return plan;
}

/* ---- conditions ---------------------------------------------------------- */

/* The conditions that are used, by their numbers; -1: none. */
struct chosen {
	int lookup, least, greatest;
	double rows;
};

static enum lookup find_lookup(enum hprof_table table, const char *column,
			       double *ret_rows)
{
	for (unsigned i = 0; i < LOOKUPS; i++)
		if (lookups[i].table == table &&
		    strcmp(lookups[i].column, column) == 0) {
			*ret_rows = lookups[i].rows;
			return lookups[i].lookup;
		}
	*ret_rows = 1;
	return table_is_large(table) ? LOOKUP_NONE : LOOKUP_ORDER;
}

static bool compares_bytes(sqlite3_index_info *info, int i)
{
	return strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0;
}

static void consider_equal(enum hprof_table table, double rows_of_class,
			   sqlite3_index_info *info, int i,
			   struct table_plan *plan, struct chosen *chosen)
{
	unsigned column = (unsigned)info->aConstraint[i].iColumn;
	double rows;
	enum lookup lookup = find_lookup(
		table, hprof_table_info(table)->columns[column].name, &rows);

	if (rows == 0)
		rows = rows_of_class;
	if (lookup == LOOKUP_NONE || !compares_bytes(info, i) ||
	    (chosen->lookup >= 0 && rows >= chosen->rows))
		return;
	plan->lookup = lookup;
	plan->column = column;
	chosen->lookup = i;
	chosen->rows = rows;
}

/* Limits are taken of the first column of large tables: the object. */
static void consider(enum hprof_table table, double rows_of_class,
		     sqlite3_index_info *info, int i, struct table_plan *plan,
		     struct chosen *chosen)
{
	bool is_object =
		table_is_large(table) && info->aConstraint[i].iColumn == 0;

	switch (info->aConstraint[i].op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		consider_equal(table, rows_of_class, info, i, plan, chosen);
		break;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		if (is_object)
			chosen->least = i;
		break;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		if (is_object)
			chosen->greatest = i;
		break;
	default:
		break;
	}
}

static bool pass_on(sqlite3_index_info *info, int condition, int *next)
{
	if (condition < 0)
		return false;
	info->aConstraintUsage[condition].argvIndex = ++*next;
	return true;
}

/* What is found out only for statements that read it. */
static bool reads_costly(enum hprof_table table, sqlite3_uint64 used)
{
	static const struct {
		enum hprof_table table;
		const char *column;
	} costly[] = {
		{ HPROF_TABLE_DUMP, "reachable" },
		{ HPROF_TABLE_DUMP, "reachable_shallow" },
		{ HPROF_TABLE_RETAINED, "depth" },
	};

	for (size_t i = 0; i < sizeof(costly) / sizeof(*costly); i++)
		for (unsigned c = 0; hprof_table_info(table)->columns[c].name;
		     c++)
			if (costly[i].table == table && (used >> c & 1) &&
			    strcmp(costly[i].column,
				   hprof_table_info(table)->columns[c].name) ==
				    0)
				return true;
	return false;
}

void table_plan_choose(enum hprof_table table, const struct query_dump *dump,
		       sqlite3_index_info *info)
{
	const struct hprof_heap *heap = query_dump_heap(dump);
	double objects = (double)hprof_heap_count(heap);
	double classes = (double)hprof_heap_summary(heap)->class_count;
	double all = table_is_large(table) ? objects + 1 : classes + 1;
	struct table_plan plan = { 0 };
	struct chosen chosen = { -1, -1, -1, all };
	int next = 0;

	for (int i = 0; i < info->nConstraint; i++)
		if (info->aConstraint[i].usable &&
		    info->aConstraint[i].iColumn >= 0)
			consider(table, objects / (classes + 1) + 2, info, i,
				 &plan, &chosen);
	pass_on(info, chosen.lookup, &next);
	if (plan.lookup == LOOKUP_NONE) {
		plan.least = pass_on(info, chosen.least, &next);
		plan.greatest = pass_on(info, chosen.greatest, &next);
		if (plan.least || plan.greatest)
			chosen.rows /= plan.least && plan.greatest ? 16 : 4;
	}
	plan.costly = reads_costly(table, info->colUsed);
	info->idxNum = encode(&plan);
	info->estimatedRows = (sqlite3_int64)chosen.rows + 1;
	info->estimatedCost = chosen.rows * 4 + 1;
}
