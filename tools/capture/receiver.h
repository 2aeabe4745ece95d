/* SPDX-License-Identifier: MIT */
/*
 * receiver.h - receives a dump from a JVM as fast as it is written.
 *
 * A separate thread reads the pipe and the reply and checks the timeout. The
 * dump is then read from a spool, so that the JVM waits neither for the file
 * system nor for our compressor. After a failure the JVM is released at once:
 * the pipe is closed, and what arrived before can still be read.
 */
#ifndef TOOLS_RECEIVER_H
#define TOOLS_RECEIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/capture/attach.h"
#include "tools/capture/transfer_dir.h"
#include "tools/capture/failure_text.h"
#include "tools/capture/inflow.h"

struct receiver {
	const struct attach *attach; /* borrowed */
	struct transfer *transfer;   /* borrowed; its pipe may be -1 */
	struct inflow flow;
	pthread_t thread;
	bool running;
	int connection; /* owned; -1 after it was closed */
	char *reply;
	size_t reply_size;
	bool pipe_ended;
	uint64_t files; /* size of part files at their last progress */
	_Atomic uint64_t leave_ms; /* when the JVM is left alone; 0: never */
	bool left;		   /* that time has come */
};

/* One that was not started. */
#define RECEIVER_NONE \
	(struct receiver){ .connection = -1, .flow = { .enough = -1 } }

/*
 * Takes ownership of CONNECTION, on which the dump was requested. SPOOL_FOLDER,
 * IN_MEMORY: see spool_new.
 */
bool receiver_start(struct receiver *receiver, const struct attach *attach,
		    struct transfer *transfer, int connection,
		    const char *spool_folder, bool in_memory,
		    struct reason *reason);

/* Waits until everything has arrived; flow.received is final then. */
void receiver_wait(struct receiver *receiver);

/*
 * Nobody can read the dump. The reply, which most likely says why, is waited
 * for a little longer, while the rest of the dump is dropped; after that the JVM
 * is released, and LEFT is set: it may never stop sending.
 */
void receiver_expect_reply_only(struct receiver *receiver);

/* Drops the rest of the dump and releases the JVM. */
void receiver_give_up(struct receiver *receiver);

/*
 * Waits for the end. False with a reason if it was given up or failed;
 * otherwise sets the reply, which lives as long as the receiver.
 */
bool receiver_finish(struct receiver *receiver, struct attach_reply *ret_reply,
		     struct reason *reason);

void receiver_free(struct receiver *receiver);

#endif
