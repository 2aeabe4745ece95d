/* SPDX-License-Identifier: MIT */
/*
 * jvm_state.c - what /proc/PID/stat tells of a process: since when it runs, and
 * whether it still does.
 */
#include <stdio.h>
#include <string.h>

#include "tools/capture/jvm_process.h"
#include "tools/capture/proc_file.h"

enum { EXITING = 4 /* PF_EXITING of Linux */ };

struct stat_line {
	char state;		  /* field 3 */
	unsigned long flags;	  /* field 9 */
	unsigned long long start; /* field 22 */
};

/* False if there is no such process. */
static bool read_stat(pid_t pid, struct stat_line *ret)
{
	char text[2048];
	const char *at;

	if (proc_read(pid, "stat", text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ')'); /* the name may hold anything, also ')' */
	return at && sscanf(at,
			    ") %c %*s %*s %*s %*s %*s %lu %*s %*s %*s %*s %*s "
			    "%*s %*s %*s %*s %*s %*s %*s %llu",
			    &ret->state, &ret->flags, &ret->start) == 3;
}

uint64_t jvm_process_start(pid_t pid)
{
	struct stat_line line;

	return read_stat(pid, &line) ? line.start : 0;
}

char jvm_process_state(pid_t pid)
{
	struct stat_line line;

	return read_stat(pid, &line) ? line.state : '\0';
}

bool jvm_process_is_ending(pid_t pid)
{
	struct stat_line line;

	return !read_stat(pid, &line) || line.state == 'Z' ||
	       (line.flags & EXITING);
}
