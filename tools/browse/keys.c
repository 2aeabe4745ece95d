/* SPDX-License-Identifier: MIT */
/*
 * keys.c - see keys.h.
 */
#include "tools/browse/keys.h"

#include <string.h>

const struct key_help key_table[] = {
	{ COMMAND_HELP, "?", "help", "show all keys" },
	{ COMMAND_QUIT, "q", "quit", "end the program" },
	{ COMMAND_OPEN, "Enter Right l", "open", "open what the row is about" },
	{ COMMAND_BACK, "Left Backspace h [", "back",
	  "go back to the view before" },
	{ COMMAND_FORWARD, "]", NULL, "go forward again" },
	{ COMMAND_OVERVIEW, "0", NULL, "open the overview" },
	{ COMMAND_WAY, "1 2 3 4 5 6 7 8 9", NULL,
	  "open what the overview shows with that number" },
	{ COMMAND_SITES, "a", NULL,
	  "where objects were allocated, and profiles in the dump" },
	{ COMMAND_CANCEL, "Esc", NULL, "give up what is being made" },
	{ COMMAND_UP, "Up k", NULL, "the row above" },
	{ COMMAND_DOWN, "Down j", NULL, "the row below" },
	{ COMMAND_PAGE_UP, "PageUp", NULL, "a page up" },
	{ COMMAND_PAGE_DOWN, "PageDown", NULL, "a page down" },
	{ COMMAND_FIRST, "Home", NULL, "the first row" },
	{ COMMAND_LAST, "End G", NULL, "the last row" },
	{ COMMAND_OBJECT, "o", "object",
	  "the object or class of the row: fields, text, entries" },
	{ COMMAND_DOMINATED, "d", NULL,
	  "what it dominates, which goes when it goes" },
	{ COMMAND_DOMINATOR, "D", NULL, "what dominates it" },
	{ COMMAND_REFERRERS, "r", "referrers", "what refers to it" },
	{ COMMAND_PATH, "p", "path", "why it is alive: a path from a root" },
	{ COMMAND_INSTANCES, "i", NULL,
	  "the objects of its class that retain most" },
	{ COMMAND_SEARCH, "/", "search", "search for a text in the rows" },
	{ COMMAND_NEXT, "n", NULL, "the next row that has it" },
	{ COMMAND_PREVIOUS, "N", NULL, "the one before" },
	{ COMMAND_GO, ": g", NULL,
	  "go to an object by its id (@0x7f0010), to classes by name or "
	  "pattern" },
	{ COMMAND_FIND_TEXT, "t", NULL, "find strings that contain a text" },
	{ COMMAND_SORT, "s", "sort", "sort by the next column" },
	{ COMMAND_REVERSE, "S", NULL, "sort in the other direction" },
	{ COMMAND_FILTER, "f", "filter",
	  "keep rows with a text; nothing keeps all" },
	{ COMMAND_MARK, "Space m", NULL, "mark the row, or not any more" },
	{ COMMAND_MARKS, "M", NULL, "what is marked" },
	{ COMMAND_COLUMN, "c", "column", "open the row in a new column" },
	{ COMMAND_NEXT_COLUMN, "Tab", NULL, "the next column" },
	{ COMMAND_PREVIOUS_COLUMN, "BackTab", NULL, "the column before" },
	{ COMMAND_CLOSE_COLUMN, "x", NULL, "close the column" },
	{ COMMAND_COPY_ID, "y", NULL, "copy the id, else the name" },
	{ COMMAND_COPY_LINE, "Y", NULL, "copy the row; of a path all rows" },
	{ COMMAND_WRITE, "w", NULL, "write the view to a file, as text" },
	{ COMMAND_REDRAW, "Ctrl-L", NULL, "draw the screen anew" },
};
const size_t key_table_count = sizeof(key_table) / sizeof(key_table[0]);

static const struct {
	const char *name;
	int key;
} names[] = {
	{ "Enter", KEY_OF_ENTER },
	{ "Tab", KEY_OF_TAB },
	{ "BackTab", KEY_OF_SHIFT_TAB },
	{ "Esc", KEY_OF_ESCAPE },
	{ "Space", ' ' },
	{ "Up", KEY_OF_UP },
	{ "Down", KEY_OF_DOWN },
	{ "Left", KEY_OF_LEFT },
	{ "Right", KEY_OF_RIGHT },
	{ "PageUp", KEY_OF_PAGE_UP },
	{ "PageDown", KEY_OF_PAGE_DOWN },
	{ "Home", KEY_OF_HOME },
	{ "End", KEY_OF_END },
	{ "Backspace", KEY_OF_BACKSPACE },
	{ "Ctrl-L", KEY_OF_REDRAW },
	{ "Ctrl-U", KEY_OF_ERASE },
	{ "Less", '<' },
};

int keys_named(const char *name, size_t size)
{
	if (size == 1)
		return (unsigned char)*name;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == size &&
		    memcmp(names[i].name, name, size) == 0)
			return names[i].key;
	return KEY_NONE;
}

static bool has_key(const char *list, int key)
{
	while (*list) {
		size_t size = strcspn(list, " ");

		if (keys_named(list, size) == key)
			return true;
		list += size;
		list += *list == ' ';
	}
	return false;
}

enum command keys_command(int key)
{
	for (size_t i = 0; i < key_table_count && key != KEY_NONE; i++)
		if (has_key(key_table[i].keys, key))
			return key_table[i].command;
	return COMMAND_NONE;
}
