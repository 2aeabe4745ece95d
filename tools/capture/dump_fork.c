/* SPDX-License-Identifier: MIT */
/*
 * dump_fork.c - the agent, loaded into the JVM, forks it, and walks the heap in
 * the new process; see hprof-agent(7). The agent returns a number that says why
 * there is no dump.
 */
#include <stdio.h>
#include <string.h>

#include "tools/capture/dump.h"

/* The return codes of the agent, as in hprof-agent(7). */
static const struct {
	int code;
	bool refused; /* nothing was done */
	const char *text;
} codes[] = {
	{ 10, true,
	  "only HotSpot of JDK 11, or of 17 or later, can be forked" },
	{ 11, true, "it can be forked only with glibc" },
	{ 12, true,
	  "it cannot be forked: the kernel has no filter for system calls "
	  "(seccomp)" },
	{ 13, true,
	  "it cannot be forked: its heap is shared memory, as that of ZGC" },
	{ 14, true,
	  "it cannot be forked: its heap is of huge pages, or a file" },
	{ 15, true, "it cannot be forked: its heap is not among its mappings" },
	{ 16, true, "it cannot be forked: libjsig is loaded" },
	{ 17, true,
	  "it is not forked: there might be too little memory for the new "
	  "process" },
	{ 18, true, "it cannot be forked: the system denies it" },
	{ 20, false, "the forked process was ended by a signal" },
	{ 21, false, "the forked process reached its time limit" },
	{ 22, false,
	  "the forked process waited for a thread of the JVM: another attempt "
	  "may succeed" },
	{ 23, false, "the forked process made no progress" },
	{ 24, false, "the JVM ended its walk early in the forked process" },
	{ 25, true, "the forked process could not be set up" },
};

static int start(struct dump *dump, struct reason *reason)
{
	const unsigned limit_s = dump->order->limit_s;
	char more[48] = ",engine=fork";

	if (!dump->order->live) {
		reason_set(reason, "a forked process writes only objects that "
				   "can be reached, not --all");
		return -1;
	}
	if (limit_s)
		snprintf(more, sizeof(more), ",engine=fork,limit=%u", limit_s);
	return dump_load_agent(dump, more, reason);
}

static bool judge(struct dump *dump, const struct attach_reply *reply,
		  uint64_t received, struct reason *reason)
{
	int code;

	if (attach_load_result(reply, &code) == ATTACH_LOAD_FAILED)
		for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
			if (codes[i].code != code)
				continue;
			/* What was written already cannot be taken back. */
			dump->refused = codes[i].refused && received == 0;
			return reason_set(reason, "%s", codes[i].text);
		}
	return dump_walk.judge(dump, reply, received, reason);
}

const struct dump_engine dump_fork = { "fork", start, judge };
