/* SPDX-License-Identifier: MIT */
/*
 * peer.c - see peer.h.
 */
#include "agent/net/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#include "agent/common/clock.h"
#include "agent/common/log.h"

#define FRAME_MS 10000	   /* for the rest of a frame */
#define COMPLAINTS_MOST 20 /* then silence: it is somebody else's log */

/* False with errno as ag_receive. UNTIL < 0: any time. */
static bool await_bytes(int fd, int stop, int64_t until)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	int64_t left = until < 0 ? -1 : until - ag_clock_ms();
	int n;

	if (until >= 0 && left < 0)
		left = 0;
	n = poll(fds, 2, (int)left);
	if (n < 0)
		return errno == EINTR;
	errno = n == 0 ? ETIMEDOUT : ECANCELED;
	return n > 0 && !fds[1].revents;
}

bool ag_receive(int fd, int stop, void *out, size_t size, int timeout_ms)
{
	int64_t until = timeout_ms < 0 ? -1 : ag_clock_ms() + timeout_ms;
	uint8_t *to = out;

	while (size > 0) {
		ssize_t n = recv(fd, to, size, MSG_DONTWAIT);

		if (n > 0) {
			to += n;
			size -= (size_t)n;
		} else if (n == 0) {
			errno = 0;
			return false;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (!await_bytes(fd, stop, until)) {
			return false;
		}
	}
	return true;
}

void ag_complain(unsigned *complaints, const char *name, const char *what)
{
	if (*complaints < COMPLAINTS_MOST)
		ag_log("%s: %s%s", name, what,
		       ++*complaints == COMPLAINTS_MOST
			       ? "; there are no more messages about peers"
			       : "");
}

bool ag_peer_read(const struct ag_peer *peer, void *out, size_t size)
{
	return ag_receive(peer->fd, peer->stop, out, size, FRAME_MS);
}

bool ag_peer_skip(const struct ag_peer *peer, size_t size)
{
	uint8_t unused[256];

	while (size > 0) {
		size_t part = size < sizeof unused ? size : sizeof unused;

		if (!ag_peer_read(peer, unused, part))
			return false;
		size -= part;
	}
	return true;
}
