/* SPDX-License-Identifier: MIT */
/*
 * dump_walk.c - the agent, loaded into the JVM, walks its heap.
 *
 * The agent writes to the pipe. If the JVM does not see the file of the agent,
 * it gets a copy in the transfer directory, which may be removed once it is
 * loaded.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tools/capture/agent_file.h"
#include "tools/capture/dump.h"
#include "tools/capture/target_files.h"

#define OLDEST_JDK 11

/* ---- whether it can be loaded ------------------------------------------- */

bool dump_agent_path(const char *agent, char *out, struct reason *reason)
{
	if (!agent)
		return agent_file_find(out, reason);
	/* The JVM has another working directory, so make the path absolute. */
	return realpath(agent, out) != NULL ||
	       reason_errno(reason, "cannot find the agent %s", agent);
}

/* If the JVM does not see the agent, it loads a copy from its /tmp. */
static bool can_load(const struct jvm_process *p, const char *agent,
		     struct reason *reason)
{
	char path[PATH_MAX];
	struct reason unused;
	struct statvfs system;
	bool noexec;
	int tmp;

	if (dump_agent_path(agent, path, &unused) &&
	    target_can_load(p->pid, &p->ids, path))
		return true;
	tmp = target_open(p->pid, &p->ids, "/tmp", O_PATH | O_DIRECTORY);
	if (tmp < 0)
		return true; /* attach_open says more */
	noexec = fstatvfs(tmp, &system) == 0 && system.f_flag & ST_NOEXEC;
	close(tmp);
	return !noexec ||
	       reason_set(reason, "its /tmp is mounted noexec, so that it "
				  "cannot load the agent from there");
}

bool dump_can_walk(const struct jvm_process *p, const char *agent,
		   struct reason *reason)
{
	enum jvm_libc own = jvm_own_libc();

	if (p->libc != JVM_LIBC_UNKNOWN && own != JVM_LIBC_UNKNOWN &&
	    p->libc != own)
		return reason_set(reason,
				  "it runs on %s, the agent was built for %s",
				  p->libc == JVM_LIBC_MUSL ? "musl" : "glibc",
				  own == JVM_LIBC_MUSL ? "musl" : "glibc");
	if ((p->version && p->version < OLDEST_JDK) || p->old_layout)
		return reason_set(reason, "its JDK is older than 11, and the "
					  "agent needs 11 or later");
	if (p->options.no_agents)
		return reason_set(reason, "it takes no agents while it runs "
					  "(-XX:-EnableDynamicAgentLoading)");
	if (!p->survives_pipe)
		return reason_set(reason, "a SIGPIPE would end it");
	return can_load(p, agent, reason);
}

/* ---- the engine --------------------------------------------------------- */

int dump_load_agent(struct dump *dump, const char *more, struct reason *reason)
{
	const struct dump_order *order = dump->order;
	const struct jvm_process *process = order->process;
	char agent[PATH_MAX], copy[TRANSFER_PATH_MAX], heap[TRANSFER_PATH_MAX],
		options[TRANSFER_PATH_MAX + 64];
	const char *arguments[] = { agent, "true", options };

	if (!dump_agent_path(order->agent, agent, reason) ||
	    !dump_can_walk(process, agent, reason) ||
	    !transfer_open(&dump->transfer, &dump->attach, true, reason))
		return -1;
	dump_tell(order, "the agent is %s", agent);
	if (!target_can_load(process->pid, &process->ids, agent)) {
		dump_tell(order, "it goes into the /tmp of the JVM, which "
				 "does not see that file");
		if (!transfer_copy_library(&dump->transfer, agent, copy,
					   reason))
			return -1;
		arguments[0] = copy;
	}
	transfer_heap_path(&dump->transfer, heap);
	/* Failures go to the JVM's standard error in any case. */
	snprintf(options, sizeof(options),
		 "file=%s,force=y,live=%s,level=%u,doe=n,verbose=n%s", heap,
		 order->live ? "y" : "n",
		 (unsigned)HPROF_OMIT_CONTENTS - order->omit, more);
	return attach_send(&dump->attach, "load", arguments, 3, reason);
}

static int start(struct dump *dump, struct reason *reason)
{
	return dump_load_agent(dump, "", reason);
}

static bool judge(struct dump *dump, const struct attach_reply *reply,
		  uint64_t received, struct reason *reason)
{
	char line[512];
	int code;

	(void)dump;
	(void)received;
	attach_reply_line(reply, line, sizeof(line));
	switch (attach_load_result(reply, &code)) {
	case ATTACH_LOADED:
		return true;
	case ATTACH_LOAD_FAILED:
		return reason_set(reason,
				  "the agent could not make the dump (its "
				  "code is %d): why is on the standard error "
				  "of the JVM",
				  code);
	case ATTACH_LOAD_REFUSED:
		return reason_set(reason,
				  "it takes no agents while it runs "
				  "(-XX:-EnableDynamicAgentLoading): use "
				  "--engine vm");
	default:
		return reason_set(reason, "it cannot load the agent: %s", line);
	}
}

const struct dump_engine dump_walk = { "walk", start, judge };
