/* SPDX-License-Identifier: MIT */
/*
 * receiver.c - see receiver.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/clock.h"
#include "tools/common/cli.h"
#include "tools/capture/receiver.h"
#include "tools/capture/interrupt.h"

#define LOOK_MS 500 /* between two looks at the JVM's part files */

/* How long the reply of a JVM whose dump cannot be read is waited for. */
#define REPLY_ONLY_S 10

/* ---- the thread --------------------------------------------------------- */

/* Releases the JVM. The reason has already been set. */
static void fail(struct receiver *in)
{
	in->flow.failed = true;
	transfer_close(in->transfer);
	if (in->connection >= 0)
		close(in->connection);
	in->connection = -1;
}

/*
 * The first bytes show that the JVM has opened the pipe, so its name can be
 * removed.
 */
static void heed(struct receiver *in, unsigned met)
{
	if (met & INFLOW_BYTES)
		transfer_connected(in->transfer);
	if (met & INFLOW_END)
		in->pipe_ended = true;
	if (met & INFLOW_ENOUGH)
		reason_set(&in->flow.reason, "given up");
	if (met & (INFLOW_ENOUGH | INFLOW_FAILED))
		fail(in);
}

static void read_reply(struct receiver *in)
{
	ssize_t n = 0; /* a reply that is too long is cut */

	if (in->reply_size < ATTACH_REPLY_MOST)
		n = read(in->connection, in->reply + in->reply_size,
			 ATTACH_REPLY_MOST - in->reply_size);
	if (n > 0) {
		in->reply_size += (size_t)n;
	} else if (n == 0 || errno != EINTR) {
		close(in->connection);
		in->connection = -1;
	}
}

/* True if the JVM was to be left alone by now, and is. */
static bool leave_in_time(struct receiver *in, uint64_t now)
{
	uint64_t when = atomic_load(&in->leave_ms);

	if (when == 0 || now < when)
		return false;
	reason_set(&in->flow.reason, "it goes on sending what is no dump");
	in->left = true;
	fail(in);
	return true;
}

/* Have the part files of the JVM grown? Looks only now and then. */
static bool files_grow(struct receiver *in, uint64_t now)
{
	uint64_t files, grown;

	if (now - in->flow.progress_ms < LOOK_MS)
		return false;
	files = transfer_size(in->transfer);
	grown = files > in->files ? files - in->files : in->files - files;
	if (!inflow_is_progress(&in->flow, grown))
		return false;
	in->files = files;
	return true;
}

/*
 * Gives up if the timeout passes without progress, that is, without bytes that
 * arrive, bytes that the output takes, or part files that grow. The reply is
 * none: it comes when the dump is made, and is short.
 */
static void check_timeout(struct receiver *in)
{
	uint64_t now = clock_ms();
	bool alive, moved;
	char name[24];

	if (leave_in_time(in, now))
		return;
	alive = inflow_is_alive(&in->flow, &moved);
	if (!moved && files_grow(in, now))
		inflow_moved(&in->flow);
	else if (!alive) {
		if (in->flow.has_room)
			attach_silent(in->attach, &in->flow.reason);
		fail(in);
		snprintf(name, sizeof(name), "%d",
			 (int)in->attach->process->pid);
		if (!in->flow.has_room)
			inflow_output_is_stuck(&in->flow, name);
	}
}

/* Waits for the pipe, the reply or a request to stop, and handles it. */
static void wait_and_read(struct receiver *in)
{
	unsigned met =
		inflow_wait(&in->flow, in->pipe_ended ? -1 : in->transfer->pipe,
			    in->connection);

	heed(in, met);
	if (in->flow.failed)
		return;
	if (met & INFLOW_OTHER)
		read_reply(in);
	check_timeout(in);
}

/* The most bytes that can be in the pipe. */
static uint64_t pipe_capacity(const struct receiver *in)
{
	int size = fcntl(in->transfer->pipe, F_GETPIPE_SZ);

	return size > 0 ? (uint64_t)size : 64 << 10;
}

/*
 * Once the reply is there, everything is written: reads what is in the pipe, and
 * nothing that is written after that.
 */
static void drain_pipe(struct receiver *in)
{
	uint64_t end = in->flow.received + pipe_capacity(in);

	while (in->transfer->pipe >= 0 && !in->pipe_ended && !in->flow.failed &&
	       in->flow.received < end) {
		unsigned met = inflow_take(&in->flow, in->transfer->pipe);

		heed(in, met);
		if (!met && in->flow.has_room)
			break;
		if (!in->flow.has_room)
			spool_wait_room(in->flow.spool, 100);
		if (!in->flow.failed)
			check_timeout(in);
		if (!in->flow.failed && stop_wanted()) {
			reason_set(&in->flow.reason, "%s", stop_reason());
			spool_drop(in->flow.spool);
			fail(in);
		}
	}
}

static void *run(void *arg)
{
	struct receiver *in = arg;

	while (!in->flow.failed && in->connection >= 0)
		wait_and_read(in);
	drain_pipe(in);
	/* Without a pipe, the file in the directory has yet to be read. */
	if (in->transfer->pipe >= 0)
		transfer_close(in->transfer);
	spool_end(in->flow.spool);
	return NULL;
}

/* ---- for the caller ----------------------------------------------------- */

bool receiver_start(struct receiver *in, const struct attach *attach,
		    struct transfer *transfer, int connection,
		    const char *spool_folder, bool in_memory,
		    struct reason *reason)
{
	*in = (struct receiver){ .attach = attach,
				 .transfer = transfer,
				 .connection = connection };
	in->reply = malloc(ATTACH_REPLY_MOST);
	if (!inflow_init(&in->flow, spool_folder, in_memory, attach->timeout_s,
			 reason)) {
		/* that was the reason */
	} else if (!in->reply) {
		reason_set(reason, "out of memory");
	} else if (pthread_create(&in->thread, NULL, run, in) != 0) {
		reason_errno(reason, "cannot make a thread");
	} else {
		in->running = true;
		return true;
	}
	receiver_free(in);
	return false;
}

void receiver_expect_reply_only(struct receiver *in)
{
	unsigned wait_s = in->attach->timeout_s < REPLY_ONLY_S
				  ? in->attach->timeout_s
				  : REPLY_ONLY_S;

	spool_drop(in->flow.spool);
	atomic_store(&in->leave_ms, clock_ms() + (uint64_t)wait_s * 1000);
}

void receiver_give_up(struct receiver *in)
{
	if (in->flow.spool)
		inflow_enough(&in->flow);
}

void receiver_wait(struct receiver *in)
{
	if (in->running)
		pthread_join(in->thread, NULL);
	in->running = false;
}

bool receiver_finish(struct receiver *in, struct attach_reply *ret_reply,
		     struct reason *reason)
{
	receiver_wait(in);
	if (in->flow.failed) {
		*reason = in->flow.reason;
		return false;
	}
	return attach_parse_reply(in->reply, in->reply_size, ret_reply) ||
	       attach_bad_reply(in->attach, in->reply_size, reason);
}

void receiver_free(struct receiver *in)
{
	if (in->running)
		receiver_give_up(in);
	receiver_wait(in);
	if (in->connection >= 0)
		close(in->connection);
	inflow_free(&in->flow);
	free(in->reply);
	*in = RECEIVER_NONE;
}
