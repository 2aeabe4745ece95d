/* SPDX-License-Identifier: MIT */
/*
 * address.h - TCP addresses as people write them, and connections to them.
 *
 * All descriptors that are returned are close-on-exec and non-blocking.
 */
#ifndef WIRE_ADDRESS_H
#define WIRE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct wire_address {
	char host[256]; /* a name or an address */
	char port[6];
};

/* Room for an address as text: "[HOST]:PORT". */
#define WIRE_TEXT_MAX 270

/*
 * Parses TEXT, SIZE bytes: "HOST:PORT", "[IPv6]:PORT"; if HOST_OPTIONAL, also
 * "PORT", whose host is the loopback address. The port is a number; 0 is valid
 * only if HOST_OPTIONAL, where the kernel chooses one.
 */
bool wire_address_parse(const char *text, size_t size, bool host_optional,
			struct wire_address *ret);

/* HOST:PORT, with brackets where they are needed. Returns OUT. */
char *wire_address_text(const struct wire_address *address,
			char out[WIRE_TEXT_MAX]);

/*
 * Connects. Gives up after TIMEOUT_MS (looking up the name not included), or
 * when STOP_FD, which may be -1, becomes readable. Returns -1 with the reason in
 * WHY, which has room for 160 bytes.
 */
int wire_connect(const struct wire_address *address, unsigned timeout_ms,
		 int stop_fd, char why[160]);

/* Listens. *RET_BOUND has the numbers in use. Returns -1 as wire_connect. */
int wire_listen(const struct wire_address *address,
		struct wire_address *ret_bound, char why[160]);

/*
 * The next connection, and in *RET_PEER who it is. -1 if there is none now;
 * see errno.
 */
int wire_accept(int listener, struct wire_address *ret_peer);

#endif
