/* SPDX-License-Identifier: MIT */
/*
 * receiver.c - see receiver.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/clock.h"
#include "tools/common/cli.h"
#include "tools/capture/receiver.h"
#include "tools/capture/interrupt.h"

#define TICK_MS 500

/* How long the reply of a JVM whose dump cannot be read is waited for. */
#define REPLY_ONLY_S 10

/*
 * Fewer bytes of a dump each second are no progress: one every few seconds would
 * keep us for ever.
 */
#define LEAST_PER_S 16

/* ---- the thread --------------------------------------------------------- */

/* Releases the JVM. The reason has already been set. */
static void fail(struct receiver *in)
{
	in->failed = true;
	transfer_close(in->transfer);
	if (in->connection >= 0)
		close(in->connection);
	in->connection = -1;
}

/*
 * Reads what is in the pipe now. The first bytes show that the JVM has opened
 * the pipe, so its name can be removed.
 */
static void read_pipe(struct receiver *in)
{
	size_t room;
	void *out = spool_room(in->spool, &room);
	ssize_t n;

	if (!out)
		return;
	do
		n = read(in->transfer->pipe, out, room);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		spool_put(in->spool, (size_t)n);
		transfer_connected(in->transfer);
		in->received += (uint64_t)n;
	} else if (n == 0 || errno != EAGAIN) {
		in->pipe_ended = true;
	}
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

/*
 * The JVM was released. The thread that writes the output may wait for its
 * reader forever, so the process ends here.
 */
static void __attribute__((noreturn)) output_is_stuck(const struct receiver *in)
{
	cli_message("%d: the output took nothing for %u seconds, and there is "
		    "no room to put the dump aside: the JVM was released",
		    (int)in->attach->process->pid, in->attach->timeout_s);
	_exit(CLI_TROUBLE);
}

/* True if the JVM was to be left alone by now, and is. */
static bool leave_in_time(struct receiver *in, uint64_t now)
{
	uint64_t when = atomic_load(&in->leave_ms);

	if (when == 0 || now < when)
		return false;
	reason_set(&in->reason, "it goes on sending what is no dump");
	in->left = true;
	fail(in);
	return true;
}

/* Has a counter of bytes moved enough since the last progress, when it was AT? */
static bool has_moved(const struct receiver *in, uint64_t now, uint64_t at)
{
	uint64_t bytes = now > at ? now - at : at - now;

	return bytes >= (uint64_t)LEAST_PER_S * in->attach->timeout_s;
}

/*
 * Gives up if the timeout passes without progress, that is, without bytes that
 * arrive, bytes that the output takes, or part files that grow. The reply is
 * none: it comes when the dump is made, and is short.
 */
static void check_timeout(struct receiver *in, bool has_room)
{
	uint64_t now = clock_ms();
	uint64_t at = has_room ? in->received : spool_taken(in->spool);
	uint64_t files = in->progress_files;

	if (leave_in_time(in, now))
		return;

	bool moved = has_moved(in, at, in->progress_at);

	if (!moved && now - in->progress_ms >= TICK_MS)
		files = transfer_size(in->transfer);
	if (moved || has_moved(in, files, in->progress_files)) {
		in->progress_at = at;
		in->progress_files = files;
		in->progress_ms = now;
	}
	if (now - in->progress_ms < (uint64_t)in->attach->timeout_s * 1000)
		return;
	if (has_room)
		attach_silent(in->attach, &in->reason);
	fail(in);
	if (!has_room)
		output_is_stuck(in);
}

/* Waits for the pipe, the reply or a request to stop, and handles it. */
static void wait_and_read(struct receiver *in)
{
	enum { STOP, WAKE, CONNECTION, PIPE };
	size_t room;
	bool has_room = spool_room(in->spool, &room) != NULL;
	struct pollfd fds[] = {
		[STOP] = { .fd = stop_fd(), .events = POLLIN },
		[WAKE] = { .fd = in->wake[0], .events = POLLIN },
		[CONNECTION] = { .fd = in->connection, .events = POLLIN },
		[PIPE] = { .fd = has_room && !in->pipe_ended
					 ? in->transfer->pipe
					 : -1,
			   .events = POLLIN },
	};

	if (!has_room)
		spool_wait_room(in->spool, 100);
	if (poll(fds, 4, has_room ? TICK_MS : 0) < 0 && errno != EINTR) {
		reason_errno(&in->reason, "cannot wait for the JVM");
		fail(in);
		return;
	}
	if (fds[STOP].revents || fds[WAKE].revents) {
		reason_set(&in->reason, "%s",
			   fds[STOP].revents ? stop_reason() : "given up");
		spool_drop(in->spool);
		fail(in);
		return;
	}
	if (fds[PIPE].revents)
		read_pipe(in);
	if (fds[CONNECTION].revents)
		read_reply(in);
	check_timeout(in, has_room);
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
	uint64_t end = in->received + pipe_capacity(in);

	while (in->transfer->pipe >= 0 && !in->pipe_ended && !in->failed &&
	       in->received < end) {
		uint64_t before = in->received;
		size_t room;
		bool has_room = spool_room(in->spool, &room) != NULL;

		if (has_room) {
			read_pipe(in);
			if (in->received == before)
				break;
		} else {
			spool_wait_room(in->spool, 100);
		}
		check_timeout(in, has_room);
		if (!in->failed && stop_wanted()) {
			reason_set(&in->reason, "%s", stop_reason());
			spool_drop(in->spool);
			fail(in);
		}
	}
}

static void *run(void *arg)
{
	struct receiver *in = arg;

	while (!in->failed && in->connection >= 0)
		wait_and_read(in);
	drain_pipe(in);
	/* Without a pipe, the file in the directory has yet to be read. */
	if (in->transfer->pipe >= 0)
		transfer_close(in->transfer);
	spool_end(in->spool);
	return NULL;
}

/* ---- for the caller ----------------------------------------------------- */

bool receiver_start(struct receiver *in, const struct attach *attach,
		    struct transfer *transfer, int connection,
		    const char *spool_folder, struct reason *reason)
{
	*in = (struct receiver){ .attach = attach,
				 .transfer = transfer,
				 .connection = connection,
				 .wake = { -1, -1 } };
	in->progress_ms = clock_ms();
	in->reply = malloc(ATTACH_REPLY_MOST);
	in->spool = spool_new(spool_folder);
	if (!in->reply || !in->spool) {
		reason_set(reason, "out of memory");
	} else if (pipe2(in->wake, O_CLOEXEC) != 0) {
		reason_errno(reason, "cannot make a pipe");
	} else if (pthread_create(&in->thread, NULL, run, in) != 0) {
		reason_errno(reason, "cannot make a thread");
	} else {
		in->running = true;
		return true;
	}
	receiver_free(in);
	return false;
}

int64_t receiver_read(void *user, void *out, size_t room)
{
	struct receiver *in = user;

	return spool_take(in->spool, out, room);
}

void receiver_expect_reply_only(struct receiver *in)
{
	unsigned wait_s = in->attach->timeout_s < REPLY_ONLY_S
				  ? in->attach->timeout_s
				  : REPLY_ONLY_S;

	spool_drop(in->spool);
	atomic_store(&in->leave_ms, clock_ms() + (uint64_t)wait_s * 1000);
}

void receiver_give_up(struct receiver *in)
{
	if (in->running)
		(void)!write(in->wake[1], "", 1);
	if (in->spool)
		spool_drop(in->spool);
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
	if (in->failed) {
		*reason = in->reason;
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
	for (int i = 0; i < 2; i++)
		if (in->wake[i] >= 0)
			close(in->wake[i]);
	spool_free(in->spool);
	free(in->reply);
	*in = (struct receiver){ .connection = -1, .wake = { -1, -1 } };
}
