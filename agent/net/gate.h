/* SPDX-License-Identifier: MIT */
/*
 * gate.h - where front ends connect to: they must send a token before anything
 * else. Those that are slow or silent do not keep others out.
 */
#ifndef AG_GATE_H
#define AG_GATE_H

#include <stdint.h>

#include "wire/address.h"
#include "wire/command.h"
#include "wire/token.h"

#define AG_GATE_VISITORS 8

struct ag_visitor {
	int fd; /* -1: there is none */
	int64_t until;
	size_t used;
	uint8_t bytes[WIRE_HEAD + WIRE_TOKEN_MOST];
	struct wire_address peer;
};

struct ag_gate {
	int listener;
	int stop; /* readable: return at once */
	struct wire_token token;
	unsigned *complaints; /* messages about peers so far */
	struct ag_visitor visitors[AG_GATE_VISITORS];
};

void ag_gate_init(struct ag_gate *gate, int listener, int stop,
		  unsigned *complaints);

/*
 * Waits for the next connection that has sent the token, and returns it, for the
 * caller to close; -1 if it is told to stop.
 */
int ag_gate_wait(struct ag_gate *gate, struct wire_address *ret_peer);

void ag_gate_close(struct ag_gate *gate);

#endif
