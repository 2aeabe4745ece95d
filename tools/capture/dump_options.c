/* SPDX-License-Identifier: MIT */
/* dump_options.c - see dump_options.h. */
#include "tools/capture/dump_options.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "tools/capture/dump_choice.h"
#include "tools/common/compression.h"
#include "tools/common/dump_level.h"

#define AT(member) offsetof(struct dump_options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "How the dump is made" },
	{ .kind = CLI_CHOICE,
	  .name = "engine",
	  .argument = "auto|fork|vm|walk",
	  .offset = AT(engine),
	  .help = "what makes it: vm, the JVM itself (also with auto, the "
		  "default); walk, our agent, which is loaded into the JVM; "
		  "fork, the same in a copy of the process" },
	{ .kind = CLI_NUMBER,
	  .name = "max-pause",
	  .argument = "MS",
	  .offset = AT(max_pause),
	  .least = 1,
	  .most = 86400000,
	  .help = "the JVM should not stand still for more than MS "
		  "milliseconds: auto is fork then, where it is possible and "
		  "vm takes longer" },
	{ .kind = CLI_FLAG,
	  .name = "live",
	  .offset = AT(live),
	  .help = "only objects that can be reached (default)" },
	{ .kind = CLI_FLAG,
	  .letter = 'a',
	  .name = "all",
	  .offset = AT(all),
	  .help = "also garbage that has not been collected yet" },
	{ .kind = CLI_TEXT,
	  .name = "agent",
	  .argument = "PATH",
	  .offset = AT(agent),
	  .help = "the agent for walk and fork (default: the one that is "
		  "installed)" },
	{ .kind = CLI_NUMBER,
	  .name = "timeout",
	  .argument = "SECONDS",
	  .offset = AT(timeout),
	  .least = 1,
	  .most = 86400,
	  .help = "give up after SECONDS without progress (default 300)" },
	{ .kind = CLI_NUMBER,
	  .name = "limit",
	  .argument = "SECONDS",
	  .offset = AT(limit),
	  .least = 1,
	  .most = 86400,
	  .help = "the process of fork ends after SECONDS, done or not "
		  "(default 600)" },

	{ .kind = CLI_HEADING, .help = "Over a network" },
	{ .kind = CLI_TEXT,
	  .name = "listen",
	  .argument = "PORT|ADDRESS:PORT",
	  .offset = AT(listen),
	  .help = "wait until an agent (net=HOST:PORT) connects, and dump its "
		  "JVM" },
	{ .kind = CLI_TEXT,
	  .name = "token-file",
	  .argument = "FILE",
	  .offset = AT(token_file),
	  .help = "has the secret that an agent (listen=) asks for" },
	{ .kind = CLI_FLAG,
	  .name = "wait",
	  .offset = AT(wait),
	  .help = "do not ask for a dump: take the one that the JVM makes by "
		  "itself, when its heap is full or when it ends" },

	{ .kind = CLI_HEADING,
	  .help = "From an agent over a network, instead of a dump; as JSON" },
	{ .kind = CLI_NUMBER,
	  .name = "object",
	  .argument = "ID",
	  .offset = AT(object),
	  .least = 1,
	  .most = INT64_MAX,
	  .help = "the class, size and contents of an object" },
	{ .kind = CLI_NUMBER,
	  .name = "monitor",
	  .argument = "ID",
	  .offset = AT(monitor),
	  .least = 1,
	  .most = INT64_MAX,
	  .help = "who owns the monitor of an object, and who waits for it" },
	{ .kind = CLI_TEXT,
	  .name = "thread",
	  .argument = "ID|all",
	  .offset = AT(thread),
	  .help = "the state, stack and monitors of a thread, or a list" },
	{ .kind = CLI_TEXT,
	  .name = "instances",
	  .argument = "CLASS",
	  .offset = AT(instances),
	  .help = "how many objects a class has, and ids of the first ones" },

	{ .kind = CLI_HEADING, .help = "Output" },
	{ .kind = CLI_TEXT,
	  .letter = 'o',
	  .name = "output",
	  .argument = "FILE",
	  .offset = AT(output),
	  .help = "write to FILE (default java_pidPID.hprof); '-' is standard "
		  "output" },
	{ .kind = CLI_FLAG,
	  .letter = 'f',
	  .name = "force",
	  .offset = AT(force),
	  .help = "replace FILE if it exists" },
	CLI_OPTION_COMPRESS(AT(compress), "FILE"),
	CLI_OPTION_COMPRESS_LEVEL(AT(compress_level)),
	CLI_OPTION_JOBS(AT(jobs),
			"compress with N threads (default: one for each CPU)"),
	{ .kind = CLI_CHOICE,
	  .name = "redact",
	  .argument = "strings|primitives|all",
	  .offset = AT(redact),
	  .help = "blank all text, all numbers, or both, before anything is "
		  "written; lengths and references stay" },
	CLI_OPTION_LEVEL(AT(level)),
	CLI_OPTION_QUIET(AT(quiet), "do not print the closing line"),
	{ .kind = CLI_FLAG,
	  .letter = 'v',
	  .name = "verbose",
	  .offset = AT(verbose),
	  .help = "say what is done, and why" },
	CLI_OPTION_PROGRESS(AT(progress)),

	{ .kind = CLI_HEADING, .help = "JVMs" },
	{ .kind = CLI_FLAG,
	  .letter = 'l',
	  .name = "list",
	  .offset = AT(list),
	  .help = "list the JVMs on this host, and how they can be dumped" },
	{ .kind = CLI_FLAG,
	  .name = "json",
	  .offset = AT(json),
	  .help = "the list as JSON" },
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),

	CLI_OPTIONS_HELP,
};

const struct cli_program hprof_dump_program = {
	.name = "hprof-dump",
	.operands = "PID|HOST:PORT",
	.summary =
		"Take a heap dump (HPROF) from a running Java process.\n\n"
		"PID is the process of a HotSpot JVM, inside a container or "
		"not; 'hprof-dump\n--list' lists them. HOST:PORT is an agent "
		"that listens there.",
	.epilog = "Exit status: 0 the whole dump was written, 2 it was not.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- operands ------------------------------------------------------------ */

const char *dump_operand(int argc, char **argv, int first)
{
	if (first >= argc)
		cli_usage_error("no PID given");
	if (first + 1 < argc)
		cli_usage_error("only one PID can be given; '%s' is one too "
				"many",
				argv[first + 1]);
	return argv[first];
}

pid_t dump_pid(const char *text)
{
	char *end;
	unsigned long number;

	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || number < 1 ||
	    number > INT32_MAX)
		cli_usage_error("'%s' is not a PID", text);
	return (pid_t)number;
}

/* ---- what excludes what -------------------------------------------------- */

struct given_option {
	bool given;
	const char *name;
};

/* The first that is given; NULL: none. */
static const char *first_given(const struct given_option *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

/* Options for a dump make no sense with a list. */
static void check_list_options(const struct dump_options *options)
{
	const struct given_option others[] = {
		{ options->engine.given, "engine" },
		{ options->live, "live" },
		{ options->all, "all" },
		{ options->agent != NULL, "agent" },
		{ options->max_pause.given, "max-pause" },
		{ options->timeout.given, "timeout" },
		{ options->limit.given, "limit" },
		{ options->listen != NULL, "listen" },
		{ options->token_file != NULL, "token-file" },
		{ options->wait, "wait" },
		{ options->object.given, "object" },
		{ options->monitor.given, "monitor" },
		{ options->thread != NULL, "thread" },
		{ options->instances != NULL, "instances" },
		{ options->output != NULL, "output" },
		{ options->force, "force" },
		{ options->redact.given, "redact" },
		{ options->level.given, "level" },
		{ options->compress.given, "compress" },
		{ options->compress_level.given, "compress-level" },
		{ options->jobs.given, "jobs" },
	};

	const char *other =
		first_given(others, sizeof(others) / sizeof(others[0]));

	if (other)
		cli_usage_error("'--list' and '--%s' exclude each other",
				other);
}

void dump_options_check(const struct dump_options *options)
{
	if (options->live && options->all)
		cli_usage_error("'--live' and '--all' exclude each other");
	if (options->quiet && options->verbose)
		cli_usage_error("'--quiet' and '--verbose' exclude each "
				"other");
	if (options->max_pause.given && options->engine.value != DUMP_AUTO)
		cli_usage_error("'--max-pause' chooses the engine, so it "
				"excludes '--engine'");
	if (options->all && options->engine.value == DUMP_FORK)
		cli_usage_error("'--all' and '--engine fork' exclude each "
				"other");
	if (options->all && options->max_pause.given)
		cli_usage_error("'--all' and '--max-pause' exclude each other");
	if (options->agent && options->engine.value != DUMP_WALK &&
	    options->engine.value != DUMP_FORK && !options->max_pause.given)
		cli_usage_error("'--agent' needs '--engine walk' or "
				"'--engine fork'");
	if (options->list)
		check_list_options(options);
	if (options->limit.given && options->engine.value != DUMP_FORK &&
	    !options->max_pause.given)
		cli_usage_error("'--limit' needs '--engine fork' or "
				"'--max-pause'");
	if (options->json && !options->list)
		cli_usage_error("'--json' needs '--list'");
	if (options->listen && options->token_file)
		cli_usage_error("'--listen' and '--token-file' exclude each "
				"other");
}

/* What a dump from an agent elsewhere cannot have: the agent has its options. */
void dump_options_check_remote(const struct dump_options *options)
{
	const struct given_option others[] = {
		{ options->engine.given, "engine" },
		{ options->max_pause.given, "max-pause" },
		{ options->limit.given, "limit" },
		{ options->live, "live" },
		{ options->all, "all" },
	};

	const char *other =
		first_given(others, sizeof(others) / sizeof(others[0]));

	if (other)
		cli_usage_error("'--%s' is not for an agent over a network, "
				"which has options of its own",
				other);
}

/* ---- requests ------------------------------------------------------------ */

bool dump_options_request(const struct dump_options *o)
{
	return o->object.given || o->monitor.given || o->thread || o->instances;
}

static uint64_t take_thread(const char *text)
{
	char *end;
	unsigned long long number;

	if (strcmp(text, "all") == 0)
		return 0;
	number = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || number < 1 ||
	    number > INT64_MAX)
		cli_usage_error("option '--thread': '%s' is not an id or all",
				text);
	return number;
}

struct request dump_options_take_request(const struct dump_options *o)
{
	if (o->object.given + o->monitor.given + (o->thread != NULL) +
		    (o->instances != NULL) >
	    1)
		cli_usage_error("only one of '--object', '--monitor', "
				"'--thread' and '--instances' can be given");
	if (o->object.given)
		return (struct request){ WIRE_OBJECT, o->object.value, NULL };
	if (o->monitor.given)
		return (struct request){ WIRE_MONITOR, o->monitor.value, NULL };
	if (o->thread)
		return (struct request){ WIRE_THREAD, take_thread(o->thread),
					 NULL };
	return (struct request){ WIRE_INSTANCES, 0, o->instances };
}

/* What is for a dump alone. */
void dump_options_check_request(const struct dump_options *o)
{
	const struct given_option others[] = {
		{ o->wait, "wait" },
		{ o->output != NULL, "output" },
		{ o->force, "force" },
		{ o->redact.given, "redact" },
		{ o->level.given, "level" },
		{ o->compress.given, "compress" },
		{ o->compress_level.given, "compress-level" },
		{ o->jobs.given, "jobs" },
	};
	const char *other =
		first_given(others, sizeof(others) / sizeof(others[0]));

	if (other)
		cli_usage_error("'--%s' is for a dump, not for a request",
				other);
	dump_options_check_remote(o);
}
