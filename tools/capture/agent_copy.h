/* SPDX-License-Identifier: MIT */
/*
 * agent_copy.h - copies of the agent in the /tmp of a JVM that cannot see it.
 *
 * A JVM that has loaded the agent keeps it until its end, and with it the space
 * of the copy, though its name is gone: threads of it may be in the agent at
 * any time, so the agent cannot be unloaded. So that a second dump does not
 * need a second copy, copies are named after their contents, and one that the
 * JVM has is used again: the loader of glibc knows its libraries by name before
 * it looks for files. musl's wants to open a file.
 */
#ifndef TOOLS_AGENT_COPY_H
#define TOOLS_AGENT_COPY_H

#include <stdbool.h>
#include <sys/types.h>

#include "tools/capture/jvm_process.h"

enum { AGENT_COPY_NAME = 48, AGENT_COPY_PATH = 128 };

/* Finds out the name of a copy of the file FROM. False, with errno: unreadable. */
bool agent_copy_name(int from, char ret_name[AGENT_COPY_NAME]);

/* Whether NAME, of a file, is that of a copy. */
bool agent_copy_is_name(const char *name);

/* The path by which the process PID has loaded the copy NAME. */
bool agent_copy_find(pid_t pid, enum jvm_libc libc, const char *name,
		     char ret_path[AGENT_COPY_PATH]);

/* Copies the file FROM into FOLDER. False, with errno. */
bool agent_copy_make(int from, int folder, const char *name);

#endif
