/* SPDX-License-Identifier: MIT */
/*
 * gate.c - see gate.h.
 */
#include "agent/net/gate.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/common/clock.h"
#include "agent/net/peer.h"

#define TOKEN_MS 10000 /* to send it */
#define PAUSE_MS 1000  /* when no descriptor is free */

void ag_gate_init(struct ag_gate *gate, int listener, int stop,
		  unsigned *complaints)
{
	gate->listener = listener;
	gate->stop = stop;
	gate->complaints = complaints;
	for (size_t i = 0; i < AG_GATE_VISITORS; i++)
		gate->visitors[i].fd = -1;
}

static void send_away(struct ag_gate *gate, struct ag_visitor *visitor,
		      const char *why)
{
	char name[WIRE_TEXT_MAX];

	wire_address_text(&visitor->peer, name);
	if (why)
		ag_complain(gate->complaints, name, why);
	close(visitor->fd);
	visitor->fd = -1;
}

/* A free place, or that of the one who has been there for the longest time. */
static struct ag_visitor *find_place(struct ag_gate *gate)
{
	struct ag_visitor *oldest = &gate->visitors[0];

	for (size_t i = 0; i < AG_GATE_VISITORS; i++) {
		struct ag_visitor *v = &gate->visitors[i];

		if (v->fd < 0)
			return v;
		if (v->until < oldest->until)
			oldest = v;
	}
	send_away(gate, oldest, "closed: there are too many others");
	return oldest;
}

static void let_in(struct ag_gate *gate)
{
	struct wire_address peer;
	int fd = wire_accept(gate->listener, &peer);
	struct ag_visitor *v;

	if (fd >= 0) {
		v = find_place(gate);
		*v = (struct ag_visitor){ .fd = fd,
					  .until = ag_clock_ms() + TOKEN_MS,
					  .peer = peer };
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		   errno == ENOMEM) {
		poll(&(struct pollfd){ .fd = gate->stop, .events = POLLIN }, 1,
		     PAUSE_MS);
	}
}

/* What the visitor has sent so far: a token frame, the beginning of one, or? */
static const char *judge(const struct ag_gate *gate, const struct ag_visitor *v,
			 bool *ret_complete)
{
	static const char wrong[] = "closed: it did not send the token";
	uint32_t size = v->used < WIRE_HEAD ? 0 : wire_get_u32(v->bytes + 5);

	*ret_complete = false;
	if (v->bytes[0] != WIRE_TOKEN || size > WIRE_TOKEN_MOST)
		return wrong;
	if (v->used < WIRE_HEAD || v->used < WIRE_HEAD + (size_t)size)
		return NULL;
	*ret_complete = true;
	return wire_token_same(&gate->token, v->bytes + WIRE_HEAD, size)
		       ? NULL
		       : wrong;
}

/* How much may be read without reading into the next command. */
static size_t wanted(const struct ag_visitor *v)
{
	return v->used < WIRE_HEAD
		       ? WIRE_HEAD - v->used
		       : WIRE_HEAD + wire_get_u32(v->bytes + 5) - v->used;
}

/* The connection, if the token is complete; else -1. */
static int listen_to(struct ag_gate *gate, struct ag_visitor *v,
		     struct wire_address *ret_peer)
{
	ssize_t n = recv(v->fd, v->bytes + v->used, wanted(v), MSG_DONTWAIT);
	bool complete;
	const char *why;
	int fd = v->fd;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -1;
	if (n <= 0) {
		send_away(gate, v, "it has left without the token");
		return -1;
	}
	v->used += (size_t)n;
	why = judge(gate, v, &complete);
	if (why)
		send_away(gate, v, why);
	if (why || !complete)
		return -1;
	v->fd = -1;
	*ret_peer = v->peer;
	return fd;
}

/* Milliseconds until the first visitor's time is over; -1: there is none. */
static int next_end(const struct ag_gate *gate)
{
	int64_t first = -1, now = ag_clock_ms();

	for (size_t i = 0; i < AG_GATE_VISITORS; i++) {
		const struct ag_visitor *v = &gate->visitors[i];
		int64_t left = v->until > now ? v->until - now : 0;

		if (v->fd >= 0 && (first < 0 || left < first))
			first = left;
	}
	return (int)first;
}

static void send_late_away(struct ag_gate *gate)
{
	for (size_t i = 0; i < AG_GATE_VISITORS; i++) {
		struct ag_visitor *v = &gate->visitors[i];

		if (v->fd >= 0 && v->until <= ag_clock_ms())
			send_away(gate, v,
				  "closed: it did not send the token in time");
	}
}

int ag_gate_wait(struct ag_gate *gate, struct wire_address *ret_peer)
{
	enum { STOP, LISTENER, FIRST };
	struct pollfd fds[FIRST + AG_GATE_VISITORS];

	for (;;) {
		fds[STOP] = (struct pollfd){ gate->stop, POLLIN, 0 };
		fds[LISTENER] = (struct pollfd){ gate->listener, POLLIN, 0 };
		for (size_t i = 0; i < AG_GATE_VISITORS; i++)
			fds[FIRST + i] = (struct pollfd){ gate->visitors[i].fd,
							  POLLIN, 0 };
		if (poll(fds, FIRST + AG_GATE_VISITORS, next_end(gate)) < 0)
			continue;
		if (fds[STOP].revents)
			return -1;
		for (size_t i = 0; i < AG_GATE_VISITORS; i++) {
			int fd = fds[FIRST + i].revents
					 ? listen_to(gate, &gate->visitors[i],
						     ret_peer)
					 : -1;
			if (fd >= 0)
				return fd;
		}
		send_late_away(gate);
		if (fds[LISTENER].revents)
			let_in(gate);
	}
}

void ag_gate_close(struct ag_gate *gate)
{
	for (size_t i = 0; i < AG_GATE_VISITORS; i++)
		if (gate->visitors[i].fd >= 0)
			send_away(gate, &gate->visitors[i], NULL);
	close(gate->listener);
}
