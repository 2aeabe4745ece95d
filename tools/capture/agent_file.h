/* SPDX-License-Identifier: MIT */
/*
 * agent_file.h - where the agent libhprof-agent.so is installed.
 *
 * A package may be unpacked anywhere, so the agent is looked for beside the
 * program first: from the real path of the program, in ../lib, ../lib/MULTIARCH
 * and where the library directory lay beside the program's when it was
 * configured; then in the build tree, if the program runs from there; then in
 * the configured directory. It is never looked for in the current directory.
 */
#ifndef TOOLS_AGENT_FILE_H
#define TOOLS_AGENT_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "tools/capture/failure_text.h"

/*
 * The path of the agent in OUT, of PATH_MAX bytes. A file is only taken if
 * nobody but root and the owner of this program could have put it there.
 */
bool agent_file_find(char out[PATH_MAX], struct reason *reason);

#endif
