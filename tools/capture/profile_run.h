/* SPDX-License-Identifier: MIT */
/*
 * profile_run.h - a profile of a running JVM, from its beginning to its end: the
 * agent is loaded, reports through a pipe, and is switched off.
 */
#ifndef TOOLS_PROFILE_RUN_H
#define TOOLS_PROFILE_RUN_H

#include <limits.h>

#include "tools/capture/attach.h"
#include "tools/capture/transfer_dir.h"

struct profile_run {
	struct attach attach;
	struct transfer library; /* has a copy of the agent, if it needs one */
	char agent[PATH_MAX];	 /* as the JVM sees it */
	bool begun;
};

/*
 * Loads the agent, whose path is AGENT or NULL (see dump_agent_path), with
 * OPTIONS, those of hprof-agent(7). PROCESS is borrowed. False with the reason;
 * then there is nothing to end.
 */
bool profile_run_begin(struct profile_run *run,
		       const struct jvm_process *process, const char *agent,
		       unsigned timeout_s, const char *options,
		       struct reason *reason);

/*
 * Writes what was found so far to the descriptor FD, as records, or as TEXT.
 * COLLECT: the JVM collects its garbage first.
 */
bool profile_run_report(struct profile_run *run, bool text, bool collect,
			int fd, struct reason *reason);

/* Switches the profile off. False with the reason if that failed. */
bool profile_run_end(struct profile_run *run, struct reason *reason);

/* Becomes readable when the JVM ends; -1: nobody knows. */
int profile_run_watch(const struct profile_run *run);

#endif
