/* SPDX-License-Identifier: MIT */
/*
 * prompt.h - asks for statements on a terminal, with history and completion
 * where libedit is there.
 */
#ifndef TOOLS_QUERY_PROMPT_H
#define TOOLS_QUERY_PROMPT_H

#include "tools/query/shell.h"

/* Returns at the end of the input, or after .quit. */
void query_prompt(struct query_shell *shell);

#endif
