/* SPDX-License-Identifier: MIT */
/*
 * jvm_process.h - what /proc tells about a process that may be a JVM, before
 * anything is done to it.
 *
 * Above all whether a SIGQUIT would end it: that is how a JVM is told to
 * listen, and one without a handler dies of it.
 */
#ifndef TOOLS_JVM_PROCESS_H
#define TOOLS_JVM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/capture/perfdata.h"
#include "tools/capture/failure_text.h"

enum jvm_kind {
	JVM_NONE,
	JVM_HOTSPOT,
	JVM_OPENJ9,
	JVM_UNSEEN /* its memory map may not be read */
};

enum jvm_libc { JVM_LIBC_UNKNOWN, JVM_LIBC_GLIBC, JVM_LIBC_MUSL };

struct jvm_process {
	pid_t pid;
	pid_t leader;	 /* another pid: this is but a thread of that */
	pid_t inner_pid; /* what it takes itself for */
	uid_t uid;	 /* effective */
	gid_t gid;
	char state; /* a letter, as in /proc/PID/status */
	bool catches_quit;
	bool survives_pipe; /* SIGPIPE is caught or ignored */
	enum jvm_kind kind;
	enum jvm_libc libc;
	bool no_attach; /* -XX:+DisableAttachMechanism */
	uint64_t start; /* in ticks since the boot */
	uint64_t uptime_s;
	char command[512];   /* main class or jar; "" if that is unknown */
	char perf_path[256]; /* of its counters, as it sees it; "": none */
};

/* ---- pure functions, for tests ------------------------------------------ */

/* TEXT is that of /proc/PID/status. False if it is not. */
bool jvm_parse_status(const char *text, struct jvm_process *process);

/* One line of /proc/PID/maps, without newline. */
void jvm_parse_map(const char *line, struct jvm_process *process);

/*
 * /proc/PID/cmdline: the main class or jar into OUT ("" if there is none),
 * and whether the last word about it is that nothing may attach.
 */
void jvm_parse_command(const char *bytes, size_t size, char *out, size_t room,
		       bool *ret_no_attach);

/* ---- processes ---------------------------------------------------------- */

/* All of the above. False if there is no such process. */
bool jvm_process_read(pid_t pid, struct jvm_process *ret_process,
		      struct reason *ret_reason);

/*
 * Can somebody attach to it? Looks only. The sentence is complete without
 * the pid.
 */
bool jvm_process_check(const struct jvm_process *process,
		       struct reason *ret_reason);

/* When the process that has PID now began, in ticks; 0 if there is none. */
uint64_t jvm_process_start(pid_t pid);

/* The letter of its state now; 0 if it is gone. */
char jvm_process_state(pid_t pid);

/* Does it still catch SIGQUIT? */
bool jvm_process_catches_quit(pid_t pid);

/*
 * Opens the file or directory that PROCESS calls PATH (absolute), links
 * resolved as it would. -1 with errno on failure.
 */
int jvm_process_open(const struct jvm_process *process, const char *path,
		     int flags);

/* Is PATH of the process the same file as our PATH? */
bool jvm_process_shares(const struct jvm_process *process, const char *path);

/* The C library of this program. */
enum jvm_libc jvm_own_libc(void);

/*
 * The counters, copied now. Free *RET_BYTES with free; RET_PERFDATA borrows
 * them. False if there are none.
 */
bool jvm_process_perfdata(const struct jvm_process *process,
			  struct perfdata *ret_perfdata, void **ret_bytes);

#endif
