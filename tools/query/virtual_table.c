/* SPDX-License-Identifier: MIT */
/*
 * virtual_table.c - see virtual_table.h.
 *
 * A large table is never there as a whole: a cursor visits objects and keeps
 * the rows of one at a time, of a large array those of some elements. The table
 * of objects has one row for each, which is never made: its columns are taken
 * of what the library says of the object. The other tables are made when they
 * are first read, and stay.
 */
#include "tools/query/virtual_table.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/object_set.h"
#include "tools/query/query_dump.h"
#include "tools/query/results.h"
#include "tools/query/row_buffer.h"
#include "tools/query/table_plan.h"
#include "tools/query/table_visit.h"
#include <hprof.h>

struct table {
	sqlite3_vtab base;
	struct query_dump *dump;
	enum hprof_table which;
	bool is_large;
	bool is_made, has_costly; /* unless it is large */
	struct row_buffer rows;
};

struct cursor {
	sqlite3_vtab_cursor base;
	sqlite3_int64 number; /* of the row, from 0 on */
	size_t row, end;      /* in the buffer, or positions in an order */
	bool ordered;
	unsigned column; /* of the order */

	/* Of a large table: */
	struct hprof_tables_walk walk;
	struct hprof_cursor *reader;
	struct hprof_object_rows *maker;
	const uint32_t *depths;
	bool with_depth;
	struct object_set set;
	uint64_t object, part; /* part > 0: the object has more rows */
	struct row_buffer rows;

	/* Of the table of objects, instead of rows: */
	bool direct;
	struct hprof_object now;
	size_t mirror; /* row of java.lang.Class, or SIZE_MAX */
};

static struct table *table_of(struct cursor *c)
{
	return (struct table *)c->base.pVtab;
}

/* ---- the table ----------------------------------------------------------- */

/* "CREATE TABLE x(id INTEGER, ...)"; free it with sqlite3_free. */
static char *declaration(enum hprof_table table)
{
	static const char *const types[] = {
		[HPROF_COLUMN_NUMBER] = " INTEGER",
		[HPROF_COLUMN_ADDRESS] = " INTEGER",
		[HPROF_COLUMN_TEXT] = " TEXT",
		[HPROF_COLUMN_ANY] = "",
	};
	const struct hprof_table_column *columns =
		hprof_table_info(table)->columns;
	char *text = sqlite3_mprintf("CREATE TABLE x(");

	for (unsigned i = 0; text && columns[i].name; i++)
		text = sqlite3_mprintf("%z%s\"%w\"%s", text, i ? ", " : "",
				       columns[i].name, types[columns[i].type]);
	return text ? sqlite3_mprintf("%z)", text) : NULL;
}

static int declare(sqlite3 *db, enum hprof_table table)
{
	char *text = declaration(table);
	int code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;

	sqlite3_free(text);
	return code;
}

static int connect_table(sqlite3 *db, void *dump, int argc,
			 const char *const *argv, sqlite3_vtab **ret,
			 char **message)
{
	enum hprof_table which =
		argc == 4 ? hprof_table_named(argv[3]) : HPROF_TABLE_COUNT;
	struct table *t;
	int code;

	if (which == HPROF_TABLE_COUNT) {
		*message = sqlite3_mprintf("there is no such table in a dump");
		return SQLITE_ERROR;
	}
	code = declare(db, which);
	if (code != SQLITE_OK)
		return code;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	t = calloc(1, sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	t->dump = dump;
	t->which = which;
	t->is_large = table_is_large(which);
	t->rows.width = hprof_table_width(which);
	*ret = &t->base;
	return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
	struct table *t = (struct table *)table;

	row_buffer_free(&t->rows);
	free(t);
	return SQLITE_OK;
}

static int choose_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	struct table *t = (struct table *)table;

	table_plan_choose(t->which, t->dump, info);
	return SQLITE_OK;
}

static int fail(struct table *t, enum hprof_status status,
		const struct hprof_error *error)
{
	return result_failure(&t->base.zErrMsg, status, error);
}

static int make_table(struct table *t, bool costly)
{
	struct hprof_tables_walk walk;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (t->is_made && (t->has_costly || !costly))
		return SQLITE_OK;
	row_buffer_clear(&t->rows);
	status = query_dump_walk(t->dump, t->which, costly, &walk, &error);
	if (status == HPROF_OK) {
		walk.row = row_buffer_add;
		walk.user = &t->rows;
		status = hprof_tables_walk(&walk, &error);
	}
	if (status == HPROF_OK) {
		t->is_made = true;
		t->has_costly = costly;
		return SQLITE_OK;
	}
	row_buffer_clear(&t->rows);
	t->is_made = false;
	return status < 0 ? fail(t, status, &error) : SQLITE_NOMEM;
}

/* ---- the cursor of a large table ----------------------------------------- */

static bool is_from_graph(enum hprof_table table)
{
	return table == HPROF_TABLE_RETAINED || table == HPROF_TABLE_STRENGTH;
}

/* What the first scan needs. */
static int prepare(struct cursor *c)
{
	struct table *t = table_of(c);
	struct hprof_error error = { 0 };
	const struct hprof_places *places = NULL;
	enum hprof_status status;

	if (c->walk.heap)
		return SQLITE_OK;
	c->mirror = hprof_heap_class_named(query_dump_heap(t->dump),
					   "java.lang.Class", 0);
	status = query_dump_walk(t->dump, t->which, false, &c->walk, &error);
	c->walk.row = row_buffer_add;
	c->walk.user = &c->rows;
	if (status == HPROF_OK && !is_from_graph(t->which)) {
		places = query_dump_places(t->dump, &error);
		status = places ? HPROF_OK : error.status;
	}
	if (status == HPROF_OK && places)
		status = hprof_cursor_new(c->walk.heap, &c->reader, &error);
	if (status == HPROF_OK && places)
		status = hprof_object_rows_new(&c->walk, c->reader, places,
					       &c->maker);
	if (status == HPROF_OK)
		return SQLITE_OK;
	c->walk.heap = NULL;
	return fail(t, status, &error);
}

/* Depths take a pass over all objects, so only a statement that reads them
   has them. */
static int find_depths(struct cursor *c, bool wanted)
{
	struct table *t = table_of(c);
	struct hprof_error error = { 0 };

	c->with_depth = wanted;
	if (!wanted || c->depths)
		return SQLITE_OK;
	c->depths = query_dump_depths(t->dump, &error);
	return c->depths ? SQLITE_OK : fail(t, error.status, &error);
}

static bool put_retained(const struct cursor *c)
{
	uint32_t depth = c->with_depth ? c->depths[c->object] : 1;

	return !hprof_graph_is_reachable(c->walk.graph, c->object) ||
	       hprof_retained_row_put(&c->walk, c->object, depth);
}

/* What hprof_object_rows_put would say of the object in this column. */
static struct hprof_cell object_cell(const struct cursor *c, unsigned column)
{
	const struct hprof_object *o = &c->now;

	switch (column) {
	case 0:
		return hprof_cell_number((int64_t)o->index);
	case 1:
		return hprof_cell_address(o->id);
	case 2:
		return hprof_cell_class(o->kind == HPROF_OBJECT_CLASS
						? c->mirror
						: o->class_row);
	case 3:
		return hprof_cell_number((int64_t)o->shallow);
	default:
		return o->kind == HPROF_OBJECT_OBJ_ARRAY ||
				       o->kind == HPROF_OBJECT_PRIM_ARRAY
			       ? hprof_cell_number((int64_t)o->length)
			       : hprof_cell_null();
	}
}

/* The object itself is the row. */
static int read_object(struct cursor *c)
{
	enum hprof_status status =
		hprof_cursor_seek(c->reader, c->object, &c->now);

	c->row = 0;
	c->end = 1;
	return status < 0 ? fail(table_of(c), status,
				 hprof_cursor_error(c->reader))
			  : SQLITE_OK;
}

/* The rows of the object, or of its next part. */
static int fill(struct cursor *c)
{
	struct table *t = table_of(c);
	enum hprof_status status = HPROF_OK;
	bool put = true;

	row_buffer_clear(&c->rows);
	if (t->which == HPROF_TABLE_RETAINED)
		put = put_retained(c);
	else if (t->which == HPROF_TABLE_STRENGTH)
		put = hprof_strength_row_put(&c->walk, c->object);
	else
		status = hprof_object_rows_put(c->maker, c->object, &c->part);
	c->row = 0;
	c->end = c->rows.count;
	if (status < 0)
		return fail(t, status, hprof_cursor_error(c->reader));
	return put && !c->rows.failed ? SQLITE_OK : SQLITE_NOMEM;
}

/* Goes on until there is a row, or no object any more. */
static int advance(struct cursor *c)
{
	int code = SQLITE_OK;

	while (code == SQLITE_OK && c->row == c->end) {
		if (c->part == 0) {
			c->object = object_set_next(&c->set);
			if (c->object == HPROF_NO_OBJECT)
				break;
		}
		code = c->direct ? read_object(c) : fill(c);
	}
	return code;
}

/* ---- scans --------------------------------------------------------------- */

static int scan_large(struct cursor *c, const struct table_plan *plan,
		      sqlite3_value **values)
{
	int code = prepare(c);

	object_set_done(&c->set);
	row_buffer_clear(&c->rows);
	c->part = 0;
	if (c->maker) /* as the inner table of a join, again and again */
		hprof_object_rows_restart(c->maker);
	if (code == SQLITE_OK)
		code = find_depths(c, plan->costly);
	if (code == SQLITE_OK)
		code = table_visit(&c->set, table_of(c)->dump,
				   table_of(c)->which, plan, values,
				   &table_of(c)->base.zErrMsg);
	return code == SQLITE_OK ? advance(c) : code;
}

/* False: the value cannot be looked up, so all rows are visited. */
static bool as_cell(sqlite3_value *value, enum hprof_column_type type,
		    struct hprof_cell *ret)
{
	if (type == HPROF_COLUMN_TEXT) {
		*ret = hprof_cell_text((const char *)sqlite3_value_text(value));
		return ret->text != NULL;
	}
	*ret = hprof_cell_number(sqlite3_value_int64(value));
	return type != HPROF_COLUMN_ANY &&
	       sqlite3_value_numeric_type(value) == SQLITE_INTEGER;
}

static int scan_small(struct cursor *c, const struct table_plan *plan,
		      sqlite3_value **values)
{
	struct table *t = table_of(c);
	int code = make_table(t, plan->costly);
	struct hprof_cell wanted;
	size_t count;

	c->end = t->rows.count;
	if (code != SQLITE_OK || plan->lookup != LOOKUP_ORDER)
		return code;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL) {
		c->end = 0;
		return SQLITE_OK;
	}
	if (!as_cell(values[0],
		     hprof_table_info(t->which)->columns[plan->column].type,
		     &wanted))
		return SQLITE_OK;
	c->ordered = true;
	c->column = plan->column;
	if (!row_buffer_find(&t->rows, plan->column, &wanted, &c->row, &count))
		return SQLITE_NOMEM;
	c->end = c->row + count;
	return SQLITE_OK;
}

static int begin_scan(sqlite3_vtab_cursor *cursor, int number,
		      const char *unused, int argc, sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)cursor;
	struct table_plan plan = table_plan_decode(number);

	(void)unused;
	(void)argc;
	c->number = 0;
	c->row = c->end = 0;
	c->ordered = false;
	return table_of(c)->is_large ? scan_large(c, &plan, argv)
				     : scan_small(c, &plan, argv);
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	c->number++;
	c->row++;
	return table_of(c)->is_large ? advance(c) : SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	const struct cursor *c = (const struct cursor *)cursor;

	return c->row == c->end;
}

static int read_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
		       int column)
{
	struct cursor *c = (struct cursor *)cursor;
	struct table *t = table_of(c);
	struct hprof_cell cell;
	size_t row = c->row;

	if (c->ordered)
		row = row_buffer_at(&t->rows, c->column, row);
	if (c->direct)
		cell = object_cell(c, (unsigned)column);
	else
		cell = row_buffer_cell(t->is_large ? &c->rows : &t->rows, row,
				       (unsigned)column);
	result_cell(context, &cell);
	return SQLITE_OK;
}

static int read_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((struct cursor *)cursor)->number;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->rows.width = ((struct table *)table)->rows.width;
	c->direct = ((struct table *)table)->which == HPROF_TABLE_OBJECT;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct cursor *c = (struct cursor *)cursor;

	object_set_done(&c->set);
	row_buffer_free(&c->rows);
	hprof_object_rows_free(c->maker);
	hprof_cursor_free(c->reader);
	free(c);
	return SQLITE_OK;
}

const sqlite3_module virtual_table_module = {
	.iVersion = 1,
	.xCreate = connect_table,
	.xConnect = connect_table,
	.xBestIndex = choose_plan,
	.xDisconnect = disconnect_table,
	.xDestroy = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin_scan,
	.xNext = next_row,
	.xEof = at_end,
	.xColumn = read_column,
	.xRowid = read_rowid,
};
