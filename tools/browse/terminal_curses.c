/* SPDX-License-Identifier: MIT */
/*
 * terminal_curses.c - a real terminal, by ncurses, which sends only what has
 * changed, so that slow lines do.
 */
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/browse/keys.h"
#include "tools/browse/terminal.h"
#include "tools/common/cli.h"

enum { MOMENT_MS = 100, ESCAPE_MS = 25 };

struct curses {
	struct terminal base;
	SCREEN *screen;
	bool has_utf8;
	attr_t looks[LOOK_COUNT];
};

/* ---- looks --------------------------------------------------------------- */

static void make_looks(struct curses *t)
{
	const char *no_color = getenv("NO_COLOR");

	t->looks[LOOK_TITLE] = A_REVERSE | A_BOLD;
	t->looks[LOOK_FAINT] = A_DIM;
	t->looks[LOOK_HEAD] = A_BOLD;
	t->looks[LOOK_CURSOR] = A_REVERSE;
	t->looks[LOOK_MARK] = A_BOLD;
	if ((no_color && *no_color) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(1, COLOR_CYAN, -1);
	init_pair(2, COLOR_YELLOW, -1);
	init_pair(3, COLOR_GREEN, -1);
	t->looks[LOOK_HEAD] = A_BOLD | (attr_t)COLOR_PAIR(1);
	t->looks[LOOK_MARK] = A_BOLD | (attr_t)COLOR_PAIR(2);
	t->looks[LOOK_BAR] = (attr_t)COLOR_PAIR(3);
}

/* ---- showing ------------------------------------------------------------- */

static void size(struct terminal *t, size_t *width, size_t *height)
{
	int y, x;

	(void)t;
	getmaxyx(stdscr, y, x);
	*width = x > 0 ? (size_t)x : 0;
	*height = y > 0 ? (size_t)y : 0;
}

/* In a locale without UTF-8 only ASCII is sure to take a column each. */
static const char *showable(const struct curses *t, const char *text)
{
	return t->has_utf8 || !(*text & 0x80) ? text : "?";
}

static void show_line(const struct curses *t, const struct canvas *c, size_t y)
{
	move((int)y, 0);
	for (size_t x = 0; x < c->width; x++) {
		const struct canvas_cell *cell = canvas_at(c, x, y);

		if (!*cell->text && t->has_utf8)
			continue;
		attrset((int)t->looks[cell->look]);
		addstr(*cell->text ? showable(t, cell->text) : "?");
	}
	attrset(A_NORMAL);
}

static void show(struct terminal *t, const struct canvas *c)
{
	erase();
	for (size_t y = 0; y < c->height; y++)
		show_line((const struct curses *)t, c, y);
	refresh();
}

static void redraw(struct terminal *t)
{
	(void)t;
	clearok(curscr, TRUE);
}

/* ---- keys ---------------------------------------------------------------- */

static int special(wint_t code)
{
	switch (code) {
	case KEY_UP:
		return KEY_OF_UP;
	case KEY_DOWN:
		return KEY_OF_DOWN;
	case KEY_LEFT:
		return KEY_OF_LEFT;
	case KEY_RIGHT:
		return KEY_OF_RIGHT;
	case KEY_PPAGE:
		return KEY_OF_PAGE_UP;
	case KEY_NPAGE:
		return KEY_OF_PAGE_DOWN;
	case KEY_HOME:
		return KEY_OF_HOME;
	case KEY_END:
		return KEY_OF_END;
	case KEY_BACKSPACE:
		return KEY_OF_BACKSPACE;
	case KEY_BTAB:
		return KEY_OF_SHIFT_TAB;
	case KEY_ENTER:
		return KEY_OF_ENTER;
	case KEY_RESIZE:
		return KEY_OF_RESIZE;
	default:
		return KEY_NONE;
	}
}

static int key(struct terminal *t, bool busy)
{
	wint_t code;
	int kind;

	(void)t;
	timeout(busy ? MOMENT_MS : -1);
	kind = get_wch(&code);
	if (kind == ERR)
		return busy ? KEY_NONE : KEY_OF_CLOSED;
	if (kind == KEY_CODE_YES)
		return special(code);
	if (code == '\r')
		return KEY_OF_ENTER;
	if (code == 127 || code == '\b')
		return KEY_OF_BACKSPACE;
	return (int)code;
}

/* ---- the clipboard ------------------------------------------------------- */

/* OSC 52: the terminal, also at the far end of ssh, takes it in Base64. */
static void copy(struct terminal *t, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t left = strlen(text);

	(void)t;
	fputs("\033]52;c;", stdout);
	for (; left; left -= left < 3 ? left : 3, text += 3) {
		const unsigned char *in = (const unsigned char *)text;
		unsigned bits = (unsigned)in[0] << 16;

		bits |= left > 1 ? (unsigned)in[1] << 8 : 0;
		bits |= left > 2 ? (unsigned)in[2] : 0;
		putchar(digits[bits >> 18]);
		putchar(digits[bits >> 12 & 63]);
		putchar(left > 1 ? digits[bits >> 6 & 63] : '=');
		putchar(left > 2 ? digits[bits & 63] : '=');
		if (left < 3)
			break;
	}
	putchar('\a');
	fflush(stdout);
}

/* ---- the terminal -------------------------------------------------------- */

static void close_curses(struct terminal *t)
{
	struct curses *c = (struct curses *)t;

	endwin();
	delscreen(c->screen);
	free(c);
}

/* A machine may have no list of locales, but says that its terminal is UTF-8. */
static void set_locale(void)
{
	const char *name = getenv("LC_ALL");

	if (setlocale(LC_CTYPE, ""))
		return;
	if (!name || !*name)
		name = getenv("LC_CTYPE");
	if (!name || !*name)
		name = getenv("LANG");
	name = name ? strchr(name, '.') : NULL;
	if (name &&
	    (strcasecmp(name, ".UTF-8") == 0 || strcasecmp(name, ".utf8") == 0))
		setlocale(LC_CTYPE, "C.UTF-8");
}

static SCREEN *open_screen(void)
{
	const char *type = getenv("TERM");
	SCREEN *screen = NULL;

	if (terminal_is_known(NULL))
		screen = newterm(NULL, stdout, stdin);
	if (!screen && type && *type && strcmp(type, "dumb") != 0 &&
	    terminal_bring_xterm())
		screen = newterm("xterm", stdout, stdin);
	return screen;
}

struct terminal *terminal_curses(void)
{
	struct curses *t;
	SCREEN *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cli_message("standard input and output must be a terminal "
			    "(--keys needs none)");
		return NULL;
	}
	set_locale();
	screen = open_screen();
	if (!screen) {
		cli_message("the terminal cannot be used: is $TERM right?");
		return NULL;
	}
	t = cli_calloc(1, sizeof(*t));
	t->base = (struct terminal){ .size = size,
				     .show = show,
				     .key = key,
				     .redraw = redraw,
				     .copy = copy,
				     .close = close_curses };
	t->screen = screen;
	t->has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	make_looks(t);
	return &t->base;
}
