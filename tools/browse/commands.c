/* SPDX-License-Identifier: MIT */
/*
 * commands.c - see commands.h.
 */
#include "tools/browse/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/browse/draw.h"
#include "tools/browse/keys.h"
#include "tools/browse/screen_draw.h"
#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"

/* ---- opening ------------------------------------------------------------- */

static void open_row(struct browser *b, bool in_column)
{
	const struct view_row *row = view_current(browser_view(b));

	if (!row || row->target.kind == TARGET_NONE)
		return;
	if (row->target.kind == TARGET_MORE)
		view_extend(browser_view(b));
	else
		browser_open(b, &row->target, in_column);
}

static void open_kind(struct browser *b, enum target_kind kind, uint64_t number)
{
	const struct target target = target_of(kind, number);

	browser_open(b, &target, false);
}

/* The object that the row is about, else the one that the view is about. */
static uint64_t object_of(struct browser *b)
{
	const struct view *v = browser_view(b);
	const struct view_row *row = view_current(v);

	if (row && row->object != HPROF_NO_OBJECT)
		return row->object;
	switch (v->about.kind) {
	case TARGET_OBJECT:
	case TARGET_REFERRERS:
	case TARGET_PATH:
	case TARGET_DOMINATED:
		return v->about.number;
	default:
		return HPROF_NO_OBJECT;
	}
}

static void open_object(struct browser *b, enum target_kind kind)
{
	uint64_t object = object_of(b);

	if (object == HPROF_NO_OBJECT)
		browser_say(b, cli_strdup("this row is about no object"));
	else
		open_kind(b, kind, object);
}

static void open_dominator(struct browser *b)
{
	const struct model_tables *t = model_tables(b->model);
	uint64_t object = object_of(b);

	if (object == HPROF_NO_OBJECT ||
	    !model_is_ready(b->model, PART_GRAPH)) {
		browser_say(b, cli_strdup("not known (yet)"));
		return;
	}
	object = hprof_graph_dominator(t->graph, object);
	if (object == HPROF_NO_OBJECT)
		browser_say(
			b, cli_strdup("only the roots as a whole dominate it"));
	else
		open_kind(b, TARGET_OBJECT, object);
}

static void open_instances(struct browser *b)
{
	const struct view_row *row = view_current(browser_view(b));

	if (row && row->class_row != SIZE_MAX &&
	    row->class_row < model_tables(b->model)->summary->class_count)
		open_kind(b, TARGET_INSTANCES, row->class_row);
	else
		browser_say(b, cli_strdup("this row is about no class"));
}

/* ---- what was typed ------------------------------------------------------ */

static void search(struct browser *b, bool forward, bool from_here)
{
	if (!b->search)
		browser_say(b, cli_strdup("nothing was searched for"));
	else if (!view_search(browser_view(b), b->search, forward, from_here))
		browser_say(b, cli_strdup("no row has that text"));
}

/* "@0x7f", "0x7f", "java.lang.String@0x7f"; or NULL. */
static const char *id_in(const char *text)
{
	const char *at = strrchr(text, '@');

	if (at)
		return at + 1;
	return strncmp(text, "0x", 2) == 0 ? text : NULL;
}

static void go(struct browser *b, char *text)
{
	const char *id = id_in(text);
	struct target classes = { TARGET_CLASSES_NAMED, 0, text };
	uint64_t object;

	if (!id) {
		browser_open(b, &classes, false);
		return;
	}
	object = hprof_heap_find(model_tables(b->model)->heap,
				 strtoull(id, NULL, 0));
	if (object == HPROF_NO_OBJECT)
		browser_say(b, cli_strdup("the dump has no such object"));
	else
		open_kind(b, TARGET_OBJECT, object);
}

/* A file that is there stays as it is. */
static void write_file(struct browser *b, const char *path)
{
	bool is_ready = browser_view(b)->state == VIEW_READY;
	FILE *file = is_ready ? fopen(path, "wx") : NULL;
	char *name = escape_copy(path, DESCRIBE_NAME_LIMIT);
	bool written = file != NULL;

	if (file) {
		draw_text(file, browser_view(b));
		written = !ferror(file);
		written = fclose(file) == 0 && written;
	}
	browser_say(b, written	   ? describe_format("written to %s", name)
		       : !is_ready ? cli_strdup("the view is not there yet")
				   : describe_format("%s: %s", name,
						     strerror(errno)));
	free(name);
}

static void answer(struct browser *b)
{
	enum question question = b->question;
	struct target texts = { TARGET_TEXTS, 0, b->line.text };

	b->question = QUESTION_NONE;
	if (question == QUESTION_FILTER)
		view_filter(browser_view(b), b->line.text);
	if (!*b->line.text)
		return;
	if (question == QUESTION_SEARCH) {
		free(b->search);
		b->search = cli_strdup(b->line.text);
		search(b, true, true);
	} else if (question == QUESTION_GO) {
		go(b, b->line.text);
	} else if (question == QUESTION_TEXT) {
		browser_open(b, &texts, false);
	} else if (question == QUESTION_FILE) {
		write_file(b, b->line.text);
	}
}

static void ask(struct browser *b, enum question question)
{
	const char *filter = browser_view(b)->filter;

	b->question = question;
	line_edit_set(&b->line,
		      question == QUESTION_FILTER && filter ? filter : "");
}

static void type(struct browser *b, int key)
{
	if (key == KEY_OF_ENTER)
		answer(b);
	else if (key == KEY_OF_ESCAPE)
		b->question = QUESTION_NONE;
	else
		line_edit_key(&b->line, key);
}

/* ---- copying ------------------------------------------------------------- */

static void copy(struct browser *b, char *text)
{
	b->terminal->copy(b->terminal, text);
	browser_say(b, describe_format("copied: %s", text));
	free(text);
}

/* The id of the row's object, else its text. */
static void copy_id(struct browser *b)
{
	const struct view_row *row = view_current(browser_view(b));
	uint64_t object = object_of(b);
	struct hprof_cursor *cursor;
	struct hprof_object at;
	char *text = NULL;

	if (object != HPROF_NO_OBJECT &&
	    hprof_cursor_new(model_tables(b->model)->heap, &cursor, NULL) ==
		    HPROF_OK) {
		if (hprof_cursor_seek(cursor, object, &at) == HPROF_OK)
			text = describe_format("0x%llx",
					       (unsigned long long)at.id);
		hprof_cursor_free(cursor);
	}
	if (!text && row)
		text = cli_strdup(row->text);
	if (text)
		copy(b, text);
}

/* The row; of a path all rows, so that it can be pasted as a whole. */
static void copy_line(struct browser *b)
{
	const struct view *v = browser_view(b);
	const struct view_row *row = view_current(v);
	char *all = NULL;

	if (v->about.kind != TARGET_PATH) {
		if (row)
			copy(b, draw_line(row));
		return;
	}
	for (size_t i = 0; i < v->shown_count; i++) {
		char *line = draw_line(&v->rows[v->shown[i]]);
		char *both = describe_format("%s%s%s", all ? all : "",
					     all ? "\n" : "", line);

		free(line);
		free(all);
		all = both;
	}
	if (!all)
		return;
	b->terminal->copy(b->terminal, all);
	free(all);
	browser_say(b, cli_strdup("copied: the path"));
}

/* ---- commands ------------------------------------------------------------ */

static size_t page(struct browser *b)
{
	size_t rows = draw_rows(
		browser_area(b, b->focus, b->canvas.width, b->canvas.height));

	return rows > 1 ? rows - 1 : 1;
}

static void move(struct browser *b, enum command command)
{
	struct view *v = browser_view(b);
	size_t by =
		command == COMMAND_UP || command == COMMAND_DOWN ? 1 : page(b);

	switch (command) {
	case COMMAND_UP:
	case COMMAND_PAGE_UP:
		view_move(v, v->cursor > by ? v->cursor - by : 0);
		break;
	case COMMAND_DOWN:
	case COMMAND_PAGE_DOWN:
		view_move(v, v->cursor + by);
		break;
	case COMMAND_FIRST:
		view_move(v, 0);
		break;
	default:
		view_move(v, SIZE_MAX - 1);
		break;
	}
}

static void mark(struct browser *b)
{
	struct view *v = browser_view(b);
	const struct view_row *row = view_current(v);

	if (!row || row->is_heading)
		return;
	marks_change(b->marks, row);
	view_move(v, v->cursor + 1);
}

static void turn(struct browser *b, size_t by)
{
	b->focus = (b->focus + by) % b->column_count;
}

/* Rows that are made, else parts of which the graph is the longest. */
static void cancel(struct browser *b)
{
	if (view_cancel(browser_view(b)) || model_cancel(b->model))
		browser_say(b, cli_strdup("cancelled"));
	else
		browser_say(b, cli_strdup("nothing is being made"));
}

/* Commands that open a view. */
static bool open_by(struct browser *b, enum command command)
{
	switch (command) {
	case COMMAND_OPEN:
	case COMMAND_COLUMN:
		open_row(b, command == COMMAND_COLUMN);
		return true;
	case COMMAND_OVERVIEW:
		open_kind(b, TARGET_OVERVIEW, 0);
		return true;
	case COMMAND_OBJECT:
		open_object(b, TARGET_OBJECT);
		return true;
	case COMMAND_DOMINATED:
		open_object(b, TARGET_DOMINATED);
		return true;
	case COMMAND_DOMINATOR:
		open_dominator(b);
		return true;
	case COMMAND_REFERRERS:
		open_object(b, TARGET_REFERRERS);
		return true;
	case COMMAND_PATH:
		open_object(b, TARGET_PATH);
		return true;
	case COMMAND_INSTANCES:
		open_instances(b);
		return true;
	case COMMAND_MARKS:
		open_kind(b, TARGET_MARKS, 0);
		return true;
	case COMMAND_SITES:
		open_kind(b, TARGET_SITES, 0);
		return true;
	case COMMAND_HELP:
		open_kind(b, TARGET_HELP, 0);
		return true;
	default:
		return false;
	}
}

/* Commands about the rows of the view. */
static bool change_view(struct browser *b, enum command command)
{
	switch (command) {
	case COMMAND_SEARCH:
		ask(b, QUESTION_SEARCH);
		return true;
	case COMMAND_GO:
		ask(b, QUESTION_GO);
		return true;
	case COMMAND_FIND_TEXT:
		ask(b, QUESTION_TEXT);
		return true;
	case COMMAND_FILTER:
		ask(b, QUESTION_FILTER);
		return true;
	case COMMAND_WRITE:
		ask(b, QUESTION_FILE);
		return true;
	case COMMAND_NEXT:
	case COMMAND_PREVIOUS:
		search(b, command == COMMAND_NEXT, false);
		return true;
	case COMMAND_SORT:
		view_sort_next(browser_view(b));
		return true;
	case COMMAND_REVERSE:
		view_reverse(browser_view(b));
		return true;
	case COMMAND_MARK:
		mark(b);
		return true;
	default:
		return false;
	}
}

static void change_screen(struct browser *b, enum command command)
{
	switch (command) {
	case COMMAND_BACK:
		browser_back(b);
		break;
	case COMMAND_FORWARD:
		browser_forward(b);
		break;
	case COMMAND_NEXT_COLUMN:
		turn(b, 1);
		break;
	case COMMAND_PREVIOUS_COLUMN:
		turn(b, b->column_count - 1);
		break;
	case COMMAND_CLOSE_COLUMN:
		browser_close_column(b);
		break;
	case COMMAND_COPY_ID:
		copy_id(b);
		break;
	case COMMAND_COPY_LINE:
		copy_line(b);
		break;
	case COMMAND_CANCEL:
		cancel(b);
		break;
	case COMMAND_REDRAW:
		b->terminal->redraw(b->terminal);
		break;
	case COMMAND_QUIT:
		b->is_ending = true;
		break;
	default:
		move(b, command);
		break;
	}
}

void commands_key(struct browser *b, int key)
{
	enum command command;

	if (key == KEY_OF_CLOSED) {
		b->is_ending = true;
		return;
	}
	if (key == KEY_NONE || key == KEY_OF_RESIZE)
		return;
	if (b->question) {
		type(b, key);
		return;
	}
	browser_say(b, NULL);
	command = keys_command(key);
	if (command == COMMAND_WAY)
		browser_open(b, &overview_ways[key - '1'], false);
	else if (command == COMMAND_NONE)
		browser_say(b, cli_strdup("? shows the keys"));
	else if (!open_by(b, command) && !change_view(b, command))
		change_screen(b, command);
}

/* For a script: nothing is being made any more. */
static void settle(struct browser *b)
{
	do
		model_wait(b->model);
	while (browser_tick(b));
}

void commands_loop(struct browser *b)
{
	while (!b->is_ending) {
		bool busy = browser_tick(b);

		if (b->terminal->is_patient)
			settle(b);
		screen_draw(b);
		commands_key(b, b->terminal->key(b->terminal, busy));
	}
}
