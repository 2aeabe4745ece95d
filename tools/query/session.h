/* SPDX-License-Identifier: MIT */
/*
 * session.h - a connection to SQLite in memory, with dumps in it, that runs
 * statements which only read.
 */
#ifndef TOOLS_QUERY_SESSION_H
#define TOOLS_QUERY_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/common/input.h"
#include "tools/query/sqlite.h"

struct query_session;

struct query_session_options {
	const struct input_options *input;
	uint64_t memory;  /* bytes that SQLite may use; 0: no limit */
	uint64_t seconds; /* that a statement may take; 0: no limit */
};

/* OPTIONS must outlive it. Does not return without memory. */
struct query_session *
query_session_new(const struct query_session_options *options);
void query_session_free(struct query_session *session);

/*
 * Opens the dump PATH as schema NAME: main, which is the first, or another name
 * that is none yet. CLI_FINE, CLI_NO if the dump is damaged, or CLI_TROUBLE
 * after a message.
 */
int query_session_open(struct query_session *session, const char *name,
		       const char *path);

/* The next statements are not there yet: uses the time, see query_dump.h. */
void query_session_read_ahead(struct query_session *session);

/*
 * The first statement of SQL, and in *RET_REST what is behind it; NULL in
 * *RET_STATEMENT if there is none. Tables of classes come into being when they
 * are named. False after a message.
 */
bool query_session_prepare(struct query_session *session, const char *sql,
			   sqlite3_stmt **ret_statement, const char **ret_rest);

/* Before a statement is run: its time begins, and no interrupt is pending. */
void query_session_begin(struct query_session *session);

/* Prints why the statement failed that ran last. */
void query_session_explain(const struct query_session *session);

/* Ends the statement that runs, if one does. Async-signal-safe. */
void query_session_interrupt(struct query_session *session);

#endif
