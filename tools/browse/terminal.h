/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - where a canvas is shown and keys come from: a terminal, or a
 * script of keys whose screens are printed.
 */
#ifndef TOOLS_BROWSE_TERMINAL_H
#define TOOLS_BROWSE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/browse/canvas.h"

struct terminal {
	/* Waits for the worker before each key, so that screens are whole. */
	bool is_patient;
	void (*size)(struct terminal *terminal, size_t *ret_width,
		     size_t *ret_height);
	void (*show)(struct terminal *terminal, const struct canvas *canvas);
	/* The next key: enum key, or a character. BUSY: KEY_NONE after a moment
	   in which there was none. */
	int (*key)(struct terminal *terminal, bool busy);
	/* Draws all of it again at the next show. */
	void (*redraw)(struct terminal *terminal);
	/* Puts TEXT into the clipboard, if the terminal lets programs do so. */
	void (*copy)(struct terminal *terminal, const char *text);
	void (*close)(struct terminal *terminal);
};

/*
 * Whether ncurses has a description of TYPE; NULL: $TERM. To be asked before
 * newterm, which loses memory if it has none.
 */
bool terminal_is_known(const char *type);

/*
 * Gives ncurses a description of xterm, which terminals of today understand, if
 * this machine has none: static programs are carried to such. False otherwise.
 */
bool terminal_bring_xterm(void);

/* That description, as $TERMINFO may have it; "": the build had none. */
extern const char terminal_xterm[];

/* NULL after a message: standard input and output are no terminal. */
struct terminal *terminal_curses(void);

/*
 * KEYS are characters, and names in angle brackets as in keys_named: "<Down>".
 * "<Print>" prints the screen; the last one is printed at the end. NULL after a
 * message: there is no such key.
 */
struct terminal *terminal_script(const char *keys, size_t width, size_t height);

#endif
