/* SPDX-License-Identifier: MIT */
/*
 * remote.h - a dump from an agent at the other end of a network: hprof-dump
 * connects to it (listen= of the agent), or waits until it connects (net=).
 */
#ifndef TOOLS_REMOTE_H
#define TOOLS_REMOTE_H

#include "tools/capture/dump.h"
#include "wire/address.h"

struct remote_order {
	const struct dump_order *dump; /* without process and engine */
	struct wire_address address;   /* of the agent, or to listen on */
	bool listen;
	const char *token_file; /* if it does not listen */
	bool wait;		/* for a dump that the JVM takes by itself */
};

/* As dump_make; *RET_PEER is who sent the dump. */
bool remote_dump(const struct remote_order *order,
		 struct wire_address *ret_peer, struct dump_result *ret_result,
		 bool *ret_about_output, struct reason *reason);

#endif
