/* SPDX-License-Identifier: MIT */
/*
 * profile_take.c - see profile_take.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tools/capture/profile_take.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/clock.h"

/* Replaces the report by one of now. */
static bool report(struct profile_taken *t, const struct profile_order *order,
		   bool collect)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	if (fd < 0)
		return reason_errno(&t->reason, "cannot keep the profile");
	if (!profile_run_report(&t->run, order->text, collect, fd,
				&t->reason)) {
		close(fd);
		return false;
	}
	if (t->fd >= 0)
		close(t->fd);
	t->fd = fd;
	snprintf(t->path, sizeof(t->path), "/proc/self/fd/%d", fd);
	return true;
}

/* Signals that end the profile early come through this descriptor. */
static int hold_signals(sigset_t *before)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, before);
	return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What has come through it was obeyed. From now on they end the program. */
static void release_signals(int fd, const sigset_t *before)
{
	struct signalfd_siginfo unused;

	while (fd >= 0 &&
	       read(fd, &unused, sizeof(unused)) == (ssize_t)sizeof(unused))
		;
	if (fd >= 0)
		close(fd);
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Until the time is over, a signal, or the end of the JVM. */
static void wait_for_end(struct profile_taken *t,
			 const struct profile_order *order, int signals)
{
	const uint64_t end = t->start_ms + order->duration_ms;
	uint64_t now;

	while ((now = clock_ms()) < end) {
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = profile_run_watch(&t->run), .events = POLLIN },
		};
		uint64_t left = end - now;

		if (order->refresh_ms && left > order->refresh_ms)
			left = order->refresh_ms;
		poll(fds, 2, left > INT_MAX ? INT_MAX : (int)left);
		if (fds[0].revents || fds[1].revents)
			return;
		if (order->refresh_ms && clock_ms() < end &&
		    report(t, order, false))
			order->shown(order->user);
	}
}

/* Begins, waits, takes the profile, ends. */
static bool run(struct profile_taken *t, const struct profile_order *order)
{
	struct reason ending;
	sigset_t before;
	int signals = hold_signals(&before);
	bool taken, ended;

	if (!profile_run_begin(&t->run, &t->process, order->agent,
			       order->timeout_s, order->options, &t->reason))
		return false;
	order->begun(order->user);
	t->start_ms = clock_ms();
	wait_for_end(t, order, signals);
	t->end_ms = clock_ms();
	taken = report(t, order, order->collect);
	ended = profile_run_end(&t->run, &ending);
	if (taken && !ended)
		cli_message("%d: the profile was not switched off: %s",
			    (int)t->process.pid, ending.text);
	release_signals(signals, &before);
	return taken;
}

bool profile_take(const struct profile_order *order, struct profile_taken *t)
{
	*t = (struct profile_taken){ .fd = -1 };
	return jvm_process_read(order->pid, &t->process, &t->reason) &&
	       run(t, order);
}

void profile_taken_free(struct profile_taken *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
