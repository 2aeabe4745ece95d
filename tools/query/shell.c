/* SPDX-License-Identifier: MIT */
/*
 * shell.c - see shell.h.
 */
#include "tools/query/shell.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/clock.h"

enum { READS_MOST = 16, WORD_MOST = 4096, FILE_MOST = 1 << 24 };

/* ---- statements ---------------------------------------------------------- */

/* A parameter is a number if it looks like one. */
static void bind(sqlite3_stmt *statement, int number, const char *value)
{
	char *end;
	long long whole;
	double real;

	errno = 0;
	whole = strtoll(value, &end, 0);
	if (*value && !*end && errno == 0) {
		sqlite3_bind_int64(statement, number, whole);
		return;
	}
	real = strtod(value, &end);
	if (*value && !*end)
		sqlite3_bind_double(statement, number, real);
	else
		sqlite3_bind_text(statement, number, value, -1,
				  SQLITE_TRANSIENT);
}

/* :NAME, @NAME and $NAME stand for the same. */
static const char *value_of(const struct query_shell *shell, const char *name)
{
	const struct cli_list *list = shell->parameters;

	for (size_t i = 0; name && list && i < list->count; i++) {
		size_t size = strcspn(list->items[i], "=");

		if (strlen(name + 1) == size &&
		    strncmp(list->items[i], name + 1, size) == 0)
			return list->items[i] + size + 1;
	}
	return NULL;
}

static bool bind_all(const struct query_shell *shell, sqlite3_stmt *statement)
{
	int count = sqlite3_bind_parameter_count(statement);

	for (int i = 1; i <= count; i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);
		const char *value = value_of(shell, name);

		if (!value) {
			cli_message("parameter %s has no value (by --param)",
				    name ? name : "?");
			return false;
		}
		bind(statement, i, value);
	}
	return true;
}

/* How long it took, with the rows that were written. */
static void say_time(uint64_t begin_us)
{
	fflush(stdout);
	fprintf(stderr, "%.3f ms\n", (double)(clock_us() - begin_us) / 1000);
}

static bool run_statement(struct query_shell *shell, sqlite3_stmt *statement)
{
	uint64_t begin_us = clock_us();

	if (!bind_all(shell, statement))
		return false;
	query_session_begin(shell->session);
	if (query_output(stdout, statement, shell->format) == SQLITE_DONE) {
		if (shell->timer)
			say_time(begin_us);
		return true;
	}
	fflush(stdout);
	query_session_explain(shell->session);
	return false;
}

/* ---- commands ------------------------------------------------------------ */

static bool run_sql(struct query_shell *shell, const char *sql)
{
	struct query_shell plain = { .session = shell->session,
				     .format = shell->format };

	return query_shell_run(&plain, sql);
}

static bool help(struct query_shell *shell, const char *word)
{
	(void)shell;
	(void)word;
	puts(".format table|csv|json|lines\n"
	     "                 how rows are printed\n"
	     ".help            this\n"
	     ".quit            the end\n"
	     ".read FILE       run the statements of FILE\n"
	     ".schema [NAME]   the columns of a table\n"
	     ".tables          tables and views; a class is a table, too, by "
	     "its name\n"
	     "                 in double quotes\n"
	     ".timer on|off    how long each statement took, on stderr\n"
	     "A statement ends with a semicolon. See hprof-query(1) and "
	     "hprof-tables(7).");
	return true;
}

static bool set_format(struct query_shell *shell, const char *word)
{
	static const char *const words[] = { "table", "csv", "json", "lines" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i]) == 0) {
			shell->format = (enum query_format)i;
			return true;
		}
	cli_message(".format: table, csv, json or lines");
	return false;
}

static bool set_timer(struct query_shell *shell, const char *word)
{
	bool on = strcmp(word, "on") == 0;

	if (!on && strcmp(word, "off") != 0) {
		cli_message(".timer: on or off");
		return false;
	}
	shell->timer = on;
	return true;
}

static bool quit(struct query_shell *shell, const char *word)
{
	(void)word;
	shell->quit = true;
	return true;
}

static bool show_tables(struct query_shell *shell, const char *word)
{
	(void)word;
	return run_sql(shell, "SELECT name, type FROM sqlite_master "
			      "WHERE type IN ('table', 'view') ORDER BY name");
}

static bool show_schema(struct query_shell *shell, const char *word)
{
	char *sql;
	bool done;

	if (!*word)
		return show_tables(shell, word);
	/* A class becomes a table when it is named. */
	sql = sqlite3_mprintf("PRAGMA table_xinfo(%Q)", word);
	done = sql && run_sql(shell, sql);
	sqlite3_free(sql);
	return done;
}

static const struct {
	const char *name;
	bool (*run)(struct query_shell *shell, const char *word);
} commands[] = {
	{ ".exit", quit },	    { ".format", set_format },
	{ ".help", help },	    { ".mode", set_format },
	{ ".quit", quit },	    { ".read", query_shell_read },
	{ ".schema", show_schema }, { ".tables", show_tables },
	{ ".timer", set_timer },
};

/* The command on the line at TEXT; *RET_REST is the next line. */
static bool run_command(struct query_shell *shell, const char *text,
			const char **ret_rest)
{
	size_t line = strcspn(text, "\n"), name = strcspn(text, " \t\r\n");
	size_t from = name + strspn(text + name, " \t");
	char word[WORD_MOST] = "";
	size_t size = line > from ? line - from : 0;

	*ret_rest = text + line;
	while (size > 0 && isspace((unsigned char)text[from + size - 1]))
		size--;
	if (size < sizeof(word)) {
		memcpy(word, text + from, size);
		word[size] = '\0';
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strlen(commands[i].name) == name &&
		    strncmp(text, commands[i].name, name) == 0)
			return commands[i].run(shell, word);
	cli_message("there is no command %.*s; try .help",
		    (int)(name < 100 ? name : 100), text);
	return false;
}

/* ---- texts --------------------------------------------------------------- */

bool query_shell_run(struct query_shell *shell, const char *text)
{
	while (!shell->quit) {
		sqlite3_stmt *statement;
		bool done;

		text += strspn(text, " \t\r\n;");
		if (!*text)
			return true;
		if (*text == '.') {
			if (!run_command(shell, text, &text))
				return false;
			continue;
		}
		if (!query_session_prepare(shell->session, text, &statement,
					   &text))
			return false;
		done = !statement || run_statement(shell, statement);
		sqlite3_finalize(statement);
		if (!done)
			return false;
	}
	return true;
}

/* All of FILE, which the caller frees; NULL after a message. */
static char *read_whole(FILE *file, const char *path)
{
	size_t size = 0, room = 4096;
	char *text = cli_realloc(NULL, room, 1);

	for (;;) {
		size += fread(text + size, 1, room - size - 1, file);
		if (size + 1 < room || size >= FILE_MOST)
			break;
		room *= 2;
		text = cli_realloc(text, room, 1);
	}
	text[size] = '\0';
	if (!ferror(file) && size < FILE_MOST && strlen(text) == size)
		return text;
	cli_message("%s: %s", path,
		    ferror(file) ? strerror(errno) : "this is no text");
	free(text);
	return NULL;
}

bool query_shell_read(struct query_shell *shell, const char *path)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file;
	char *text;
	bool done;

	if (shell->depth == READS_MOST) {
		cli_message("%s: too many files read each other", path);
		return false;
	}
	file = is_input ? stdin : fopen(path, "r");
	if (!file) {
		cli_message("%s: %s", path, strerror(errno));
		return false;
	}
	text = read_whole(file, path);
	if (!is_input)
		fclose(file);
	if (!text)
		return false;
	shell->depth++;
	done = query_shell_run(shell, text);
	shell->depth--;
	free(text);
	return done;
}

bool query_shell_is_open(const char *text)
{
	text += strspn(text, " \t\r\n;");
	return *text && *text != '.' && !sqlite3_complete(text);
}
