/* SPDX-License-Identifier: MIT */
/*
 * prompt.c - see prompt.h. Ctrl-C ends the statement that runs, not the
 * program; at the prompt it drops what was typed.
 */
#include "tools/query/prompt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "tools/query/line_input.h"
#include "tools/query/list_rows.h"
#include "tools/tables/sql_views.h"

static struct query_session *interruptible;
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
	query_session_interrupt(interruptible);
}

/* ---- completion ---------------------------------------------------------- */

static const char *const keywords[] = {
	"SELECT",  "FROM",  "WHERE",	"JOIN",	       "LEFT",	    "GROUP",
	"ORDER",   "LIMIT", "HAVING",	"WITH",	       "RECURSIVE", "DISTINCT",
	"REGEXP",  "LIKE",  "GLOB",	"count",       "sum",	    "text",
	"field",   "ref",   "class_of", "instance_of", "address",   "object_at",
	".format", ".help", ".quit",	".read",       ".schema",   ".tables",
	".timer",
};

/* The name of view number I, until the next call; NULL behind the last one. */
static const char *view_at(size_t i)
{
	static const char create[] = "CREATE VIEW ";
	static char name[64];
	const char *at = strstr(sql_views, create);

	while (at && i-- > 0)
		at = strstr(at + 1, create);
	if (!at)
		return NULL;
	at += strlen(create);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
	return name;
}

/* Word number I of all, until the next call, or NULL. */
static const char *word_at(size_t i)
{
	size_t count = sizeof(keywords) / sizeof(*keywords);

	if (i < count)
		return keywords[i];
	i -= count;
	for (size_t f = 0; list_functions[f].name; f++)
		if (i-- == 0)
			return list_functions[f].name;
	for (size_t t = 0; t < HPROF_TABLE_COUNT; t++) {
		if (i-- == 0)
			return hprof_table_info(t)->name;
		for (size_t c = 0; hprof_table_info(t)->columns[c].name; c++)
			if (i-- == 0)
				return hprof_table_info(t)->columns[c].name;
	}
	return view_at(i);
}

static bool was_before(size_t i)
{
	char *word = cli_strdup(word_at(i));
	bool found = false;

	for (size_t j = 0; j < i && !found; j++)
		found = strcmp(word_at(j), word) == 0;
	free(word);
	return found;
}

static char *complete(const char *text, int n)
{
	static size_t next;
	const char *word;

	if (n == 0)
		next = 0;
	while ((word = word_at(next++)))
		if (sqlite3_strnicmp(word, text, (int)strlen(text)) == 0 &&
		    !was_before(next - 1))
			return cli_strdup(word_at(next - 1));
	return NULL;
}

/* ---- the prompt ---------------------------------------------------------- */

static char *append(char *text, const char *line)
{
	size_t before = text ? strlen(text) + 1 : 0, size = strlen(line);

	text = cli_realloc(text, before + size + 1, 1);
	if (before)
		text[before - 1] = '\n';
	memcpy(text + before, line, size + 1);
	return text;
}

/* Another line, or NULL at the end. What was typed before Ctrl-C is dropped. */
static char *read_line(char **text)
{
	for (;;) {
		char *line;

		interrupted = 0;
		line = line_input_read(*text ? "   ...> " : "hprof> ");
		if (line || !interrupted)
			return line;
		putchar('\n');
		free(*text);
		*text = NULL;
	}
}

void query_prompt(struct query_shell *shell)
{
	struct sigaction action = { .sa_handler = interrupt };
	char *text = NULL, *line;

	interruptible = shell->session;
	sigaction(SIGINT, &action, NULL);
	line_input_begin("hprof-query", complete);
	query_session_read_ahead(shell->session);
	puts("Statements end with a semicolon; .help says more.");
	while (!shell->quit && (line = read_line(&text))) {
		text = append(text, line);
		free(line);
		if (query_shell_is_open(text))
			continue;
		if (*text)
			line_input_remember(text);
		query_shell_run(shell, text);
		fflush(stdout);
		free(text);
		text = NULL;
	}
	if (!shell->quit)
		putchar('\n');
	free(text);
	line_input_end();
	signal(SIGINT, SIG_DFL);
}
