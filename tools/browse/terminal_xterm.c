/* SPDX-License-Identifier: MIT */
/*
 * terminal_xterm.c - the description of a terminal that is in the program.
 */
#include <stdlib.h>
#include <unistd.h>
#include <curses.h>
/* Its macros have names of ours: nothing else is included here. */
#include <term.h>

bool terminal_is_known(const char *type);
bool terminal_bring_xterm(void);
extern const char terminal_xterm[];

bool terminal_is_known(const char *type)
{
	int found;

	if (setupterm(type, STDOUT_FILENO, &found) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

bool terminal_bring_xterm(void)
{
	if (!*terminal_xterm || terminal_is_known("xterm"))
		return false;
	return setenv("TERMINFO", terminal_xterm, 1) == 0;
}
