/* SPDX-License-Identifier: MIT */
/*
 * target_files.h - opens files as a JVM sees them, with its ids.
 *
 * The process is given by its PID and its ids. Symbolic links are resolved
 * within its root directory, as the process would resolve them: a link that
 * leads out of a container must not lead us there.
 */
#ifndef TOOLS_TARGET_FILES_H
#define TOOLS_TARGET_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/capture/target_ids.h"

/*
 * Opens PATH; a relative one is looked up below the process's current
 * directory, and may not leave it. -1 with errno on failure.
 */
int target_open(pid_t pid, const struct target_ids *ids, const char *path,
		int flags);

/*
 * Reads a regular file that the process may read, and no more than MOST bytes
 * of it. With ONLY_ITS_OWN, the last component of PATH must not be a link, and
 * the file must belong to the user of the process. Returns the bytes with a NUL
 * behind them, for the caller to free; NULL if there is no such file.
 */
char *target_read(pid_t pid, const struct target_ids *ids, const char *path,
		  bool only_its_own, size_t most, size_t *ret_size);

/*
 * Can the process load the library that is our PATH, because it has the same
 * file there, may read it, and its file system allows programs?
 */
bool target_can_load(pid_t pid, const struct target_ids *ids, const char *path);

#endif
