/* SPDX-License-Identifier: MIT */
/*
 * terminal_xterm.c - the description of a terminal that is in the program.
 */
#include <stdlib.h>
#include <unistd.h>
#include <curses.h>
/* Its macros have names of ours: nothing else is included here. */
#include <term.h>

bool terminal_bring_xterm(void);
extern const char terminal_xterm[];

bool terminal_bring_xterm(void)
{
	int found;

	if (!*terminal_xterm || setupterm("xterm", STDOUT_FILENO, &found) == OK)
		return false;
	return setenv("TERMINFO", terminal_xterm, 1) == 0;
}
