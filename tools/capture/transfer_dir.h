/* SPDX-License-Identifier: MIT */
/*
 * transfer_dir.h - a private folder in the /tmp of a JVM, where it hands over a
 * dump: through a pipe with a name, or as a file. From JDK 22 on a JVM also
 * writes files beside the pipe, from which it joins the dump.
 *
 * A JVM that opens a pipe which nobody reads would hang for ever, so there is
 * a reader from before it hears of the pipe until the name is gone, even if
 * this program is killed: a child process, the guard, holds the pipe open,
 * and when its parent is gone takes all names away.
 */
#ifndef TOOLS_TRANSFER_DIR_H
#define TOOLS_TRANSFER_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/capture/attach.h"
#include "tools/capture/failure_text.h"

#define HANDOVER_PATH_MAX 80

struct handover {
	const struct attach *attach; /* borrowed */
	int folder;
	int pipe; /* to read from; -1: the JVM is to make a file */
	bool named; /* the folder is still there */
	bool connected;
	char name[48]; /* of the folder, in the JVM's /tmp */
	int guard;     /* tells the guard what it need not mind */
	pid_t guard_pid;
};

/* WITH_PIPE: makes the pipe; else the JVM may make a file. */
bool handover_open(struct handover *handover, const struct attach *attach,
		   bool with_pipe, struct reason *reason);

/* What the JVM calls the pipe or file; and a library that was copied. */
void handover_heap_path(const struct handover *handover,
			char out[HANDOVER_PATH_MAX]);
void handover_library_path(const struct handover *handover,
			   char out[HANDOVER_PATH_MAX]);

/* Copies our file PATH to where the JVM can load it from. */
bool handover_copy_library(struct handover *handover, const char *path,
			   struct reason *reason);

/* Bytes of the file that the JVM makes; of all its files. So far. */
uint64_t handover_file_size(const struct handover *handover);
uint64_t handover_size(const struct handover *handover);

/* Opens it. -1 with a reason if there is none. */
int handover_open_file(const struct handover *handover, struct reason *reason);

/* The JVM has opened the pipe: its name goes away. */
void handover_connected(struct handover *handover);

/* All names go away, and the guard; the pipe is closed. */
void handover_close(struct handover *handover);

#endif
