/* SPDX-License-Identifier: MIT */
/*
 * request.c - see request.h. The answer is one record among those of dumps that
 * the agent may send at any time: these are skipped. What comes is not trusted:
 * lengths have limits, and bytes that do not belong in the answer end it.
 */
#include "tools/capture/request.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/capture/interrupt.h"
#include "tools/capture/remote_connect.h"
#include "tools/common/clock.h"
#include "tools/common/json_check.h"
#include "wire/command.h"

struct stream {
	int fd;
	uint64_t until; /* ms */
	struct reason *reason;
};

/* Also asked of a peer that sends without an end. */
static bool has_time(const struct stream *s)
{
	if (clock_ms() >= s->until)
		return reason_set(s->reason, "it did not answer in time "
					     "(--timeout)");
	return !stop_wanted() || reason_set(s->reason, "%s", stop_reason());
}

static bool await_bytes(const struct stream *s)
{
	struct pollfd fds[] = {
		{ .fd = s->fd, .events = POLLIN },
		{ .fd = stop_fd(), .events = POLLIN },
	};
	const uint64_t now = clock_ms();
	const int most = s->until > now ? (int)(s->until - now) : 0;

	if (poll(fds, 2, most) < 0 && errno != EINTR)
		return reason_errno(s->reason, "cannot wait");
	return has_time(s);
}

/* OUT may be NULL: the bytes are skipped. */
static bool take(const struct stream *s, void *out, uint64_t size)
{
	char unused[4096];
	uint8_t *p = out;

	while (size > 0) {
		const size_t most = !p && size > sizeof unused ? sizeof unused
							       : (size_t)size;
		ssize_t n;

		if (!has_time(s))
			return false;
		n = recv(s->fd, p ? (void *)p : unused, most, MSG_DONTWAIT);

		if (n == 0)
			return reason_set(s->reason,
					  "it closed the connection without "
					  "an answer");
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return reason_errno(s->reason, "cannot read");
		if (n < 0 && !await_bytes(s))
			return false;
		if (n > 0 && p)
			p += n;
		size -= n > 0 ? (uint64_t)n : 0;
	}
	return true;
}

/* The version with its NUL, u4 size of identifiers, u8 time. */
static bool skip_header(const struct stream *s)
{
	enum { MOST = 64, REST = 12 };
	char byte = 1;

	for (int i = 0; byte && i < MOST; i++)
		if (!take(s, &byte, 1))
			return false;
	if (byte)
		return reason_set(s->reason, "it does not send records: is it "
					     "an agent with format=a?");
	return take(s, NULL, REST);
}

static bool send_request(const struct stream *s, const struct request *q)
{
	const size_t size = q->name ? strlen(q->name) : 0;
	uint8_t frame[WIRE_HEAD + WIRE_REQUEST_SIZE + WIRE_NAME_MOST];
	const size_t body = WIRE_REQUEST_SIZE + size;
	uint8_t *p = frame + WIRE_HEAD;

	if (size > WIRE_NAME_MOST)
		return reason_set(s->reason, "the name is too long");
	wire_put_head(frame, WIRE_REQUEST, (uint32_t)body);
	*p = (uint8_t)q->kind;
	wire_put_u32(p + 1, (uint32_t)(q->id >> 32));
	wire_put_u32(p + 5, (uint32_t)q->id);
	if (size)
		memcpy(p + WIRE_REQUEST_SIZE, q->name, size);
	return send(s->fd, frame, WIRE_HEAD + body, MSG_NOSIGNAL) ==
		       (ssize_t)(WIRE_HEAD + body) ||
	       reason_errno(s->reason, "cannot send a request");
}

static bool is_printable(const char *text, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return true;
}

static bool take_answer(const struct stream *s, uint32_t size, char **ret)
{
	char *text;

	if (size > WIRE_ANSWER_MOST)
		return reason_set(s->reason, "its answer is too long");
	text = malloc((size_t)size + 1);
	if (!text)
		return reason_set(s->reason, "out of memory");
	text[size] = '\0';
	if (take(s, text, size) &&
	    (is_printable(text, size) ||
	     reason_set(s->reason, "its answer is no text")) &&
	    (json_is_whole(text) ||
	     reason_set(s->reason, "its answer is no JSON"))) {
		*ret = text;
		return true;
	}
	free(text);
	return false;
}

static bool receive(const struct stream *s, char **ret)
{
	uint8_t head[WIRE_HEAD];

	if (!skip_header(s))
		return false;
	for (;;) {
		uint32_t size;

		if (!take(s, head, sizeof head))
			return false;
		size = wire_get_u32(head + 5);
		if (head[0] == WIRE_REQUEST)
			return take_answer(s, size, ret);
		if (!take(s, NULL, size))
			return false;
	}
}

bool request_answer(const struct remote_order *order,
		    const struct request *request, char **ret_answer,
		    struct reason *reason)
{
	struct stream s = { .reason = reason };
	struct wire_address peer;
	bool done;

	s.fd = remote_connect(order, &peer, reason);
	if (s.fd < 0)
		return false;
	s.until = clock_ms() + (uint64_t)order->dump->timeout_s * 1000;
	done = send_request(&s, request) && receive(&s, ret_answer);
	close(s.fd);
	return done;
}
