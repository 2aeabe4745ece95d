/* SPDX-License-Identifier: MIT */
/*
 * profile_run.c - see profile_run.h.
 *
 * The agent finds the profile that it has begun only if it is the same library,
 * so a copy for a JVM that does not see the file stays until the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/capture/dump.h"
#include "tools/capture/profile_run.h"
#include "tools/capture/receiver.h"
#include "tools/capture/target_files.h"

/* Was the agent loaded, and did it do what it was told? */
static bool judge(const struct attach_reply *reply, struct reason *reason)
{
	char line[512];
	int code;

	switch (attach_load_result(reply, &code)) {
	case ATTACH_LOADED:
		return true;
	case ATTACH_LOAD_FAILED:
		return reason_set(reason,
				  "the agent could not do it (its code is "
				  "%d): why is on the standard error of the "
				  "JVM",
				  code);
	case ATTACH_LOAD_REFUSED:
		return reason_set(reason, "it takes no agents while it runs "
					  "(-XX:-EnableDynamicAgentLoading)");
	default:
		attach_reply_line(reply, line, sizeof(line));
		return reason_set(reason, "it cannot load the agent: %s", line);
	}
}

static bool load(struct profile_run *run, const char *options,
		 struct reason *reason)
{
	const char *arguments[] = { run->agent, "true", options };
	struct attach_reply reply;
	char *bytes;
	bool done;

	if (!attach_call(&run->attach, "load", arguments, 3, &reply, &bytes,
			 reason))
		return false;
	done = judge(&reply, reason);
	free(bytes);
	return done;
}

/* ---- the beginning and the end ------------------------------------------- */

static bool place_agent(struct profile_run *run, const char *agent,
			struct reason *reason)
{
	const struct jvm_process *process = run->attach.process;
	char copy[TRANSFER_PATH_MAX];

	if (!dump_agent_path(agent, run->agent, reason) ||
	    !dump_can_walk(process, run->agent, reason))
		return false;
	if (target_can_load(process->pid, &process->ids, run->agent))
		return true;
	if (!transfer_open(&run->library, &run->attach, false, reason) ||
	    !transfer_copy_library(&run->library, run->agent, copy, reason))
		return false;
	strcpy(run->agent, copy);
	return true;
}

static void release(struct profile_run *run)
{
	transfer_close(&run->library);
	attach_close(&run->attach);
}

bool profile_run_begin(struct profile_run *run,
		       const struct jvm_process *process, const char *agent,
		       unsigned timeout_s, const char *options,
		       struct reason *reason)
{
	*run = (struct profile_run){
		.attach = { .folder = -1, .pidfd = -1 },
		.library = { .folder = -1, .pipe = -1, .guard = -1 },
	};
	if (!attach_open(&run->attach, process, timeout_s, reason))
		return false;
	run->begun =
		place_agent(run, agent, reason) && load(run, options, reason);
	if (!run->begun)
		release(run);
	return run->begun;
}

bool profile_run_end(struct profile_run *run, struct reason *reason)
{
	bool done = load(run, "profile=stop,doe=n,verbose=n", reason);

	release(run);
	run->begun = false;
	return done;
}

int profile_run_watch(const struct profile_run *run)
{
	return run->attach.pidfd;
}

/* ---- a report ------------------------------------------------------------ */

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

/* What comes through the pipe goes to FD. */
static bool copy(struct receiver *in, int fd, struct reason *reason)
{
	static char piece[65536];
	int64_t n;

	while ((n = inflow_read(&in->flow, piece, sizeof(piece))) > 0)
		if (!write_all(fd, piece, (size_t)n)) {
			receiver_give_up(in);
			return reason_errno(reason, "cannot keep the profile");
		}
	return n == 0 || reason_errno(reason, "cannot keep the profile");
}

static bool receive(struct profile_run *run, struct transfer *transfer,
		    int connection, int fd, struct reason *reason)
{
	struct receiver in = RECEIVER_NONE;
	struct attach_reply reply;
	bool done;

	if (!receiver_start(&in, &run->attach, transfer, connection, NULL, true,
			    reason))
		return false;
	done = copy(&in, fd, reason) && receiver_finish(&in, &reply, reason) &&
	       judge(&reply, reason);
	receiver_free(&in);
	return done;
}

bool profile_run_report(struct profile_run *run, bool text, bool collect,
			int fd, struct reason *reason)
{
	struct transfer transfer = { .folder = -1, .pipe = -1, .guard = -1 };
	char pipe[TRANSFER_PATH_MAX], options[TRANSFER_PATH_MAX + 100];
	const char *arguments[] = { run->agent, "true", options };
	bool done = false;
	int connection;

	if (!transfer_open(&transfer, &run->attach, true, reason))
		return false;
	transfer_heap_path(&transfer, pipe);
	snprintf(options, sizeof(options),
		 "profile=report,file=%s,force=y,format=%s,live=%s,doe=n,"
		 "verbose=n",
		 pipe, text ? "a" : "b", collect ? "y" : "n");
	connection = attach_send(&run->attach, "load", arguments, 3, reason);
	if (connection >= 0)
		done = receive(run, &transfer, connection, fd, reason);
	transfer_close(&transfer);
	return done;
}
