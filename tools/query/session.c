/* SPDX-License-Identifier: MIT */
/*
 * session.c - see session.h.
 *
 * Statements come from people and from files, so nothing that they say writes
 * anywhere: the database is in memory, an authorizer refuses all that does not
 * read, and what SQLite sorts stays in memory, too.
 */
#include "tools/query/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/clock.h"
#include "tools/common/diagnostics.h"
#include "tools/query/count_rewrite.h"
#include "tools/query/functions.h"
#include "tools/query/query_dump.h"
#include "tools/query/tables.h"

enum {
	STEPS = 20000,	/* of SQLite between two looks at the clock */
	CLASSES = 1000, /* tables of classes that one statement names */
	NAME_MOST = 4096
};

struct attached {
	char *name;
	struct query_dump *dump;
};

struct query_session {
	sqlite3 *db;
	const struct query_session_options *options;
	struct attached *dumps;
	size_t count;
	bool setting_up; /* the program's own statements */
	uint64_t end_ms; /* of the statement; 0: no limit */
	bool timed_out;
	volatile sig_atomic_t interrupted;
	struct progress progress;
};

/* ---- limits -------------------------------------------------------------- */

static bool must_end(struct query_session *s)
{
	if (s->end_ms && clock_ms() >= s->end_ms)
		s->timed_out = true;
	return s->timed_out || s->interrupted;
}

/* SQLite's progress handler. */
static int look_up(void *session)
{
	return must_end(session);
}

/* An hprof_progress_fn. */
static bool show_progress(void *user, const char *phase, uint64_t done,
			  uint64_t total)
{
	struct query_session *s = user;

	progress_phase(&s->progress, phase, done, total);
	return !must_end(s);
}

/* Rows may follow, so the line of the progress goes. */
static void rest(void *user)
{
	struct query_session *s = user;
	const struct input_options *input = s->options->input;

	progress_end(&s->progress);
	progress_begin(&s->progress, input->program, input->progress);
}

/* Pragmas that only say what is there. */
static bool is_question(const char *pragma)
{
	static const char *const questions[] = { "table_info", "table_xinfo",
						 "table_list", "database_list",
						 "function_list" };

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		if (sqlite3_stricmp(pragma, questions[i]) == 0)
			return true;
	return false;
}

/* Functions that reach beyond the database. */
static bool is_dangerous(const char *function)
{
	return sqlite3_stricmp(function, "load_extension") == 0 ||
	       sqlite3_stricmp(function, "fts3_tokenizer") == 0;
}

/* SQLite's authorizer. */
static int authorize(void *session, int action, const char *a, const char *b,
		     const char *c, const char *d)
{
	const struct query_session *s = session;

	(void)c;
	(void)d;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return s->setting_up || !is_dangerous(b) ? SQLITE_OK
							 : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return s->setting_up || is_question(a) ? SQLITE_OK
						       : SQLITE_DENY;
	default:
		return s->setting_up ? SQLITE_OK : SQLITE_DENY;
	}
}

/* ---- the connection ------------------------------------------------------ */

static void say_failure(const struct query_session *s)
{
	cli_message("%s", sqlite3_errmsg(s->db));
}

static bool run(struct query_session *s, const char *sql)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	say_failure(s);
	return false;
}

struct query_session *
query_session_new(const struct query_session_options *options)
{
	struct query_session *s = cli_calloc(1, sizeof(*s));

	s->options = options;
	if (sqlite3_open_v2(":memory:", &s->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		cli_out_of_memory();
	s->setting_up = true;
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0,
			  NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* "name" is never a text, so a misspelt column is an error. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_set_authorizer(s->db, authorize, s);
	sqlite3_progress_handler(s->db, STEPS, look_up, s);
	if (options->memory)
		sqlite3_hard_heap_limit64(
			options->memory > INT64_MAX
				? INT64_MAX
				: (sqlite3_int64)options->memory);
	if (!run(s, "PRAGMA temp_store = MEMORY") ||
	    functions_add_regexp(s->db) != SQLITE_OK)
		cli_out_of_memory();
	return s;
}

void query_session_free(struct query_session *s)
{
	sqlite3_close(s->db);
	for (size_t i = 0; i < s->count; i++) {
		query_dump_free(s->dumps[i].dump);
		free(s->dumps[i].name);
	}
	free(s->dumps);
	free(s);
}

/* ---- dumps --------------------------------------------------------------- */

static struct query_dump *find_dump(const struct query_session *s,
				    const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (sqlite3_stricmp(s->dumps[i].name, name) == 0)
			return s->dumps[i].dump;
	return NULL;
}

static bool attach(struct query_session *s, const char *name)
{
	char *sql = sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", name);
	bool done = sql && run(s, sql);

	sqlite3_free(sql);
	return done;
}

static bool add_dump(struct query_session *s, const char *name,
		     struct query_dump *dump)
{
	if (strcmp(name, "main") != 0 && !attach(s, name))
		return false;
	s->dumps = cli_realloc(s->dumps, s->count + 1, sizeof(*s->dumps));
	s->dumps[s->count++] =
		(struct attached){ .name = cli_strdup(name), .dump = dump };
	if (query_tables_add(s->db, name, dump) == SQLITE_OK)
		return true;
	say_failure(s);
	return false;
}

int query_session_open(struct query_session *s, const char *name,
		       const char *path)
{
	struct hprof_heap *heap = input_heap(path, s->options->input);
	struct hprof_graph_options graph = s->options->input->graph;
	const struct hprof_summary *summary;
	struct query_dump *dump;
	int status = CLI_FINE;

	if (!heap)
		return CLI_TROUBLE;
	summary = hprof_heap_summary(heap);
	diagnostics_print(path, summary->diagnostics, summary->diagnostic_count,
			  s->options->input->quiet);
	if (summary->errors)
		status = CLI_NO;
	graph.progress = show_progress;
	graph.progress_user = s;
	dump = query_dump_new(heap, path, &graph, rest);
	if (!dump)
		cli_out_of_memory();
	s->setting_up = true;
	if (!add_dump(s, name, dump)) {
		if (!find_dump(s, name))
			query_dump_free(dump);
		status = CLI_TROUBLE;
	}
	s->setting_up = false;
	return status;
}

void query_session_read_ahead(struct query_session *s)
{
	for (size_t i = 0; i < s->count && !s->options->memory; i++)
		query_dump_read_ahead(s->dumps[i].dump);
}

/* ---- statements ---------------------------------------------------------- */

/*
 * The name in "no such table: NAME" or "no such table: SCHEMA.NAME". Names of
 * classes have dots, so a schema is one that is attached.
 */
static bool missing_table(const struct query_session *s, char schema[NAME_MOST],
			  const char **ret_name)
{
	static const char begin[] = "no such table: ";
	const char *message = sqlite3_errmsg(s->db);
	const char *name = message + strlen(begin);
	size_t size;

	if (strncmp(message, begin, strlen(begin)) != 0)
		return false;
	size = strcspn(name, ".");
	strcpy(schema, "main");
	*ret_name = name;
	if (!name[size] || size >= NAME_MOST)
		return true;
	memcpy(schema, name, size);
	schema[size] = '\0';
	if (find_dump(s, schema))
		*ret_name = name + size + 1;
	else
		strcpy(schema, "main");
	return true;
}

/* Adds the table of the class that was missing. False: there is none. */
static bool add_missing(struct query_session *s)
{
	char schema[NAME_MOST];
	const char *missing;
	struct query_dump *dump;
	char *name;
	bool added = false;

	if (!missing_table(s, schema, &missing))
		return false;
	dump = find_dump(s, schema);
	name = cli_strdup(missing); /* the message goes with the next call */
	s->setting_up = true;
	if (dump)
		query_tables_add_class(s->db, schema, dump, name, &added);
	s->setting_up = false;
	free(name);
	return added;
}

/* Puts a faster statement with the same rows in its place, if there is one. */
static void make_faster(struct query_session *s, const char *sql,
			const char *end, sqlite3_stmt **statement)
{
	const struct query_dump *dump = find_dump(s, "main");
	sqlite3_stmt *faster = NULL;
	char *text;

	if (!*statement || !dump || !query_dump_is_counted(dump))
		return;
	text = count_rewrite(sql, (size_t)(end - sql), *statement);
	if (text &&
	    sqlite3_prepare_v2(s->db, text, -1, &faster, NULL) == SQLITE_OK) {
		sqlite3_finalize(*statement);
		*statement = faster;
	}
	sqlite3_free(text);
}

bool query_session_prepare(struct query_session *s, const char *sql,
			   sqlite3_stmt **ret_statement, const char **ret_rest)
{
	for (unsigned i = 0; i <= CLASSES; i++) {
		if (sqlite3_prepare_v2(s->db, sql, -1, ret_statement,
				       ret_rest) == SQLITE_OK) {
			make_faster(s, sql, *ret_rest, ret_statement);
			return true;
		}
		if (sqlite3_errcode(s->db) == SQLITE_AUTH) {
			cli_message("not authorized: only statements that read "
				    "are run");
			return false;
		}
		if (i == CLASSES || !add_missing(s))
			break;
	}
	/* A failed attempt to add a table has changed the message. */
	sqlite3_prepare_v2(s->db, sql, -1, ret_statement, ret_rest);
	say_failure(s);
	return false;
}

void query_session_begin(struct query_session *s)
{
	const struct input_options *input = s->options->input;

	s->interrupted = 0;
	s->timed_out = false;
	s->end_ms = s->options->seconds
			    ? clock_ms() + s->options->seconds * 1000
			    : 0;
	progress_begin(&s->progress, input->program, input->progress);
}

void query_session_explain(const struct query_session *s)
{
	if (s->timed_out)
		cli_message("the statement took longer than %llu seconds",
			    (unsigned long long)s->options->seconds);
	else if (s->interrupted)
		cli_message("interrupted");
	else
		say_failure(s);
}

void query_session_interrupt(struct query_session *s)
{
	s->interrupted = 1;
}
