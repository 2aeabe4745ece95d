/* SPDX-License-Identifier: MIT */
/*
 * receiver.h - takes a dump in from a JVM as fast as it comes.
 *
 * A thread of its own reads the pipe and the reply, and minds the clock; the
 * dump is read from a spool, so that neither the file system nor a compressor
 * of ours makes the JVM wait. If anything goes wrong, the JVM is let go at
 * once: it is told that nobody reads, and what came before can still be read.
 */
#ifndef TOOLS_RECEIVER_H
#define TOOLS_RECEIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/capture/attach.h"
#include "tools/capture/transfer_dir.h"
#include "tools/capture/failure_text.h"
#include "tools/capture/spool.h"

struct intake {
	const struct attach *attach; /* borrowed */
	struct handover *handover;   /* borrowed; its pipe may be -1 */
	struct spool *spool;
	pthread_t thread;
	bool running;
	int connection; /* owned; -1 at its end */
	int wake[2];
	char *reply;
	size_t reply_size;
	bool pipe_ended;
	uint64_t received;    /* bytes of the dump */
	uint64_t progress_ms; /* when something moved last */
	uint64_t progress_at, progress_files;
	bool failed;
	struct reason reason; /* if it has */
};

/*
 * Owns CONNECTION, on which the dump was asked for. SPOOL_FOLDER: see
 * spool_new.
 */
bool intake_start(struct intake *intake, const struct attach *attach,
		  struct handover *handover, int connection,
		  const char *spool_folder, struct reason *reason);

/* A hprof_read_fn: the bytes of the dump. */
int64_t intake_read(void *user, void *out, size_t room);

/* Waits until nothing more comes; received is final then. */
void intake_wait(struct intake *intake);

/* Nobody wants the rest: lets go of the JVM. */
void intake_give_up(struct intake *intake);

/*
 * Waits for the end. False with a reason if it was given up or went wrong;
 * else the reply, which lives as long as the intake.
 */
bool intake_finish(struct intake *intake, struct attach_reply *ret_reply,
		   struct reason *reason);

void intake_free(struct intake *intake);

#endif
