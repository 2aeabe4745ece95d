/* SPDX-License-Identifier: MIT */
/*
 * export_sqlite.c - a dump as an SQLite database.
 *
 * There is one prepared statement for each table. Tables are filled in the
 * order of their keys, so that each page is written once. Indexes are created
 * when all rows are there, which sorts instead of searching. An unfinished file
 * is thrown away, so nothing has to be rolled back: there is no journal, and
 * the file is synced once, by this program, before it gets its name.
 *
 * Two columns are computed from smaller ones: the address of an object, and the
 * target of a reference from its distance. Together that saves a tenth of the
 * file.
 *
 * Tables whose key has several columns are filled in a temporary database
 * first. When rows are inserted one by one, SQLite leaves an eighth of each of
 * their pages empty, even if they come in order; but it packs the pages when it
 * copies a whole table to one with the same columns. So the computed column is
 * added after that.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/export/export_heap.h"
#include "tools/export/export_sqlite.h"
#include "tools/tables/sql_views.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

struct database {
	const struct export_job *job;
	sqlite3 *sqlite;
	sqlite3_stmt *insert[HPROF_TABLE_COUNT];
	unsigned width[HPROF_TABLE_COUNT];
	struct address_fit fit;
	bool failed;
};

/* ---- failures ------------------------------------------------------------ */

/* Prints the first failure. */
static bool fail(struct database *db)
{
	if (!db->failed)
		cli_message("%s: %s", db->job->out, sqlite3_errmsg(db->sqlite));
	db->failed = true;
	return false;
}

static bool run(struct database *db, const char *sql)
{
	return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       fail(db);
}

/* ---- tables -------------------------------------------------------------- */

static const char *sql_type(enum hprof_column_type type)
{
	switch (type) {
	case HPROF_COLUMN_TEXT:
		return " TEXT";
	case HPROF_COLUMN_ANY:
		return ""; /* no affinity: 1 stays 1 and 1.0 stays 1.0 */
	default:
		return " INTEGER";
	}
}

/*
 * The name of the smaller column from which COLUMN is computed; NULL if COLUMN
 * itself is stored.
 */
static const char *stored_as(enum hprof_table table, const char *column)
{
	if (table == HPROF_TABLE_OBJECT && strcmp(column, "address") == 0)
		return "at";
	if (table == HPROF_TABLE_REFERENCE && strcmp(column, "target") == 0)
		return "distance";
	return NULL;
}

static void describe_computed(const struct database *db, enum hprof_table table,
			      FILE *out)
{
	const struct address_fit *fit = &db->fit;

	if (table == HPROF_TABLE_REFERENCE)
		fputs(" AS (source + distance)", out);
	else
		fprintf(out,
			" AS (%" PRId64 " + (id * %" PRId64
			" / %d + at) * %" PRId64 ")",
			fit->base, fit->step, ADDRESS_FIT_PARTS, fit->unit);
}

/*
 * Prints all columns, followed by the key if it has several. If the table is
 * copied, computed columns are added later, else they are in their place.
 */
static void describe_columns(const struct database *db, enum hprof_table table,
			     FILE *out)
{
	const struct hprof_table_info *info = hprof_table_info(table);

	for (unsigned i = 0; info->columns[i].name; i++) {
		const char *name = info->columns[i].name;
		const char *stored = stored_as(table, name);

		fprintf(out, "%s%s%s", i ? ", " : "",
			stored && info->key ? stored : name,
			sql_type(info->columns[i].type));
		if (i == 0 && !info->key)
			fputs(" PRIMARY KEY", out);
		if (stored && !info->key) {
			describe_computed(db, table, out);
			fprintf(out, ", %s INTEGER", stored);
		}
	}
	for (unsigned i = 0; i < info->key; i++)
		fprintf(out, "%s%s", i ? ", " : ", PRIMARY KEY (",
			info->columns[i].name);
	fputs(info->key ? ")) WITHOUT ROWID" : ")", out);
}

/* Prints "CREATE TABLE …", and a second one if it is filled elsewhere. */
static void describe_table(const struct database *db, enum hprof_table table,
			   FILE *out)
{
	const struct hprof_table_info *info = hprof_table_info(table);

	fprintf(out, "CREATE TABLE main.%s (", info->name);
	describe_columns(db, table, out);
	if (!info->key)
		return;
	fprintf(out, "; CREATE TABLE stage.%s (", info->name);
	describe_columns(db, table, out);
}

/* Prints the statements for a table that has all rows. */
static void describe_end(const struct database *db, enum hprof_table table,
			 FILE *out)
{
	const struct hprof_table_info *info = hprof_table_info(table);

	if (!info->key)
		return;
	fprintf(out, "INSERT INTO main.%s SELECT * FROM stage.%s;", info->name,
		info->name);
	for (unsigned i = 0; info->columns[i].name; i++) {
		const char *name = info->columns[i].name;

		if (!stored_as(table, name))
			continue;
		fprintf(out, "ALTER TABLE main.%s ADD COLUMN %s INTEGER",
			info->name, name);
		describe_computed(db, table, out);
	}
}

static void describe_insert(const struct database *db, enum hprof_table table,
			    FILE *out)
{
	const struct hprof_table_info *info = hprof_table_info(table);

	(void)db;
	fprintf(out, "INSERT INTO %s.%s (", info->key ? "stage" : "main",
		info->name);
	for (unsigned i = 0; info->columns[i].name; i++) {
		const char *name = info->columns[i].name;
		const char *stored = stored_as(table, name);

		fprintf(out, "%s%s", i ? ", " : "", stored ? stored : name);
	}
	fputs(") VALUES (?", out);
	for (unsigned i = 1; info->columns[i].name; i++)
		fputs(", ?", out);
	fputs(")", out);
}

typedef void describe_fn(const struct database *db, enum hprof_table table,
			 FILE *out);

/* Returns what HOW prints about the table as a string. */
static char *describe(const struct database *db, enum hprof_table table,
		      describe_fn *how)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		how(db, table, out);
		if (cli_close_text(out, &text))
			return text;
	}
	free(text);
	cli_message("out of memory");
	exit(CLI_TROUBLE);
}

static bool make_table(struct database *db, enum hprof_table table)
{
	char *sql = describe(db, table, describe_table);
	bool done = run(db, sql);

	free(sql);
	if (!done)
		return false;
	sql = describe(db, table, describe_insert);
	done = sqlite3_prepare_v2(db->sqlite, sql, -1, &db->insert[table],
				  NULL) == SQLITE_OK;
	free(sql);
	db->width[table] = hprof_table_width(table);
	return done || fail(db);
}

static bool make_tables(struct database *db)
{
	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++)
		if (!make_table(db, (enum hprof_table)i))
			return false;
	return true;
}

static void end_inserts(struct database *db)
{
	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		sqlite3_finalize(db->insert[i]);
		db->insert[i] = NULL;
	}
}

/* Called when all rows are there. Detaches the temporary database. */
static bool end_tables(struct database *db)
{
	end_inserts(db);
	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		char *sql = describe(db, (enum hprof_table)i, describe_end);
		bool done;

		progress_phase(db->job->progress, "tables", i,
			       HPROF_TABLE_COUNT);
		done = run(db, sql);
		free(sql);
		if (!done)
			return false;
	}
	return run(db, "COMMIT; DETACH stage; BEGIN");
}

/* ---- rows ---------------------------------------------------------------- */

static int bind(sqlite3_stmt *statement, int column,
		const struct hprof_cell *cell)
{
	switch (cell->kind) {
	case HPROF_CELL_NUMBER:
	case HPROF_CELL_ADDRESS:
		return sqlite3_bind_int64(statement, column, cell->number);
	case HPROF_CELL_REAL:
		return sqlite3_bind_double(statement, column, cell->real);
	case HPROF_CELL_TEXT:
		return sqlite3_bind_text(statement, column, cell->text, -1,
					 SQLITE_STATIC);
	default:
		return sqlite3_bind_null(statement, column);
	}
}

static bool put_row(void *user, enum hprof_table table,
		    const struct hprof_cell *cells)
{
	struct database *db = user;
	sqlite3_stmt *statement = db->insert[table];
	unsigned width = db->width[table];
	struct hprof_cell stored[HPROF_TABLE_COLUMNS];

	if (table == HPROF_TABLE_OBJECT || table == HPROF_TABLE_REFERENCE) {
		memcpy(stored, cells, width * sizeof(*cells));
		if (table == HPROF_TABLE_OBJECT)
			stored[1].number = address_fit_rest(
				&db->fit, cells[0].number, cells[1].number);
		else
			stored[2].number -= cells[0].number;
		cells = stored;
	}
	for (unsigned i = 0; i < width; i++)
		if (bind(statement, (int)i + 1, &cells[i]) != SQLITE_OK)
			return fail(db);
	if (sqlite3_step(statement) != SQLITE_DONE)
		return fail(db);
	sqlite3_reset(statement);
	return true;
}

/* ---- the database -------------------------------------------------------- */

static bool open_database(struct database *db, const char *path)
{
	char threads[64];
	/* A name that starts with "file:" would be taken for a URI. */
	bool absolute = path[0] == '/';
	size_t size = strlen(path) + 3;
	char *name = cli_calloc(size, 1);
	int result;

	snprintf(name, size, "%s%s", absolute ? "" : "./", path);
	result = sqlite3_open_v2(name, &db->sqlite,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
					 SQLITE_OPEN_NOMUTEX,
				 NULL);
	free(name);
	if (result != SQLITE_OK)
		return fail(db);
	snprintf(threads, sizeof(threads), "PRAGMA threads = %u",
		 db->job->threads > 1 ? db->job->threads - 1 : 0);
	return run(db, sqlite_pragmas) && run(db, threads) &&
	       run(db, sqlite_stage) && run(db, "BEGIN");
}

static bool fill(struct database *db, const struct export_heap *heap)
{
	struct hprof_tables_walk walk = export_heap_walk(heap, db->job);
	struct hprof_error error = { 0 };
	enum hprof_status status;

	walk.row = put_row;
	walk.user = db;
	status = hprof_tables_walk(&walk, &error);
	if (status < 0)
		cli_message("%s: %s", db->job->in, error.text);
	return status == HPROF_OK;
}

static bool make_indexes(struct database *db)
{
	for (unsigned i = 0; sqlite_indexes[i]; i++) {
		progress_phase(db->job->progress, "indexes", i,
			       sqlite_index_count);
		if (!run(db, sqlite_indexes[i]))
			return false;
	}
	return run(db, sql_views) && run(db, sqlite_last);
}

static bool close_database(struct database *db)
{
	bool closed;

	end_inserts(db);
	closed = sqlite3_close(db->sqlite) == SQLITE_OK;
	return closed || fail(db);
}

static int convert(const struct export_job *job, const struct export_heap *heap)
{
	struct database db = { .job = job };
	struct hprof_error error = { 0 };
	struct export_part part;
	bool done;

	if (address_fit_find(heap->heap, job->progress, &db.fit, &error) < 0) {
		cli_message("%s: %s", job->in, error.text);
		return CLI_TROUBLE;
	}
	if (!export_part_begin(&part, job, false))
		return CLI_TROUBLE;
	done = open_database(&db, part.part) && make_tables(&db) &&
	       fill(&db, heap) && end_tables(&db) && make_indexes(&db) &&
	       run(&db, "COMMIT");
	done = close_database(&db) && done;
	return export_part_end(&part, job,
			       done ? export_heap_status(heap) : CLI_TROUBLE);
}

static int run_sqlite(struct export_job *job)
{
	struct export_heap heap;
	int status;

	if (strcmp(job->out, "-") == 0)
		cli_usage_error("a database is a file, '-' is none");
	if (!export_heap_open(&heap, job))
		return CLI_TROUBLE;
	status = convert(job, &heap);
	export_heap_close(&heap);
	return status;
}

#else /* no SQLite */

static int run_sqlite(struct export_job *job)
{
	cli_message("%s: this hprof-convert was built without SQLite",
		    job->out);
	return CLI_TROUBLE;
}

#endif

const struct export_form export_sqlite = {
	.name = "sqlite",
	.suffixes = ".sqlite .sqlite3 .db",
	.run = run_sqlite,
};
