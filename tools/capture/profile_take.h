/* SPDX-License-Identifier: MIT */
/*
 * profile_take.h - a profile for some time: begins it, waits for its end, which
 * a signal brings early, and keeps the newest report in memory.
 */
#ifndef TOOLS_PROFILE_TAKE_H
#define TOOLS_PROFILE_TAKE_H

#include "tools/capture/jvm_process.h"
#include "tools/capture/profile_run.h"

struct profile_order {
	pid_t pid;
	const char *agent; /* NULL: the one that is installed */
	unsigned timeout_s;
	const char *options; /* of the agent */
	bool text;	     /* reports are text, not records */
	bool collect;	     /* garbage, before the last report */
	uint64_t duration_ms;
	uint64_t refresh_ms; /* between reports meanwhile; 0: there are none */
	/* Called once it has begun, and after each report meanwhile. */
	void (*begun)(void *user);
	void (*shown)(void *user);
	void *user;
};

struct profile_taken {
	struct jvm_process process;
	struct profile_run run;
	int fd;	       /* of the newest report; -1: there is none */
	char path[32]; /* by which it can be opened */
	uint64_t start_ms, end_ms;
	struct reason reason;
};

/*
 * Takes it; TAKEN is borrowed until the end, also by the caller's functions.
 * False with the reason in TAKEN.
 */
bool profile_take(const struct profile_order *order,
		  struct profile_taken *taken);
void profile_taken_free(struct profile_taken *taken);

#endif
