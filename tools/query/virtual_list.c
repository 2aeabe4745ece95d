/* SPDX-License-Identifier: MIT */
/*
 * virtual_list.c - see virtual_list.h.
 */
#include "tools/query/virtual_list.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/list_rows.h"
#include "tools/query/results.h"

struct list {
	sqlite3_vtab base;
	struct query_dump *dump;
	const struct list_function *function;
};

struct list_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_int64 argument;
	size_t row;
	struct row_buffer rows;
};

static const struct list_function *find(const char *name)
{
	const struct list_function *f = list_functions;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name ? f : NULL;
}

static int connect_list(sqlite3 *db, void *dump, int argc,
			const char *const *argv, sqlite3_vtab **ret,
			char **message)
{
	const struct list_function *f = argc == 4 ? find(argv[3]) : NULL;
	struct list *l;
	char *text;
	int code;

	if (!f) {
		*message = sqlite3_mprintf("there is no such function");
		return SQLITE_ERROR;
	}
	text = sqlite3_mprintf("CREATE TABLE x(%s, \"%w\" INTEGER HIDDEN)",
			       f->columns, f->argument);
	code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
	sqlite3_free(text);
	if (code != SQLITE_OK)
		return code;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	l = calloc(1, sizeof(*l));
	if (!l)
		return SQLITE_NOMEM;
	l->dump = dump;
	l->function = f;
	*ret = &l->base;
	return SQLITE_OK;
}

static int disconnect_list(sqlite3_vtab *list)
{
	free(list);
	return SQLITE_OK;
}

/* Without its argument a function has no rows. */
static int choose_plan(sqlite3_vtab *list, sqlite3_index_info *info)
{
	const struct list_function *f = ((struct list *)list)->function;
	bool later = false;

	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != (int)f->width ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable) {
			later = true;
			continue;
		}
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->idxNum = 1;
		info->estimatedCost = 1000;
		info->estimatedRows = 20;
		return SQLITE_OK;
	}
	return later ? SQLITE_CONSTRAINT : SQLITE_OK;
}

static int begin_scan(sqlite3_vtab_cursor *cursor, int number,
		      const char *unused, int argc, sqlite3_value **argv)
{
	struct list_cursor *c = (struct list_cursor *)cursor;
	struct list *l = (struct list *)c->base.pVtab;
	struct hprof_error error = { 0 };
	enum hprof_status status;
	uint64_t object;

	(void)unused;
	(void)argc;
	row_buffer_clear(&c->rows);
	c->row = 0;
	if (number == 0) {
		sqlite3_free(l->base.zErrMsg);
		l->base.zErrMsg =
			sqlite3_mprintf("%s needs an object: %s(ID)",
					l->function->name, l->function->name);
		return SQLITE_ERROR;
	}
	object = value_object(argv[0]);
	if (object >= hprof_heap_count(query_dump_heap(l->dump)))
		return SQLITE_OK;
	c->argument = (sqlite3_int64)object;
	status = l->function->put(l->dump, object, &c->rows, &error);
	if (status < 0)
		return result_failure(&l->base.zErrMsg, status, &error);
	return c->rows.failed ? SQLITE_NOMEM : SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	((struct list_cursor *)cursor)->row++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	const struct list_cursor *c = (const struct list_cursor *)cursor;

	return c->row >= c->rows.count;
}

static int read_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
		       int column)
{
	const struct list_cursor *c = (const struct list_cursor *)cursor;
	struct hprof_cell cell;

	if (column == (int)c->rows.width) {
		sqlite3_result_int64(context, c->argument);
		return SQLITE_OK;
	}
	cell = row_buffer_cell(&c->rows, c->row, (unsigned)column);
	result_cell(context, &cell);
	return SQLITE_OK;
}

static int read_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((struct list_cursor *)cursor)->row;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *list, sqlite3_vtab_cursor **ret)
{
	struct list_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->rows.width = ((struct list *)list)->function->width;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct list_cursor *c = (struct list_cursor *)cursor;

	row_buffer_free(&c->rows);
	free(c);
	return SQLITE_OK;
}

const sqlite3_module virtual_list_module = {
	.iVersion = 1,
	.xCreate = connect_list,
	.xConnect = connect_list,
	.xBestIndex = choose_plan,
	.xDisconnect = disconnect_list,
	.xDestroy = disconnect_list,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin_scan,
	.xNext = next_row,
	.xEof = at_end,
	.xColumn = read_column,
	.xRowid = read_rowid,
};
