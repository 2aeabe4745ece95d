/* SPDX-License-Identifier: MIT */
/*
 * attach.h - talks to the attach listener of a HotSpot JVM, without a JDK.
 *
 * The JVM is told to listen by a file and a SIGQUIT, and then does so on a
 * socket in its /tmp until it ends. Each request has a connection of its own.
 */
#ifndef TOOLS_ATTACH_H
#define TOOLS_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/capture/attach_protocol.h"
#include "tools/capture/jvm_process.h"
#include "tools/capture/failure_text.h"

struct attach {
	const struct jvm_process *process; /* borrowed */
	int folder;			   /* its /tmp */
	int pidfd;			   /* -1: the kernel has none */
	unsigned timeout_s;
};

/*
 * Looks whether PROCESS can be attached to, and opens its /tmp. Nothing is
 * done to the process yet. Nothing is to be closed after a failure.
 */
bool attach_open(struct attach *attach, const struct jvm_process *process,
		 unsigned timeout_s, struct reason *reason);

void attach_close(struct attach *attach);

/* Does it listen, or could it be made to? Looks only. */
bool attach_is_possible(const struct attach *attach, struct reason *reason);

/*
 * A connection, after making the JVM listen if need be; -1 with a reason. One
 * connection is for one request.
 */
int attach_connect(const struct attach *attach, struct reason *reason);

/*
 * Connects and sends a request in the version that it needs. Returns a
 * descriptor, to read the reply from and to close; -1 with a reason.
 */
int attach_send(struct attach *attach, const char *command,
		const char *const *arguments, size_t count,
		struct reason *reason);

/*
 * The same and waits for the reply. RET_REPLY points into *RET_BYTES, which
 * is to be freed.
 */
bool attach_call(struct attach *attach, const char *command,
		 const char *const *arguments, size_t count,
		 struct attach_reply *ret_reply, char **ret_bytes,
		 struct reason *reason);

/* How long a reply may be; more is cut. */
#define ATTACH_REPLY_MOST (256 * 1024)

/* What is wrong with a reply that could not be parsed. */
bool attach_bad_reply(const struct attach *attach, size_t size,
		      struct reason *reason);

/* A JVM that answers nothing: why it may be. */
bool attach_silent(const struct attach *attach, struct reason *reason);

#endif
