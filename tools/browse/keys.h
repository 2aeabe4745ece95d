/* SPDX-License-Identifier: MIT */
/*
 * keys.h - the keys of hprof-browse and what they do: one table for the
 * program, its help and the manual page.
 */
#ifndef TOOLS_BROWSE_KEYS_H
#define TOOLS_BROWSE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* A character stands for itself; these are the others. */
enum key {
	KEY_NONE = 0,
	KEY_OF_TAB = '\t',
	KEY_OF_ENTER = '\n',
	KEY_OF_ESCAPE = 27,
	KEY_OF_REDRAW = 'L' & 31,
	KEY_OF_ERASE = 'U' & 31,
	KEY_OF_UP = 0x110000, /* beyond Unicode */
	KEY_OF_DOWN,
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_BACKSPACE,
	KEY_OF_SHIFT_TAB,
	KEY_OF_RESIZE,
	KEY_OF_CLOSED /* there will be no more keys */
};

enum command {
	COMMAND_NONE,
	COMMAND_UP,
	COMMAND_DOWN,
	COMMAND_PAGE_UP,
	COMMAND_PAGE_DOWN,
	COMMAND_FIRST,
	COMMAND_LAST,
	COMMAND_OPEN,
	COMMAND_BACK,
	COMMAND_FORWARD,
	COMMAND_OVERVIEW,
	COMMAND_WAY, /* the overview's, by number */
	COMMAND_SEARCH,
	COMMAND_NEXT,
	COMMAND_PREVIOUS,
	COMMAND_GO,
	COMMAND_FIND_TEXT,
	COMMAND_SORT,
	COMMAND_REVERSE,
	COMMAND_FILTER,
	COMMAND_MARK,
	COMMAND_MARKS,
	COMMAND_OBJECT,
	COMMAND_DOMINATED,
	COMMAND_DOMINATOR,
	COMMAND_REFERRERS,
	COMMAND_PATH,
	COMMAND_INSTANCES,
	COMMAND_COLUMN,
	COMMAND_NEXT_COLUMN,
	COMMAND_PREVIOUS_COLUMN,
	COMMAND_CLOSE_COLUMN,
	COMMAND_COPY_ID,
	COMMAND_COPY_LINE,
	COMMAND_WRITE,
	COMMAND_REDRAW,
	COMMAND_HELP,
	COMMAND_SITES,
	COMMAND_CANCEL,
	COMMAND_QUIT,
	COMMANDS
};

struct key_help {
	enum command command;
	const char *keys;  /* "Enter Right l": one of these */
	const char *brief; /* for the last line of the screen; or NULL */
	const char *text;  /* for the help */
};

extern const struct key_help key_table[];
extern const size_t key_table_count;

enum command keys_command(int key);

/*
 * The key called NAME, of SIZE bytes: "Enter", "Down", "x"; KEY_NONE if there is
 * none.
 */
int keys_named(const char *name, size_t size);

#endif
