/* SPDX-License-Identifier: MIT */
/*
 * attach.h - talks to the attach listener of a HotSpot JVM, without a JDK.
 *
 * A file and a SIGQUIT make the JVM listen on a socket in its /tmp, which it
 * does until it ends. Each request needs a connection of its own.
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
	int pidfd;			   /* -1: the kernel has no pidfds */
	unsigned timeout_s;
};

/*
 * Checks whether PROCESS can be attached to, and opens its /tmp. The process is
 * not affected yet. After a failure there is nothing to close.
 */
bool attach_open(struct attach *attach, const struct jvm_process *process,
		 unsigned timeout_s, struct reason *reason);

void attach_close(struct attach *attach);

/* Whether it listens, or can be made to. The process is not affected. */
bool attach_is_possible(const struct attach *attach, struct reason *reason);

/*
 * Connects, after making the JVM listen if necessary; -1 with a reason. A
 * connection serves one request.
 */
int attach_connect(const struct attach *attach, struct reason *reason);

/*
 * Connects and sends a request, in the version of the protocol that the
 * arguments need. Returns a descriptor to read the reply from, which the caller
 * closes; -1 with a reason.
 */
int attach_send(struct attach *attach, const char *command,
		const char *const *arguments, size_t count,
		struct reason *reason);

/*
 * Also waits for the reply. RET_REPLY points into *RET_BYTES, which the caller
 * frees.
 */
bool attach_call(struct attach *attach, const char *command,
		 const char *const *arguments, size_t count,
		 struct attach_reply *ret_reply, char **ret_bytes,
		 struct reason *reason);

/* The longest reply; anything beyond that is cut. Help texts have 2 KiB. */
#define ATTACH_REPLY_MOST (16 * 1024)

/* Sets why a reply of SIZE bytes could not be parsed; returns false. */
bool attach_bad_reply(const struct attach *attach, size_t size,
		      struct reason *reason);

/* Sets why the JVM may not have answered; returns false. */
bool attach_silent(const struct attach *attach, struct reason *reason);

#endif
