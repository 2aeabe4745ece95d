/* SPDX-License-Identifier: MIT */
/*
 * monitor_stacks.h - the waits for monitors in a profile as text (format=a), the
 * only form that has them: its section MONITOR TIME, and the traces before it.
 */
#ifndef TOOLS_MONITOR_STACKS_H
#define TOOLS_MONITOR_STACKS_H

#include <stdio.h>

#include "tools/stacks/stack_tree.h"

/* What is measured of them. */
enum { MONITOR_NS, MONITOR_TIMES };

/*
 * Adds the stacks; the innermost frame is the class of the monitor. Times are
 * shares of the total, which the text has to a ten thousandth. False if there
 * is no such section.
 */
bool monitor_stacks_read(struct stack_tree *tree, FILE *in);

#endif
