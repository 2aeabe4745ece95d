/* SPDX-License-Identifier: MIT */
/*
 * shell.h - runs texts: statements, and the shell's own commands, which begin
 * with a dot.
 */
#ifndef TOOLS_QUERY_SHELL_H
#define TOOLS_QUERY_SHELL_H

#include "tools/query/output.h"
#include "tools/query/session.h"

struct query_shell {
	struct query_session *session;
	enum query_format format;
	const struct cli_list *parameters; /* NAME=VALUE, for statements */
	unsigned depth;			   /* of .read in .read */
	bool timer;			   /* say how long statements took */
	bool quit;			   /* .quit was read */
};

/*
 * Runs all statements and commands of TEXT up to the first that fails. False:
 * one did, and a message was printed.
 */
bool query_shell_run(struct query_shell *shell, const char *text);

/* The same for a file; "-" is standard input. */
bool query_shell_read(struct query_shell *shell, const char *path);

/*
 * Does TEXT need another line: is its last statement without a semicolon?
 */
bool query_shell_is_open(const char *text);

#endif
