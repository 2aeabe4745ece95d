/* SPDX-License-Identifier: MIT */
/*
 * inflow.c - see inflow.h.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tools/capture/inflow.h"
#include "tools/capture/interrupt.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"

#define TICK_MS 500

/*
 * Fewer bytes of a dump each second are no progress: one every few seconds would
 * keep us for ever.
 */
#define LEAST_PER_S 16

bool inflow_init(struct inflow *in, const char *folder, bool in_memory,
		 unsigned timeout_s, struct reason *reason)
{
	*in = (struct inflow){ .timeout_s = timeout_s };
	in->progress_ms = clock_ms();
	in->enough = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (in->enough < 0)
		return reason_errno(reason, "cannot make an event descriptor");
	in->spool = spool_new(folder, in_memory);
	return in->spool || reason_set(reason, "out of memory");
}

void inflow_free(struct inflow *in)
{
	if (in->enough >= 0)
		close(in->enough);
	spool_free(in->spool);
	*in = (struct inflow){ .enough = -1 };
}

static unsigned fail(struct inflow *in)
{
	in->failed = true;
	return INFLOW_FAILED;
}

unsigned inflow_take(struct inflow *in, int dump)
{
	size_t room;
	void *out = spool_room(in->spool, &room);
	ssize_t n;

	in->has_room = out != NULL;
	if (!out)
		return 0;
	do
		n = read(dump, out, room);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		spool_put(in->spool, (size_t)n);
		in->received += (uint64_t)n;
		return INFLOW_BYTES;
	}
	if (n == 0)
		return INFLOW_END;
	if (errno == EAGAIN)
		return 0;
	reason_errno(&in->reason, "cannot read from it");
	return fail(in);
}

unsigned inflow_wait(struct inflow *in, int dump, int other)
{
	enum { STOP, ENOUGH, OTHER, DUMP, ALL };
	size_t room;
	bool has_room = spool_room(in->spool, &room) != NULL;
	struct pollfd fds[] = {
		[STOP] = { .fd = stop_fd(), .events = POLLIN },
		[ENOUGH] = { .fd = in->enough, .events = POLLIN },
		[OTHER] = { .fd = other, .events = POLLIN },
		[DUMP] = { .fd = has_room ? dump : -1, .events = POLLIN },
	};
	unsigned met = 0;

	in->has_room = has_room;
	if (!has_room)
		spool_wait_room(in->spool, 100);
	if (poll(fds, ALL, has_room ? TICK_MS : 0) < 0 && errno != EINTR) {
		reason_errno(&in->reason, "cannot wait for the dump");
		return fail(in);
	}
	if (fds[STOP].revents) {
		reason_set(&in->reason, "%s", stop_reason());
		spool_drop(in->spool);
		return fail(in);
	}
	if (fds[ENOUGH].revents)
		return INFLOW_ENOUGH;
	if (fds[DUMP].revents)
		met = inflow_take(in, dump);
	return met | (fds[OTHER].revents ? INFLOW_OTHER : 0);
}

bool inflow_is_progress(const struct inflow *in, uint64_t bytes)
{
	return bytes >= (uint64_t)LEAST_PER_S * in->timeout_s;
}

void inflow_moved(struct inflow *in)
{
	in->progress_at = in->has_room ? in->received : spool_taken(in->spool);
	in->progress_ms = clock_ms();
}

bool inflow_is_alive(struct inflow *in, bool *ret_moved)
{
	uint64_t at = in->has_room ? in->received : spool_taken(in->spool);
	uint64_t before = in->progress_at;

	*ret_moved =
		inflow_is_progress(in, at > before ? at - before : before - at);
	if (*ret_moved)
		inflow_moved(in);
	return clock_ms() - in->progress_ms < (uint64_t)in->timeout_s * 1000;
}

void inflow_output_is_stuck(const struct inflow *in, const char *name)
{
	cli_message("%s: the output took nothing for %u seconds, and there is "
		    "no room to put the dump aside: the JVM was released",
		    name, in->timeout_s);
	_exit(CLI_TROUBLE);
}

void inflow_enough(struct inflow *in)
{
	eventfd_write(in->enough, 1);
	spool_drop(in->spool);
}

int64_t inflow_read(void *inflow, void *out, size_t room)
{
	struct inflow *in = inflow;

	return spool_take(in->spool, out, room);
}
