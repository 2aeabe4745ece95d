/* SPDX-License-Identifier: MIT */
/*
 * remote_connect.h - a connection to an agent that speaks HPROF.
 */
#ifndef TOOLS_REMOTE_CONNECT_H
#define TOOLS_REMOTE_CONNECT_H

#include "tools/capture/remote.h"

/*
 * Returns a connection on which the dump begins, its header not yet read; the
 * agent has the token and, unless the order is to wait, the command. -1 on
 * failure. Waits for as long as the order's timeout; to be connected to, without
 * limit.
 */
int remote_connect(const struct remote_order *order,
		   struct wire_address *ret_peer, struct reason *reason);

#endif
