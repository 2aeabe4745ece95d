/* SPDX-License-Identifier: MIT */
/*
 * transfer_dir.h - a private directory in the /tmp of a JVM, through which it
 * passes a dump, by a named pipe or as a file. From JDK 22 on a JVM also writes
 * part files beside the pipe, which it then joins.
 *
 * A JVM that opens a pipe without a reader would hang forever. So the pipe has
 * a reader from before the JVM learns its name until the name is removed, even
 * if this program is killed: a child process, the guard, opens the pipe and
 * removes all names once its parent has died.
 */
#ifndef TOOLS_TRANSFER_DIR_H
#define TOOLS_TRANSFER_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/capture/agent_copy.h"
#include "tools/capture/attach.h"
#include "tools/capture/failure_text.h"

#define TRANSFER_PATH_MAX AGENT_COPY_PATH

struct transfer {
	const struct attach *attach; /* borrowed */
	int folder;
	int pipe;   /* to read from; -1: the JVM makes a file */
	bool named; /* the directory still exists */
	bool connected;
	char name[48]; /* of the directory, in the JVM's /tmp */
	int guard;     /* a pipe: its end tells the guard that we died */
	pid_t guard_pid;
};

/* With WITH_PIPE, makes a pipe; without, the JVM will make a file. */
bool transfer_open(struct transfer *transfer, const struct attach *attach,
		   bool with_pipe, struct reason *reason);

/* The JVM's path of the pipe or dump file. */
void transfer_heap_path(const struct transfer *transfer,
			char out[TRANSFER_PATH_MAX]);

/*
 * Copies the agent PATH into the directory, unless the JVM has such a copy
 * already; *RET_COPY is the JVM's path of it.
 */
bool transfer_copy_library(struct transfer *transfer, const char *path,
			   char ret_copy[TRANSFER_PATH_MAX],
			   struct reason *reason);

/*
 * The current size of the dump file, and of all files that the JVM has written.
 */
uint64_t transfer_file_size(const struct transfer *transfer);
uint64_t transfer_size(const struct transfer *transfer);

/* Opens the dump file; -1 with a reason. */
int transfer_open_file(const struct transfer *transfer, struct reason *reason);

/* Removes the name of the pipe, which the JVM has opened. */
void transfer_connected(struct transfer *transfer);

/* Removes all names, ends the guard, and closes the pipe. */
void transfer_close(struct transfer *transfer);

#endif
