/* SPDX-License-Identifier: MIT */
/*
 * dump_vm.c - the JVM's own dumper, asked through the attach socket.
 *
 * It is told to overwrite a file that is our pipe, so the JVM stores no dump on
 * its side. JVMs before 17 cannot overwrite a file: they write a new one into
 * the directory, which is then read and removed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/capture/dump.h"

#define PARTS_SINCE 22 /* objects go to a file of their own first */

struct abilities {
	bool overwrite;
	bool parallel;
};

/* What its command can do, from the command's own help text. */
static bool ask_abilities(struct dump *dump, struct abilities *ret,
			  struct reason *reason)
{
	static const char *const arguments[] = { "help GC.heap_dump" };
	struct attach_reply reply;
	char line[256], *bytes;
	bool good;

	if (!attach_call(&dump->attach, "jcmd", arguments, 1, &reply, &bytes,
			 reason))
		return false;
	good = reply.code == 0;
	ret->overwrite = attach_help_has(&reply, "-overwrite");
	ret->parallel = attach_help_has(&reply, "-parallel");
	if (!good) {
		attach_reply_line(&reply, line, sizeof(line));
		reason_set(reason, "it has no command GC.heap_dump: %s", line);
	}
	free(bytes);
	return good;
}

/* What is to be redacted would better not lie on a disk before. */
static void warn_of_files(const struct dump *dump, bool with_pipe)
{
	const unsigned version = dump->attach.process->version;

	if (dump->order->redact && !dump->order->quiet &&
	    (!with_pipe || version == 0 || version >= PARTS_SINCE))
		cli_message("%d: this JVM writes the dump, not redacted, to a "
			    "file in its /tmp meanwhile; walk and fork do not "
			    "(--engine)",
			    (int)dump->attach.process->pid);
}

/*
 * -parallel=1, because several threads would each write a file in the JVM's
 * /tmp and join these files at the end.
 */
static int start(struct dump *dump, struct reason *reason)
{
	const struct jvm_process *process = dump->attach.process;
	char path[TRANSFER_PATH_MAX], command[TRANSFER_PATH_MAX + 80];
	const char *arguments[] = { command };
	struct abilities can;
	bool with_pipe;

	if (!ask_abilities(dump, &can, reason))
		return -1;
	/* No pipe for a JVM that would die of SIGPIPE. */
	with_pipe = can.overwrite && process->survives_pipe;
	dump_tell(dump->order,
		  with_pipe ? "the dump comes through a pipe"
			    : "this JVM writes the dump to a file in its /tmp, "
			      "which is read from there");
	warn_of_files(dump, with_pipe);
	if (!transfer_open(&dump->transfer, &dump->attach, with_pipe, reason))
		return -1;
	transfer_heap_path(&dump->transfer, path);
	snprintf(command, sizeof(command), "GC.heap_dump%s%s%s %s",
		 dump->order->live ? "" : " -all",
		 with_pipe ? " -overwrite" : "",
		 can.parallel ? " -parallel=1" : "", path);
	return attach_send(&dump->attach, "jcmd", arguments, 1, reason);
}

static bool judge(struct dump *dump, const struct attach_reply *reply,
		  uint64_t received, struct reason *reason)
{
	char line[512];
	uint64_t bytes;

	(void)dump;

	if (attach_dump_result(reply, &bytes) == ATTACH_DUMP_MADE) {
		if (bytes == 0 || bytes == received)
			return true;
		return reason_set(reason,
				  "the JVM wrote %llu bytes, but %llu arrived",
				  (unsigned long long)bytes,
				  (unsigned long long)received);
	}
	attach_reply_line(reply, line, sizeof(line));
	return reason_set(reason, "the JVM could not make the dump: %s", line);
}

const struct dump_engine dump_vm = { "vm", start, judge };
