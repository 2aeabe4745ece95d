/* SPDX-License-Identifier: MIT */
/*
 * extension.c - the tables of hprof-query for any program that has SQLite:
 * libhprof-sqlite(7).
 *
 * SELECT hprof_open('heap.hprof') adds what hprof-query has. A statement cannot
 * be tried again here when a class turns out to be missing, as a session of
 * hprof-query does; instead each class is a module from the start, since SQLite
 * takes a name that is no table for a module that needs no CREATE.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tools/query/class_table.h"
#include "tools/query/functions.h"
#include "tools/query/query_dump.h"
#include "tools/query/tables.h"

enum { SCHEMA_MOST = 63 };

/* ---- schemas ------------------------------------------------------------- */

static bool is_plain(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");

	return size > 0 && !name[size] && size <= SCHEMA_MOST;
}

/* What SQL gives, NULL for no row or an error; free it with sqlite3_free. */
static char *ask(sqlite3 *db, const char *sql, const char *argument)
{
	sqlite3_stmt *statement;
	char *answer = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return NULL;
	sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW)
		answer = sqlite3_mprintf("%s",
					 sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return answer;
}

/* Is there a module of that name, such as that of a dump? */
static bool has_module(sqlite3 *db, const char *name)
{
	char *found = ask(db,
			  "SELECT name FROM pragma_module_list "
			  "WHERE name = ?1 COLLATE NOCASE",
			  name);
	bool has = found != NULL;

	sqlite3_free(found);
	return has;
}

static bool has_dump(sqlite3 *db, const char *schema)
{
	char *module = sqlite3_mprintf("hprof_table_%s", schema);
	bool has = module && has_module(db, module);

	sqlite3_free(module);
	return has;
}

/* Is it a schema whose tables would go to a file? */
static bool has_file(sqlite3 *db, const char *schema)
{
	char *file = ask(db,
			 "SELECT file FROM pragma_database_list "
			 "WHERE name = ?1 COLLATE NOCASE AND name <> 'temp'",
			 schema);
	bool has = file && *file;

	sqlite3_free(file);
	return has;
}

/* Attaches an empty database unless there is one of that name. */
static int make_schema(sqlite3 *db, const char *schema)
{
	char *sql;
	int code;

	if (strcmp(schema, "temp") == 0 ||
	    sqlite3_db_readonly(db, schema) != -1)
		return SQLITE_OK;
	sql = sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", schema);
	code = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return code;
}

/* ---- a dump -------------------------------------------------------------- */

static int add_class(sqlite3 *db, const char *schema, const char *name,
		     const char *plus, struct query_dump *dump)
{
	bool is_temp = strcmp(schema, "temp") == 0;
	char *module = is_temp ? sqlite3_mprintf("%s%s", name, plus)
			       : sqlite3_mprintf("%s.%s%s", schema, name, plus);
	int code = SQLITE_NOMEM;

	if (!module)
		return code;
	/* A class without a package must not replace what others registered. */
	if (strpbrk(module, ".[+") || !has_module(db, module))
		code = sqlite3_create_module_v2(
			db, module,
			is_temp ? &class_named_module
				: &class_behind_dot_module,
			dump, NULL);
	else
		code = SQLITE_OK;
	sqlite3_free(module);
	return code;
}

static int add_classes(sqlite3 *db, const char *schema, struct query_dump *dump)
{
	const struct hprof_summary *s =
		hprof_heap_summary(query_dump_heap(dump));
	int code = SQLITE_OK;

	for (size_t i = 0; i < s->class_count && code == SQLITE_OK; i++) {
		code = add_class(db, schema, s->class_rows[i].name, "", dump);
		if (code == SQLITE_OK)
			code = add_class(db, schema, s->class_rows[i].name, "+",
					 dump);
	}
	return code;
}

static void free_dump(void *dump)
{
	query_dump_free(dump);
}

/* Cannot be used: the module is there to free its dump behind all others. */
static int refuse(sqlite3 *db, void *dump, int argc, const char *const *argv,
		  sqlite3_vtab **ret, char **message)
{
	(void)db;
	(void)dump;
	(void)argc;
	(void)argv;
	(void)ret;
	*message = sqlite3_mprintf("this is not a table");
	return SQLITE_ERROR;
}

static const sqlite3_module keeper = { .iVersion = 1, .xConnect = refuse };

/*
 * Takes DUMP in any case. SQLite frees modules when the connection is closed,
 * after all tables and functions.
 */
static int keep(sqlite3 *db, const char *schema, struct query_dump *dump)
{
	char *name = sqlite3_mprintf("hprof_dump_%s", schema);
	int code;

	if (!name) {
		query_dump_free(dump);
		return SQLITE_NOMEM;
	}
	code = sqlite3_create_module_v2(db, name, &keeper, dump, free_dump);
	sqlite3_free(name);
	return code;
}

static int add_dump(sqlite3 *db, const char *schema, struct query_dump *dump)
{
	int code = keep(db, schema, dump);

	if (code == SQLITE_OK)
		code = query_tables_add(db, schema, dump);
	return code == SQLITE_OK ? add_classes(db, schema, dump) : code;
}

/* ---- hprof_open(FILE [, SCHEMA]) ----------------------------------------- */

static void fail(sqlite3_context *context, char *message)
{
	if (message)
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(message);
}

/* False: the result says why the tables cannot go there. */
static bool check_schema(sqlite3_context *context, const char *schema)
{
	sqlite3 *db = sqlite3_context_db_handle(context);
	char *message;

	if (!is_plain(schema))
		message = sqlite3_mprintf("a schema is named by at most %d of "
					  "the characters a-z, 0-9, _",
					  SCHEMA_MOST);
	else if (has_dump(db, schema))
		message = sqlite3_mprintf("schema %s has a dump already: give "
					  "hprof_open another one",
					  schema);
	else if (has_file(db, schema))
		message = sqlite3_mprintf("schema %s is a file, which would "
					  "be written to",
					  schema);
	else
		return true;
	fail(context, message);
	return false;
}

static struct query_dump *open_dump(sqlite3_context *context, const char *path)
{
	const struct hprof_input input = { .size = sizeof(input),
					   .path = path };
	const struct hprof_heap_options how = { .size = sizeof(how) };
	const struct hprof_graph_options graph = { .size = sizeof(graph) };
	struct hprof_error error = { 0 };
	struct hprof_heap *heap;
	struct query_dump *dump;
	enum hprof_status status = hprof_heap_open(&input, &how, &heap, &error);

	if (status != HPROF_OK) {
		fail(context, sqlite3_mprintf("%s: %s", path, error.text));
		return NULL;
	}
	dump = query_dump_new(heap, path, &graph, NULL);
	if (!dump)
		sqlite3_result_error_nomem(context);
	return dump;
}

/* "3 objects", and whether the dump is damaged. */
static void tell(sqlite3_context *context, const struct query_dump *dump)
{
	const struct hprof_summary *s =
		hprof_heap_summary(query_dump_heap(dump));
	char *text = sqlite3_mprintf("%llu objects%s",
				     (unsigned long long)s->objects,
				     s->errors ? "; the dump is damaged: see "
						 "hprof-check(1)"
					       : "");

	if (text)
		sqlite3_result_text(context, text, -1, sqlite3_free);
	else
		sqlite3_result_error_nomem(context);
}

static void open_function(sqlite3_context *context, int argc,
			  sqlite3_value **argv)
{
	sqlite3 *db = sqlite3_context_db_handle(context);
	const char *path = (const char *)sqlite3_value_text(argv[0]);
	const char *schema =
		argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : "temp";
	struct query_dump *dump;

	if (!path || !schema) {
		fail(context, sqlite3_mprintf("hprof_open(FILE [, SCHEMA])"));
		return;
	}
	if (!check_schema(context, schema))
		return;
	dump = open_dump(context, path);
	if (!dump)
		return;
	if (make_schema(db, schema) != SQLITE_OK) {
		query_dump_free(dump);
		fail(context, sqlite3_mprintf("%s", sqlite3_errmsg(db)));
	} else if (add_dump(db, schema, dump) != SQLITE_OK) {
		fail(context, sqlite3_mprintf("%s", sqlite3_errmsg(db)));
	} else {
		tell(context, dump);
	}
}

/* SQLite finds it by the name of the file. */
int sqlite3_hprofsqlite_init(sqlite3 *db, char **message,
			     const sqlite3_api_routines *api);

int sqlite3_hprofsqlite_init(sqlite3 *db, char **message,
			     const sqlite3_api_routines *api)
{
	int code;

	(void)message;
	sqlite3_api = api;
	code = functions_add_regexp(db);
	/* DIRECTONLY: a schema of a stranger must not open files. */
	for (int i = 1; i <= 2 && code == SQLITE_OK; i++)
		code = sqlite3_create_function_v2(
			db, "hprof_open", i, SQLITE_UTF8 | SQLITE_DIRECTONLY,
			NULL, open_function, NULL, NULL, NULL);
	return code;
}
