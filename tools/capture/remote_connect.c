/* SPDX-License-Identifier: MIT */
/*
 * remote_connect.c - see remote_connect.h.
 *
 * Anybody may connect to a port on which we listen. So whoever does not begin
 * like a dump within some seconds is sent away, and the next one is heard.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/capture/interrupt.h"
#include "tools/capture/remote_connect.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "wire/command.h"
#include "wire/token.h"

#define HEADER_MS 10000 /* for a connection to begin like a dump */

/*
 * Waits until FD is ready, for TIMEOUT_MS or, if that is negative, for as long as
 * it takes. False with the reason.
 */
static bool await(int fd, short events, int timeout_ms, struct reason *reason)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = events },
		{ .fd = stop_fd(), .events = POLLIN },
	};
	int n;

	do
		n = poll(fds, 2, timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return reason_errno(reason, "cannot wait");
	if (fds[1].revents)
		return reason_set(reason, "%s", stop_reason());
	return n > 0 || reason_set(reason, "it did not answer for %d seconds",
				   timeout_ms / 1000);
}

/* A frame or two fit into any socket's buffer. */
static bool send_frame(int fd, unsigned tag, const void *body, size_t size,
		       struct reason *reason)
{
	uint8_t frame[WIRE_HEAD + WIRE_TOKEN_MOST];

	wire_put_head(frame, tag, (uint32_t)size);
	memcpy(frame + WIRE_HEAD, body, size);
	size += WIRE_HEAD;
	return send(fd, frame, size, MSG_NOSIGNAL) == (ssize_t)size ||
	       reason_errno(reason, "cannot send a command");
}

/* Does what comes begin like a dump? Looks without reading. */
static bool begins_like_dump(int fd, int timeout_ms, struct reason *reason)
{
	static const char begin[] = "JAVA PROFILE ";
	const size_t size = sizeof begin - 1;
	char bytes[sizeof begin];
	uint64_t until = clock_ms() + (uint64_t)timeout_ms;

	for (;;) {
		ssize_t n;

		if (!await(fd, POLLIN, timeout_ms, reason))
			return false;
		n = recv(fd, bytes, size, MSG_PEEK | MSG_DONTWAIT);
		if (n == 0)
			return reason_set(reason,
					  "it closed the connection without "
					  "a word: is the token right?");
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return reason_errno(reason, "cannot read");
		if (n > 0 && memcmp(bytes, begin, (size_t)n) != 0)
			return reason_set(reason, "it does not send a dump");
		if (n == (ssize_t)size)
			return true;
		if (clock_ms() >= until)
			return reason_set(reason,
					  "it sent too little of a dump");
		/* poll tells of the same bytes again and again. */
		poll(&(struct pollfd){ .fd = stop_fd(), .events = POLLIN }, 1,
		     20);
	}
}

/* ---- it connects to us --------------------------------------------------- */

static void say_refused(const struct wire_address *peer,
			const struct reason *reason)
{
	char text[WIRE_TEXT_MAX];

	cli_message("%s: %s; waiting for another",
		    wire_address_text(peer, text), reason->text);
}

static int accept_agent(const struct remote_order *order, int listener,
			struct wire_address *ret_peer, struct reason *reason)
{
	for (;;) {
		struct reason refused;
		int fd;

		if (!await(listener, POLLIN, -1, reason))
			return -1;
		fd = wire_accept(listener, ret_peer);
		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE) {
				reason_errno(reason, "cannot be connected to");
				return -1;
			}
			continue;
		}
		if (begins_like_dump(fd, HEADER_MS, &refused) &&
		    (order->wait ||
		     send_frame(fd, WIRE_DUMP_HEAP, "", 0, &refused)))
			return fd;
		close(fd);
		if (stop_wanted()) {
			*reason = refused;
			return -1;
		}
		say_refused(ret_peer, &refused);
	}
}

static int await_agent(const struct remote_order *order,
		       struct wire_address *ret_peer, struct reason *reason)
{
	struct wire_address bound;
	char why[160], text[WIRE_TEXT_MAX];
	int listener = wire_listen(&order->address, &bound, why), fd;

	if (listener < 0) {
		reason_set(reason, "cannot listen: %s", why);
		return -1;
	}
	if (!order->dump->quiet)
		cli_message("listening on %s", wire_address_text(&bound, text));
	fd = accept_agent(order, listener, ret_peer, reason);
	close(listener);
	return fd;
}

/* ---- we connect to it ---------------------------------------------------- */

static bool read_token(const char *path, struct wire_token *ret,
		       struct reason *reason)
{
	const char *why;
	int error;

	if (wire_token_read(path, ret, &why, &error))
		return true;
	return reason_set(reason, "the token in %s: %s%s%s", path, why,
			  error ? ": " : "", error ? strerror(error) : "");
}

static int find_agent(const struct remote_order *order, struct reason *reason)
{
	int timeout_ms = (int)order->dump->timeout_s * 1000;
	struct wire_token token;
	char why[160];
	int fd;

	if (!read_token(order->token_file, &token, reason))
		return -1;
	fd = wire_connect(&order->address, (unsigned)timeout_ms, stop_fd(),
			  why);
	if (fd < 0) {
		reason_set(reason, "%s", stop_wanted() ? stop_reason() : why);
		return -1;
	}
	if (send_frame(fd, WIRE_TOKEN, token.bytes, token.size, reason) &&
	    begins_like_dump(fd, timeout_ms, reason) &&
	    (order->wait || send_frame(fd, WIRE_DUMP_HEAP, "", 0, reason)))
		return fd;
	close(fd);
	return -1;
}

int remote_connect(const struct remote_order *order,
		   struct wire_address *ret_peer, struct reason *reason)
{
	if (order->listen)
		return await_agent(order, ret_peer, reason);
	*ret_peer = order->address;
	return find_agent(order, reason);
}
