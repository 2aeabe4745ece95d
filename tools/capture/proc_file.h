/* SPDX-License-Identifier: MIT */
/*
 * proc_file.h - the files of /proc/PID.
 */
#ifndef TOOLS_CAPTURE_PROC_FILE_H
#define TOOLS_CAPTURE_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* A descriptor of /proc/PID/NAME; -1 on failure. */
int proc_open(pid_t pid, const char *name, int flags);

/*
 * Reads up to ROOM - 1 bytes of /proc/PID/NAME, and adds a NUL. Returns how many,
 * or -1.
 */
ssize_t proc_read(pid_t pid, const char *name, char *out, size_t room);

#endif
