/* SPDX-License-Identifier: MIT */
/*
 * class_table.c - see class_table.h. An object is read only for the columns
 * that a statement asks for.
 */
#include "tools/query/class_table.h"

#include <stdlib.h>
#include <string.h>

#include "tools/query/class_columns.h"
#include "tools/query/class_kin.h"
#include "tools/query/object_set.h"
#include "tools/query/results.h"

struct class_table {
	sqlite3_vtab base;
	struct query_dump *dump;
	char *name; /* without + */
	bool subclasses;
	size_t row; /* the first of that name */
	struct class_columns columns;
	struct class_kin *kin; /* of that name */
};

struct class_cursor {
	sqlite3_vtab_cursor base;
	struct hprof_cursor *reader;
	struct object_set set;
	size_t row; /* of the class whose objects are visited */
	uint64_t object;
	bool is_one;  /* the object was given */
	bool is_read; /* FOUND is of the object */
	struct hprof_object found;
	/*
	 * A statement may read a field several times: all of them give the same,
	 * and count once.
	 */
	struct hprof_text_limit texts, of_row; /* now, and before the row */
	uint64_t *counted; /* by field: the last object of which it was, + 1 */
};

/* ---- names --------------------------------------------------------------- */

/* The class without +, *RET_SUBCLASSES said so; free it with free. */
static char *class_name(const char *name, bool *ret_subclasses)
{
	size_t size = strlen(name);
	char *copy = malloc(size + 1);

	if (!copy)
		return NULL;
	memcpy(copy, name, size + 1);
	*ret_subclasses = size > 1 && name[size - 1] == '+';
	if (*ret_subclasses)
		copy[size - 1] = '\0';
	return copy;
}

bool class_table_exists(const struct query_dump *dump, const char *name)
{
	bool subclasses;
	char *class = class_name(name, &subclasses);
	bool found = class && hprof_heap_class_named(query_dump_heap(dump),
						     class, 0) != SIZE_MAX;

	free(class);
	return found;
}

/* "java.util.HashMap" without its quotes, in place. */
static void unquote(char *text)
{
	char *to = text;

	if (*text != '"')
		return;
	for (const char *from = text + 1; *from; from++) {
		if (*from == '"' && *++from != '"')
			break;
		*to++ = *from;
	}
	*to = '\0';
}

/* ---- the table ----------------------------------------------------------- */

static void free_table(struct class_table *t)
{
	class_columns_done(&t->columns);
	class_kin_free(t->kin);
	free(t->name);
	free(t);
}

static int declare(sqlite3 *db, const struct class_table *t)
{
	char *text = class_columns_declare(&t->columns);
	int code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;

	sqlite3_free(text);
	return code;
}

static int find_class(struct class_table *t, const char *argument,
		      char **message)
{
	const struct hprof_heap *heap = query_dump_heap(t->dump);
	char *name = sqlite3_mprintf("%s", argument);

	if (!name)
		return SQLITE_NOMEM;
	unquote(name);
	t->name = class_name(name, &t->subclasses);
	sqlite3_free(name);
	if (!t->name)
		return SQLITE_NOMEM;
	t->row = hprof_heap_class_named(heap, t->name, 0);
	if (t->row == SIZE_MAX) {
		*message = sqlite3_mprintf("there is no class %s", t->name);
		return SQLITE_ERROR;
	}
	t->kin = class_kin_new(heap, t->name);
	if (!t->kin || !class_columns_init(&t->columns, heap, t->row))
		return SQLITE_NOMEM;
	return SQLITE_OK;
}

static int connect_named(sqlite3 *db, void *dump, const char *name,
			 sqlite3_vtab **ret, char **message)
{
	struct class_table *t = calloc(1, sizeof(*t));
	int code;

	if (!t)
		return SQLITE_NOMEM;
	t->dump = dump;
	code = find_class(t, name, message);
	if (code == SQLITE_OK)
		code = declare(db, t);
	if (code != SQLITE_OK) {
		free_table(t);
		return code;
	}
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	*ret = &t->base;
	return SQLITE_OK;
}

static int connect_class(sqlite3 *db, void *dump, int argc,
			 const char *const *argv, sqlite3_vtab **ret,
			 char **message)
{
	return argc == 4 ? connect_named(db, dump, argv[3], ret, message)
			 : SQLITE_ERROR;
}

static int connect_own(sqlite3 *db, void *dump, int argc,
		       const char *const *argv, sqlite3_vtab **ret,
		       char **message)
{
	(void)argc;
	return connect_named(db, dump, argv[0], ret, message);
}

static int connect_behind_dot(sqlite3 *db, void *dump, int argc,
			      const char *const *argv, sqlite3_vtab **ret,
			      char **message)
{
	const char *dot = strchr(argv[0], '.');

	(void)argc;
	return dot ? connect_named(db, dump, dot + 1, ret, message)
		   : SQLITE_ERROR;
}

static int disconnect_class(sqlite3_vtab *table)
{
	free_table((struct class_table *)table);
	return SQLITE_OK;
}

/* The number of the plan: 1 if the object is given. */
static int choose_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct class_table *t = (const struct class_table *)table;
	const struct hprof_summary *s =
		hprof_heap_summary(query_dump_heap(t->dump));
	double rows = (double)s->class_rows[t->row].instances + 1;

	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != CLASS_COLUMN_OBJECT ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
		    !info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedRows = 1;
		info->estimatedCost = 4;
		return SQLITE_OK;
	}
	info->estimatedRows = (sqlite3_int64)rows;
	info->estimatedCost = rows * 4;
	return SQLITE_OK;
}

/* ---- the cursor ---------------------------------------------------------- */

static struct class_table *table_of(const struct class_cursor *c)
{
	return (struct class_table *)c->base.pVtab;
}

static int fail(struct class_cursor *c, enum hprof_status status,
		const struct hprof_error *error)
{
	return result_failure(&table_of(c)->base.zErrMsg, status, error);
}

/* Goes on with the next class of that name when one is done. */
static int advance(struct class_cursor *c)
{
	struct class_table *t = table_of(c);
	struct hprof_error error = { 0 };
	const struct hprof_class_index *classes;

	c->is_read = false;
	if (c->is_one) {
		c->object = HPROF_NO_OBJECT;
		return SQLITE_OK;
	}
	while ((c->object = object_set_next(&c->set)) == HPROF_NO_OBJECT) {
		size_t from = c->row == SIZE_MAX ? 0 : c->row + 1;

		c->row = hprof_heap_class_named(query_dump_heap(t->dump),
						t->name, from);
		if (c->row == SIZE_MAX)
			return SQLITE_OK;
		classes = query_dump_classes(t->dump, &error);
		if (!classes)
			return fail(c, error.status, &error);
		object_set_class(&c->set, classes, c->row, t->subclasses);
	}
	return SQLITE_OK;
}

static int read_object(struct class_cursor *c)
{
	enum hprof_status status;

	if (c->is_read)
		return SQLITE_OK;
	status = hprof_cursor_seek(c->reader, c->object, &c->found);
	if (status != HPROF_OK)
		return fail(c, status, hprof_cursor_error(c->reader));
	c->is_read = true;
	c->of_row = c->texts;
	return SQLITE_OK;
}

/* Is it an object of the table? */
static bool is_member(const struct class_cursor *c)
{
	const struct class_table *t = table_of(c);
	const struct hprof_summary *s =
		hprof_heap_summary(query_dump_heap(t->dump));
	size_t of = c->found.class_row;

	if (c->found.kind == HPROF_OBJECT_CLASS || of >= s->class_count)
		return false;
	return t->subclasses ? class_kin_has(t->kin, of)
			     : strcmp(s->class_rows[of].name, t->name) == 0;
}

static int find_one(struct class_cursor *c, uint64_t object)
{
	int code;

	c->is_one = true;
	c->object = object;
	if (object >= hprof_heap_count(query_dump_heap(table_of(c)->dump))) {
		c->object = HPROF_NO_OBJECT;
		return SQLITE_OK;
	}
	code = read_object(c);
	if (code == SQLITE_OK && !is_member(c))
		c->object = HPROF_NO_OBJECT;
	return code;
}

static int begin_scan(sqlite3_vtab_cursor *cursor, int number,
		      const char *unused, int argc, sqlite3_value **argv)
{
	struct class_cursor *c = (struct class_cursor *)cursor;
	struct hprof_error error = { 0 };
	enum hprof_status status = HPROF_OK;

	(void)unused;
	(void)argc;
	if (!c->reader)
		status = hprof_cursor_new(query_dump_heap(table_of(c)->dump),
					  &c->reader, &error);
	if (status != HPROF_OK)
		return fail(c, status, &error);
	object_set_done(&c->set);
	c->is_read = c->is_one = false;
	/* As the inner table of a join it is walked through again and again. */
	c->texts = hprof_text_limit_of(query_dump_heap(table_of(c)->dump));
	if (number == 1)
		return find_one(c, value_object(argv[0]));
	c->row = SIZE_MAX;
	return advance(c);
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	return advance((struct class_cursor *)cursor);
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct class_cursor *)cursor)->object == HPROF_NO_OBJECT;
}

/* ---- columns ------------------------------------------------------------- */

static int read_retained(struct class_cursor *c, sqlite3_context *context)
{
	struct hprof_error error = { 0 };
	const struct hprof_graph *graph =
		query_dump_graph(table_of(c)->dump, QUERY_GRAPH_SIZES, &error);

	if (!graph)
		return fail(c, error.status, &error);
	if (hprof_graph_is_reachable(graph, c->object))
		sqlite3_result_int64(
			context,
			(sqlite3_int64)hprof_graph_retained(graph, c->object));
	return SQLITE_OK;
}

static int read_field(struct class_cursor *c, sqlite3_context *context,
		      size_t i)
{
	struct class_table *t = table_of(c);
	size_t place = class_columns_place(&t->columns, c->found.class_row, i);
	struct hprof_text_limit texts = c->of_row;
	struct hprof_field field;
	enum hprof_status status;

	if (place == SIZE_MAX)
		return SQLITE_OK;
	status = hprof_cursor_field(c->reader, place, &field);
	if (status == HPROF_OK)
		status = result_bits(context, c->reader, field.type,
				     field.value, &texts);
	if (c->counted[i] != c->object + 1)
		hprof_text_limit_take(&c->texts, c->of_row.left - texts.left);
	c->counted[i] = c->object + 1;
	return status < 0 ? fail(c, status, hprof_cursor_error(c->reader))
			  : SQLITE_OK;
}

static int read_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
		       int column)
{
	struct class_cursor *c = (struct class_cursor *)cursor;
	int code = SQLITE_OK;

	if (column == CLASS_COLUMN_OBJECT) {
		sqlite3_result_int64(context, (sqlite3_int64)c->object);
		return SQLITE_OK;
	}
	if (column == CLASS_COLUMN_RETAINED)
		return read_retained(c, context);
	code = read_object(c);
	if (code != SQLITE_OK)
		return code;
	if (column == CLASS_COLUMN_CLASS)
		sqlite3_result_int64(context,
				     (sqlite3_int64)c->found.class_row);
	else if (column == CLASS_COLUMN_SHALLOW)
		sqlite3_result_int64(context, (sqlite3_int64)c->found.shallow);
	else if (column >= CLASS_COLUMNS_FIRST)
		return read_field(c, context,
				  (size_t)(column - CLASS_COLUMNS_FIRST));
	else if (c->found.kind == HPROF_OBJECT_OBJ_ARRAY ||
		 c->found.kind == HPROF_OBJECT_PRIM_ARRAY)
		sqlite3_result_int64(context, (sqlite3_int64)c->found.length);
	return SQLITE_OK;
}

static int read_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((struct class_cursor *)cursor)->object;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	const struct class_table *t = (const struct class_table *)table;
	struct class_cursor *c = calloc(1, sizeof(*c));

	if (c)
		c->counted = calloc(t->columns.shown + 1, sizeof(*c->counted));
	if (!c || !c->counted) {
		free(c);
		return SQLITE_NOMEM;
	}
	c->object = HPROF_NO_OBJECT;
	*ret = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	struct class_cursor *c = (struct class_cursor *)cursor;

	object_set_done(&c->set);
	hprof_cursor_free(c->reader);
	free(c->counted);
	free(c);
	return SQLITE_OK;
}

#define CLASS_MODULE                                                           \
	.iVersion = 1, .xBestIndex = choose_plan,                              \
	.xDisconnect = disconnect_class, .xOpen = open_cursor,                 \
	.xClose = close_cursor, .xFilter = begin_scan, .xNext = next_row,      \
	.xEof = at_end, .xColumn = read_column, .xRowid = read_rowid

const sqlite3_module class_table_module = {
	CLASS_MODULE,
	.xCreate = connect_class,
	.xConnect = connect_class,
	.xDestroy = disconnect_class,
};

const sqlite3_module class_named_module = {
	CLASS_MODULE,
	.xConnect = connect_own,
};

const sqlite3_module class_behind_dot_module = {
	CLASS_MODULE,
	.xConnect = connect_behind_dot,
};
