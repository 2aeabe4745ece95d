/* SPDX-License-Identifier: MIT */
/*
 * remote_text.h - a dump that an agent sends as text (format=a): it goes to the
 * output as it is.
 */
#ifndef TOOLS_REMOTE_TEXT_H
#define TOOLS_REMOTE_TEXT_H

#include "tools/capture/dump.h"
#include "tools/capture/inflow.h"

/* The bytes that come, of which the first have been looked at. */
struct remote_head {
	struct inflow *flow;
	uint8_t bytes[32];
	size_t size, at;
};

/* Waits for the first bytes. True if they are those of a text. */
bool remote_head_is_text(struct remote_head *head);

/* A hprof_read_fn: these bytes, then the others. */
int64_t remote_head_read(void *head, void *out, size_t room);

struct remote_text {
	/* Set by the caller. */
	bool to_end; /* of the connection; else until the heap dump ends */
	_Atomic bool begun; /* more has come than what all texts begin with */
	uint64_t objects, bytes;
};

/*
 * Writes the text to the output of ORDER, which replaces whatever file is being
 * made there. *RET_ABOUT_OUTPUT, REASON as of dump_make.
 */
bool remote_text_copy(struct remote_head *head, const struct dump_order *order,
		      struct remote_text *text, bool *ret_about_output,
		      struct reason *reason);

#endif
