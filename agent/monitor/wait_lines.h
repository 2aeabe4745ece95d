/* SPDX-License-Identifier: MIT */
/*
 * wait_lines.h - what threads did with Object.wait, in the order of time, until
 * a report tells of it. Any function by any thread at any time.
 */
#ifndef AG_WAIT_LINES_H
#define AG_WAIT_LINES_H

#include "agent/profile/profile.h"

struct ag_wait_lines;

struct ag_wait_lines *ag_wait_lines_new(void);	      /* NULL without memory */
void ag_wait_lines_free(struct ag_wait_lines *lines); /* NULL is fine */
void ag_wait_lines_add(struct ag_wait_lines *lines, struct ag_wait_line line);
void ag_wait_lines_clear(struct ag_wait_lines *lines);

/* Hands over the lines; afterwards there are none. */
void ag_wait_lines_take(struct ag_wait_lines *lines,
			struct ag_monitor_report *ret);

#endif
