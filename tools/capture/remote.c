/* SPDX-License-Identifier: MIT */
/*
 * remote.c - see remote.h.
 *
 * As with a JVM on this host, a thread reads as fast as the dump comes, and the
 * copy is made from a spool, so that the JVM does not wait for our output.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tools/capture/dump_copy.h"
#include "tools/capture/dump_output.h"
#include "tools/capture/interrupt.h"
#include "tools/capture/remote.h"
#include "tools/capture/remote_connect.h"
#include "tools/capture/spool.h"
#include "tools/common/clock.h"

/* ---- the thread ---------------------------------------------------------- */

struct inflow {
	struct spool *spool;
	pthread_t thread;
	int connection;
	int enough; /* an eventfd: no more bytes are wanted */
	unsigned timeout_s;
	bool waits; /* for a dump, any time, until its first record comes */
	uint64_t received, progress_ms, progress_at;
	bool failed;
	struct reason reason; /* set if it has failed */
};

/* What has come when nobody asked for a dump yet: the header. */
#define HEADER_BYTES 31

/*
 * Gives up after the timeout without bytes that arrive or that the output takes.
 */
static bool is_too_slow(struct inflow *in, bool has_room)
{
	uint64_t now = clock_ms();
	uint64_t at = has_room ? in->received : spool_taken(in->spool);

	if (at != in->progress_at ||
	    (in->waits && in->received <= HEADER_BYTES)) {
		in->progress_at = at;
		in->progress_ms = now;
	}
	if (now - in->progress_ms < (uint64_t)in->timeout_s * 1000)
		return false;
	in->failed = true;
	reason_set(&in->reason,
		   has_room ? "it sent nothing for %u seconds (--timeout)"
			    : "the output took nothing for %u seconds, and "
			      "there is no room to put the dump aside",
		   in->timeout_s);
	return true;
}

/* False: that was all. */
static bool read_some(struct inflow *in)
{
	size_t room;
	void *out = spool_room(in->spool, &room);
	ssize_t n;

	if (!out)
		return true;
	n = read(in->connection, out, room);
	if (n > 0) {
		spool_put(in->spool, (size_t)n);
		in->received += (uint64_t)n;
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0) {
		in->failed = true;
		reason_errno(&in->reason, "cannot read from it");
	}
	return false;
}

/* Waits for bytes or a request to stop, and handles it. False: that was all. */
static bool wait_and_read(struct inflow *in)
{
	enum { TICK_MS = 500, STOP = 0, ENOUGH, CONNECTION };
	size_t room;
	bool has_room = spool_room(in->spool, &room) != NULL;
	struct pollfd fds[] = {
		[STOP] = { .fd = stop_fd(), .events = POLLIN },
		[ENOUGH] = { .fd = in->enough, .events = POLLIN },
		[CONNECTION] = { .fd = has_room ? in->connection : -1,
				 .events = POLLIN },
	};

	if (!has_room)
		spool_wait_room(in->spool, 100);
	poll(fds, 3, has_room ? TICK_MS : 0);
	if (fds[ENOUGH].revents)
		return false;
	if (fds[STOP].revents) {
		in->failed = true;
		reason_set(&in->reason, "%s", stop_reason());
		return false;
	}
	if (fds[CONNECTION].revents && !read_some(in))
		return false;
	return !is_too_slow(in, has_room);
}

static void *run(void *arg)
{
	struct inflow *in = arg;

	while (wait_and_read(in))
		;
	spool_end(in->spool);
	return NULL;
}

static int64_t read_spool(void *user, void *out, size_t room)
{
	struct inflow *in = user;

	return spool_take(in->spool, out, room);
}

static bool start(struct inflow *in, const struct dump_order *order,
		  struct reason *reason)
{
	char *folder = dump_output_folder(order);

	in->spool = spool_new(folder);
	free(folder);
	in->enough = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	in->progress_ms = clock_ms();
	if (!in->spool || in->enough < 0)
		return reason_set(reason, "out of memory");
	return pthread_create(&in->thread, NULL, run, in) == 0 ||
	       reason_errno(reason, "cannot make a thread");
}

static void finish(struct inflow *in)
{
	eventfd_write(in->enough, 1);
	spool_drop(in->spool);
	pthread_join(in->thread, NULL);
}

static void release(struct inflow *in)
{
	spool_free(in->spool);
	if (in->enough >= 0)
		close(in->enough);
	close(in->connection);
}

/* ---- the dump ------------------------------------------------------------ */

static bool copy(struct inflow *in, const struct dump_order *order,
		 struct hprof_writer *writer, struct dump_copy *copied,
		 bool *ret_about_output, struct reason *reason)
{
	struct hprof_input input = hprof_input_callback(read_spool, in);
	struct hprof_reader_options options;
	struct hprof_reader *reader;
	struct hprof_error error = { 0 };
	struct reason first_error;
	enum dump_copy_result result;

	dump_copy_reader_options(&options, &first_error);
	input.threads = 1;
	if (hprof_reader_open(&input, &options, &reader, &error) != HPROF_OK)
		return reason_set(reason, "%s", error.text);
	result = dump_copy(reader, writer, order->progress, &first_error,
			   copied, reason);
	hprof_reader_close(reader);
	*ret_about_output = result == DUMP_COPY_UNWRITABLE;
	return result == DUMP_COPIED;
}

static bool receive(const struct remote_order *order, int connection,
		    struct hprof_writer *writer, struct dump_copy *copied,
		    bool *ret_about_output, struct reason *reason)
{
	struct inflow in = { .connection = connection,
			     .timeout_s = order->dump->timeout_s,
			     .waits = order->wait };
	bool done = false;

	if (start(&in, order->dump, reason)) {
		done = copy(&in, order->dump, writer, copied, ret_about_output,
			    reason);
		finish(&in);
		/* Why it ends is better than where. */
		if (!done && in.failed && !*ret_about_output)
			*reason = in.reason;
	}
	release(&in);
	return done;
}

static bool finish_output(struct hprof_writer *writer, bool *ret_about_output,
			  struct reason *reason)
{
	if (hprof_writer_finish(writer) == HPROF_OK)
		return true;
	*ret_about_output = true;
	return reason_set(reason, "%s", hprof_writer_error(writer)->text);
}

bool remote_dump(const struct remote_order *order,
		 struct wire_address *ret_peer, struct dump_result *ret,
		 bool *ret_about_output, struct reason *reason)
{
	struct dump_copy copied = { .first_only = true };
	struct hprof_writer *writer;
	bool done = false;
	int connection;

	*ret = (struct dump_result){ 0 };
	*ret_peer = order->address;
	*ret_about_output = true;
	if (!dump_output_open(order->dump, &writer, reason))
		return false;
	*ret_about_output = false;
	connection = remote_connect(order, ret_peer, reason);
	if (connection >= 0)
		done = receive(order, connection, writer, &copied,
			       ret_about_output, reason) &&
		       finish_output(writer, ret_about_output, reason);
	hprof_writer_free(writer);
	ret->objects = copied.objects;
	ret->bytes = copied.bytes;
	ret->written = done ? dump_output_size(order->dump) : 0;
	ret->part_left = !done && dump_output_has_part(order->dump);
	return done;
}
