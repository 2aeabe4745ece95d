/* SPDX-License-Identifier: MIT */
/*
 * request.h - one object, monitor or thread of a JVM, asked of an agent at the
 * other end of a network.
 */
#ifndef TOOLS_REQUEST_H
#define TOOLS_REQUEST_H

#include "tools/capture/remote.h"
#include "wire/request.h"

struct request {
	enum wire_request kind;
	uint64_t id;
	const char *name; /* of a class, for WIRE_INSTANCES; else NULL */
};

/*
 * Asks the agent that ORDER leads to, which has WAIT set. *RET_ANSWER is a text
 * in JSON, ASCII without control characters, for free().
 */
bool request_answer(const struct remote_order *order,
		    const struct request *request, char **ret_answer,
		    struct reason *reason);

#endif
