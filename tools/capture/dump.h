/* SPDX-License-Identifier: MIT */
/*
 * dump.h - one dump of one JVM: the engine that makes it, how it is received,
 * and where it is written.
 */
#ifndef TOOLS_DUMP_H
#define TOOLS_DUMP_H

#include <hprof.h>

#include "tools/capture/attach.h"
#include "tools/capture/transfer_dir.h"
#include "tools/capture/receiver.h"
#include "tools/common/progress.h"
#include "tools/capture/failure_text.h"

struct dump_engine;

/* What the user requested. */
struct dump_order {
	const struct jvm_process *process;
	const struct dump_engine *engine;
	bool live;			  /* only reachable objects */
	const char *agent;		  /* a path; NULL: agent_file_find */
	const char *output;		  /* "-": standard output */
	bool force;			  /* replaces an existing file */
	unsigned redact;		  /* enum hprof_redact: is blanked */
	unsigned omit;			  /* enum hprof_omit: is left out */
	struct hprof_writer_options form; /* compression, level, threads */
	unsigned timeout_s;
	unsigned limit_s; /* of the forked process; 0: the agent's default */
	bool quiet, verbose;
	struct progress *progress;
};

/* Is what is written another dump than the one that comes? */
static inline bool dump_is_changed(const struct dump_order *order)
{
	return order->redact || order->omit;
}

struct dump_result {
	uint64_t objects;
	uint64_t bytes;	   /* of the dump */
	uint64_t written;  /* to the file; 0: unknown */
	uint64_t pause_ns; /* if paused is set */
	bool paused;
	bool part_left; /* OUTPUT.part is left after a failure */
	bool refused;	/* the JVM did nothing; another engine may do it */
};

/* The state that all engines share while a dump is made. */
struct dump {
	const struct dump_order *order;
	struct attach attach;
	struct transfer transfer;
	struct receiver receiver;
	bool refused;
};

/*
 * A way to make a dump. start opens the transfer directory, sends the request
 * to the JVM, and returns the connection that the reply will come from, or -1.
 * judge says whether a reply reports success, and sets REFUSED of the dump if
 * the JVM did nothing; RECEIVED is the number of bytes that arrived.
 */
struct dump_engine {
	const char *name;
	int (*start)(struct dump *dump, struct reason *reason);
	bool (*judge)(struct dump *dump, const struct attach_reply *reply,
		      uint64_t received, struct reason *reason);
};

/*
 * dump_vm: the JVM itself; dump_walk: the agent, loaded into it; dump_fork: the
 * same, in a forked process.
 */
extern const struct dump_engine dump_vm, dump_walk, dump_fork;

/* start of an engine that loads the agent, with MORE options for it. */
int dump_load_agent(struct dump *dump, const char *more, struct reason *reason);

/*
 * The path of the agent: AGENT, made absolute, or if that is NULL that of
 * agent_file_find. OUT has PATH_MAX bytes.
 */
bool dump_agent_path(const char *agent, char *out, struct reason *reason);

/*
 * False if it is clear from outside that the JVM cannot load the agent, whose
 * path is AGENT; NULL: agent_file_find.
 */
bool dump_can_walk(const struct jvm_process *process, const char *agent,
		   struct reason *reason);

/*
 * Makes the dump. After a failure, *RET_ABOUT_OUTPUT says whether the reason
 * is about the output or the JVM.
 */
bool dump_make(const struct dump_order *order, struct dump_result *ret_result,
	       bool *ret_about_output, struct reason *reason);

/* Prints a line about what is happening, with --verbose. */
void dump_tell(const struct dump_order *order, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
