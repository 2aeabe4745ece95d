/* SPDX-License-Identifier: MIT */
/*
 * parent.c - see child.h: how the parent waits for the child, and what it says of its
 * end.
 */
#include "agent/fork/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/common/clock.h"
#include "agent/fork/child_report.h"

enum { GRACE_S = 5 /* for a child that keeps no time */ };

const char *ag_child_text(enum ag_child_end end)
{
	switch (end) {
	case AG_CHILD_DONE:
	case AG_CHILD_FAILED:
		break;
	case AG_CHILD_DIED:
		return "the forked process was ended by a signal";
	case AG_CHILD_LATE:
		return "the forked process reached its time limit";
	case AG_CHILD_LOCKED:
		return "the forked process waited for a thread of the JVM; "
		       "another attempt may succeed";
	case AG_CHILD_STALLED:
		return "the forked process made no progress";
	case AG_CHILD_PARTIAL:
		return "the JVM ended its walk early in the forked process";
	case AG_CHILD_UNFIT:
		return "the forked process could not be set up";
	}
	return "";
}

/* True if something can be read, or the other end is closed. */
static bool await_input(int fd, uint64_t end_ns)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		uint64_t now = ag_clock_ns();
		int n;

		if (now >= end_ns)
			return false;
		n = poll(&p, 1, (int)((end_ns - now) / 1000000) + 1);
		if (n > 0 || (n < 0 && errno != EINTR))
			return true;
	}
}

/*
 * Reads until the other end is closed, which the child's end does. False if
 * that has not happened when the time is over.
 */
static bool read_all(int fd, void *out, size_t room, uint64_t end_ns,
		     size_t *ret_used)
{
	size_t used = 0;

	while (used < room) {
		ssize_t n;

		if (!await_input(fd, end_ns))
			return false;
		n = read(fd, (char *)out + used, room - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	*ret_used = used;
	return true;
}

/* 0 if nobody knows, since the program ignores SIGCHLD. */
static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	return got == pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

enum ag_child_end ag_fork_wait(struct ag_fork *f, void *ret_data, size_t size,
			       int *ret_signal)
{
	const size_t head = offsetof(struct ag_child_report, data);
	const uint64_t end_ns =
		ag_clock_ns() + (f->limit_s + GRACE_S) * (uint64_t)1000000000;
	struct ag_child_report r;
	size_t got = 0;
	bool ended = read_all(f->report[0], &r, sizeof r, end_ns, &got);

	/* It has the pipe, so the number is still its own. */
	if (!ended)
		kill(f->pid, SIGKILL);
	*ret_signal = wait_for(f->pid);
	f->pid = 0;
	if (!ended)
		return AG_CHILD_LATE;
	if (got < head || got != head + r.size)
		return AG_CHILD_DIED;
	if (r.signal)
		*ret_signal = (int)r.signal;
	if (r.size != 0 && r.size != size)
		return AG_CHILD_DIED;
	if (r.size)
		memcpy(ret_data, r.data, size);
	else if (r.end <= AG_CHILD_FAILED)
		return AG_CHILD_DIED;
	return (enum ag_child_end)r.end;
}
