/* SPDX-License-Identifier: MIT */
/*
 * line_input.c - see line_input.h. The history is a file of the user's state
 * folder: $XDG_STATE_HOME, else ~/.local/state.
 */
#include "tools/query/line_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/cli.h"

#ifdef HAVE_LIBEDIT
#include <editline/readline.h>

enum { HISTORY_MOST = 1000, PATH_MOST = 4096 };

static char history_path[PATH_MOST];
static char *(*complete_word)(const char *text, int n);

static bool state_folder(char *path, size_t room)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int size = state && *state == '/'
			   ? snprintf(path, room, "%s/hprof", state)
			   : snprintf(path, room, "%s/.local/state/hprof",
				      home ? home : "");

	return size > 0 && (size_t)size < room && *path == '/' &&
	       ((state && *state == '/') || (home && *home == '/'));
}

static void make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

static char *next_word(const char *text, int n)
{
	return complete_word(text, n);
}

/* Names of tables and columns, never those of files. */
static char **complete_at(const char *text, int start, int end)
{
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	return rl_completion_matches(text, next_word);
}

void line_input_begin(const char *name, char *(*complete)(const char *, int))
{
	char folder[PATH_MOST - 64];

	complete_word = complete;
	rl_readline_name = name;
	rl_attempted_completion_function = complete_at;
	using_history();
	stifle_history(HISTORY_MOST);
	if (state_folder(folder, sizeof(folder))) {
		snprintf(history_path, sizeof(history_path), "%s/%s", folder,
			 name);
		read_history(history_path);
	}
}

char *line_input_read(const char *prompt)
{
	return readline(prompt);
}

void line_input_remember(const char *text)
{
	add_history(text);
}

void line_input_end(void)
{
	mode_t old = umask(077);

	if (*history_path) {
		make_folders(history_path);
		write_history(history_path);
	}
	umask(old);
}

#else

void line_input_begin(const char *name, char *(*complete)(const char *, int))
{
	(void)name;
	(void)complete;
}

char *line_input_read(const char *prompt)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	fputs(prompt, stdout);
	fflush(stdout);
	size = getline(&line, &room, stdin);
	if (size < 0) {
		clearerr(stdin); /* it may have been Ctrl-C */
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

void line_input_remember(const char *text)
{
	(void)text;
}

void line_input_end(void)
{
}

#endif
