/* SPDX-License-Identifier: MIT */
/*
 * log.c - see log.h.
 */
#include "agent/common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Makes one call, so that output of other threads cannot get into the line, and
 * avoids stdio, whose lock the program may hold.
 */
void ag_log(const char *format, ...)
{
	char line[1600];
	const size_t room = sizeof line - 1; /* the newline replaces the NUL */
	int prefix = snprintf(line, room, "hprof-agent: ");
	size_t used = (size_t)prefix;
	va_list values;
	int n;

	va_start(values, format);
	n = vsnprintf(line + used, room - used, format, values);
	va_end(values);
	if (n > 0)
		used += (size_t)n < room - used ? (size_t)n : room - used - 1;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return; /* there is nowhere to report this */
}
