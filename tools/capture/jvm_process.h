/* SPDX-License-Identifier: MIT */
/*
 * jvm_process.h - what /proc tells about a process that may be a JVM, before
 * anything is sent to it.
 *
 * Above all, whether it survives SIGQUIT: that signal tells a JVM to listen,
 * and kills a process that has no handler for it.
 */
#ifndef TOOLS_JVM_PROCESS_H
#define TOOLS_JVM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/capture/perfdata.h"
#include "tools/capture/failure_text.h"
#include "tools/capture/jvm_options.h"
#include "tools/capture/target_ids.h"

enum jvm_kind {
	JVM_NONE,
	JVM_HOTSPOT,
	JVM_OPENJ9,
	JVM_UNSEEN /* may not read its memory map */
};

enum jvm_libc { JVM_LIBC_UNKNOWN, JVM_LIBC_GLIBC, JVM_LIBC_MUSL };

struct jvm_process {
	pid_t pid;
	pid_t leader;	 /* if not pid, this is only a thread of that process */
	pid_t inner_pid; /* the pid in its own namespace */
	struct target_ids ids; /* effective */
	char state;	       /* a letter, as in /proc/PID/status */
	bool catches_quit;
	bool survives_pipe; /* catches or ignores SIGPIPE */
	uint64_t resident;  /* bytes; 0: unknown */
	enum jvm_kind kind;
	enum jvm_libc libc;
	unsigned version; /* of the JDK; 0: unknown */
	bool old_layout;  /* its files lie as before JDK 11 */
	struct jvm_options options;
	uint64_t start; /* in ticks since boot */
	uint64_t uptime_s;
	char command[512];   /* main class or jar; "" if unknown */
	char perf_path[256]; /* its counters' file, as it sees it; "": none */
};

/* ---- pure functions, for tests ------------------------------------------ */

/* TEXT is that of /proc/PID/status. False if it cannot be parsed. */
bool jvm_parse_status(const char *text, struct jvm_process *process);

/* Takes one line of /proc/PID/maps, without newline. */
void jvm_parse_map(const char *line, struct jvm_process *process);

/* The number of a JDK: 8 for "1.8", 17 for "17"; 0 if it is none. */
unsigned jvm_parse_version(const char *text);

/* ---- processes ---------------------------------------------------------- */

/* All of the above. False if there is no such process. */
bool jvm_process_read(pid_t pid, struct jvm_process *ret_process,
		      struct reason *ret_reason);

/*
 * Can this program attach to it? The process is not affected. The reason is a
 * sentence that does not need the pid.
 */
bool jvm_process_check(const struct jvm_process *process,
		       struct reason *ret_reason);

/* The start time, in ticks, of the process that has PID now; 0 if none. */
uint64_t jvm_process_start(pid_t pid);

/* The letter of its present state; 0 if it has ended. */
char jvm_process_state(pid_t pid);

/* Has it ended, or does it end? One that ends closes its descriptors first. */
bool jvm_process_is_ending(pid_t pid);

/* Does it still catch SIGQUIT? */
bool jvm_process_catches_quit(pid_t pid);

/* The C library that this program runs with. */
enum jvm_libc jvm_own_libc(void);

/*
 * Copies the current counters. Free *RET_BYTES with free; RET_PERFDATA borrows
 * them. False if there are none.
 */
bool jvm_process_perfdata(const struct jvm_process *process,
			  struct perfdata *ret_perfdata, void **ret_bytes);

#endif
