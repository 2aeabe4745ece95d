/* SPDX-License-Identifier: MIT */
/*
 * options.h - the agent's options, in the grammar of the JDK's old agent:
 * NAME=VALUE, separated by commas. This part does not depend on the JVM.
 */
#ifndef AG_OPTIONS_H
#define AG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/address.h"

/* Who reads the heap and writes the dump. */
enum ag_engine {
	AG_ENGINE_AUTO, /* the JVM when the heap is full, else the agent */
	AG_ENGINE_WALK, /* the agent */
	AG_ENGINE_VM,	/* the JVM */
	AG_ENGINE_FORK	/* the agent, in a process that is forked */
};

/* Option heap: is the heap dumped, are allocations counted by site? */
enum ag_heap {
	AG_HEAP_NONE, /* not given, and another profile was */
	AG_HEAP_DUMP,
	AG_HEAP_SITES,
	AG_HEAP_ALL, /* both, and each object has the trace of its allocation */
	AG_HEAP_LIFE /* how many collections objects live through, by site */
};

enum ag_cpu { AG_CPU_NONE, AG_CPU_SAMPLES, AG_CPU_TIMES, AG_CPU_OLD };

enum ag_sampler { AG_SAMPLER_THREAD, AG_SAMPLER_ASYNC };

enum ag_monitor {
	AG_MONITOR_NONE,
	AG_MONITOR_JAVA, /* monitors of the language */
	AG_MONITOR_ALL	 /* also locks of java.util.concurrent */
};

/* Option profile: what is done with a profile that has begun. */
enum ag_profile_action { AG_PROFILE_BEGIN, AG_PROFILE_REPORT, AG_PROFILE_STOP };

enum ag_format { AG_FORMAT_BINARY, AG_FORMAT_TEXT };

enum ag_defaults { AG_DEFAULTS_NEW, AG_DEFAULTS_OLD };

struct ag_connection;
struct ag_session;

struct ag_options {
	char *file;   /* NULL: java_pidPID.hprof */
	bool force;   /* replace existing files */
	bool at_exit; /* option doe */
	bool at_oome; /* option oome */
	bool verbose;
	bool live;	/* only reachable objects */
	bool constants; /* option constpool */
	unsigned id_size;
	unsigned level;	  /* 0 to 2, as in agent/dump/dump.h */
	unsigned engine;  /* enum ag_engine */
	unsigned limit_s; /* option limit: of the process of engine=fork */
	struct wire_address net, listen; /* no port: not given */
	char *token;			 /* option token: a file */
	bool exit;			 /* a front end may end the JVM */
	unsigned format;		 /* enum ag_format */
	unsigned defaults;		 /* enum ag_defaults */

	/* Profiles. */
	unsigned heap;		 /* enum ag_heap */
	unsigned cpu;		 /* enum ag_cpu */
	unsigned sampler;	 /* enum ag_sampler */
	unsigned monitor;	 /* enum ag_monitor */
	unsigned profile;	 /* enum ag_profile_action */
	unsigned depth;		 /* most frames of a trace, 0 to 1024 */
	unsigned interval_us;	 /* option interval: between two samples */
	uint64_t sites_interval; /* bytes; 0: every allocation */
	double cutoff;		 /* 0 to 1; smaller shares are not printed */
	bool line_numbers;	 /* option lineno */
	bool threads_in_traces;	 /* option thread */

	/* Was it given, or is it the default? */
	bool at_exit_given, at_oome_given;

	/* Set by the one who asks for a dump, not by options. */
	struct ag_connection *connection; /* NULL: to a file */
	bool traces_only;		  /* no heap */
	bool heap_only; /* of a text: no sections of profiles */
	/* NULL, or whose allocation sites the objects of the dump carry. */
	struct ag_session *session;
};

enum ag_options_status {
	AG_OPTIONS_OK,
	AG_OPTIONS_HELP, /* help was requested */
	AG_OPTIONS_WRONG
};

/*
 * Parses TEXT, the options as the JVM passes them, or NULL if there are none.
 * RET is filled in any case and freed by ag_options_free. On AG_OPTIONS_WRONG,
 * MESSAGE (of ROOM bytes; 200 are plenty) names the option and is safe to print
 * on a terminal.
 */
enum ag_options_status ag_options_parse(const char *text,
					struct ag_options *ret, char *message,
					size_t room);
void ag_options_free(struct ag_options *options);

#endif
