/* SPDX-License-Identifier: MIT */
/*
 * tables.c - see tables.h. Each schema has modules of its own, whose client data
 * is its dump.
 */
#include "tools/query/tables.h"

#include <string.h>

#include "tools/query/class_table.h"
#include "tools/query/functions.h"
#include "tools/query/list_rows.h"
#include "tools/query/virtual_list.h"
#include "tools/query/virtual_table.h"
#include "tools/tables/sql_views.h"

static int add_module(sqlite3 *db, const char *schema, const char *kind,
		      const sqlite3_module *module, struct query_dump *dump)
{
	char *name = sqlite3_mprintf("hprof_%s_%s", kind, schema);
	int code = name ? sqlite3_create_module_v2(db, name, module, dump, NULL)
			: SQLITE_NOMEM;

	sqlite3_free(name);
	return code;
}

/* ARGUMENT goes into the statement as it is. */
static int add_table(sqlite3 *db, const char *schema, const char *kind,
		     const char *name, const char *argument)
{
	char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\".\"%w\" USING "
				    "\"hprof_%w_%w\"(%s)",
				    schema, name, kind, schema, argument);
	int code = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code;
}

/* "CREATE VIEW name" becomes "CREATE VIEW schema.name". */
static int add_views(sqlite3 *db, const char *schema)
{
	static const char create[] = "CREATE VIEW ";
	const char *at = sql_views;
	int code = SQLITE_OK;

	while (code == SQLITE_OK && *at) {
		const char *end = strstr(at, ";\n");
		int size = (int)(end - at) - (int)strlen(create);
		char *sql = sqlite3_mprintf("%s\"%w\".%.*s", create, schema,
					    size, at + strlen(create));

		code = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL)
			   : SQLITE_NOMEM;
		sqlite3_free(sql);
		at = end + 2;
	}
	return code;
}

static int add_functions(sqlite3 *db, const char *schema,
			 struct query_dump *dump)
{
	char *prefix;
	int code;

	if (strcmp(schema, "main") == 0 || strcmp(schema, "temp") == 0)
		return functions_add(db, dump, "");
	prefix = sqlite3_mprintf("%s_", schema);
	code = prefix ? functions_add(db, dump, prefix) : SQLITE_NOMEM;
	sqlite3_free(prefix);
	return code;
}

int query_tables_add(sqlite3 *db, const char *schema, struct query_dump *dump)
{
	int code = add_module(db, schema, "table", &virtual_table_module, dump);

	if (code == SQLITE_OK)
		code = add_module(db, schema, "list", &virtual_list_module,
				  dump);
	if (code == SQLITE_OK)
		code = add_module(db, schema, "class", &class_table_module,
				  dump);
	for (unsigned i = 0; i < HPROF_TABLE_COUNT && code == SQLITE_OK; i++)
		code = add_table(db, schema, "table", hprof_table_info(i)->name,
				 hprof_table_info(i)->name);
	for (unsigned i = 0; list_functions[i].name && code == SQLITE_OK; i++)
		code = add_table(db, schema, "list", list_functions[i].name,
				 list_functions[i].name);
	if (code == SQLITE_OK)
		code = add_views(db, schema);
	return code == SQLITE_OK ? add_functions(db, schema, dump) : code;
}

int query_tables_add_class(sqlite3 *db, const char *schema,
			   struct query_dump *dump, const char *name,
			   bool *ret_added)
{
	char *argument;
	int code;

	*ret_added = false;
	if (!class_table_exists(dump, name))
		return SQLITE_OK;
	argument = sqlite3_mprintf("\"%w\"", name);
	code = argument ? add_table(db, schema, "class", name, argument)
			: SQLITE_NOMEM;
	sqlite3_free(argument);
	*ret_added = code == SQLITE_OK;
	return code;
}
