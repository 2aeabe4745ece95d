/* SPDX-License-Identifier: MIT */
/*
 * hprof-dump.c - takes a heap dump from a running JVM, without a JDK.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/compression.h"
#include "tools/common/dump_level.h"
#include "tools/capture/dump_choice.h"
#include "tools/common/screen.h"
#include "tools/capture/jvm_list.h"
#include "tools/capture/interrupt.h"
#include "tools/capture/request.h"
#include "tools/capture/taking.h"
#include "tools/capture/remote.h"

#define TIMEOUT_S 300

struct options {
	struct screen_words screen;
	struct cli_choice engine; /* enum dump_wish */
	bool live, all;
	const char *agent;
	struct cli_number max_pause, timeout, limit;
	const char *output;
	struct cli_choice compress;
	struct cli_number compress_level;
	struct cli_choice level;
	struct cli_number jobs;
	bool force;
	struct cli_choice redact;
	const char *listen, *token_file;
	bool wait;
	struct cli_number object, monitor;
	const char *thread, *instances;
	bool list, json;
	bool quiet, verbose;
	struct cli_choice progress;
};

#define AT(member) offsetof(struct options, member)

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

static const struct cli_program hprof_dump_program = {
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

/* ---- options ------------------------------------------------------------ */

static const char *take_operand(int argc, char **argv, int first)
{
	if (first >= argc)
		cli_usage_error("no PID given");
	if (first + 1 < argc)
		cli_usage_error("only one PID can be given; '%s' is one too "
				"many",
				argv[first + 1]);
	return argv[first];
}

static pid_t take_pid(const char *text)
{
	char *end;
	unsigned long number;

	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || number < 1 ||
	    number > INT32_MAX)
		cli_usage_error("'%s' is not a PID", text);
	return (pid_t)number;
}

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
static void check_list_options(const struct options *options)
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

static void check_options(const struct options *options)
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
static void check_remote_options(const struct options *options)
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

/* ---- the dump ----------------------------------------------------------- */

static enum progress_when progress_of(const struct options *options)
{
	return (enum progress_when)options->progress.value;
}

static unsigned redact_of(const struct options *options)
{
	static const unsigned kinds[] = { HPROF_REDACT_STRINGS,
					  HPROF_REDACT_PRIMITIVES,
					  HPROF_REDACT_STRINGS |
						  HPROF_REDACT_PRIMITIVES };

	return options->redact.given ? kinds[options->redact.value] : 0;
}

static struct dump_order make_order(const struct options *options,
				    enum hprof_compression compression)
{
	return (struct dump_order){
		.live = !options->all,
		.agent = options->agent,
		.force = options->force,
		.redact = redact_of(options),
		.omit = dump_level_omits(&options->level),
		.form = compression_options(
			compression, &options->compress_level, &options->jobs),
		.timeout_s = options->timeout.given
				     ? (unsigned)options->timeout.value
				     : TIMEOUT_S,
		.limit_s = (unsigned)options->limit.value,
		.quiet = options->quiet,
		.verbose = options->verbose,
	};
}

static void check_terminal(const struct dump_order *order)
{
	if (strcmp(order->output, "-") == 0 && isatty(STDOUT_FILENO) == 1)
		cli_usage_error("a dump is not written to a terminal");
}

/* The JVM refused to be forked. */
static void make_by_vm(struct taking *taking, const struct options *options)
{
	struct dump_order *order = taking->order;

	progress_end(&taking->progress);
	cli_message("%d: %s: the engine is vm, whose pause may be longer",
		    (int)order->process->pid, taking->reason.text);
	order->engine = &dump_vm;
	progress_begin(&taking->progress, hprof_dump_program.name,
		       progress_of(options));
	taking->made = dump_make(order, &taking->result, &taking->about_output,
				 &taking->reason);
}

static int make_dump(struct dump_order *order, const struct options *options)
{
	char from[24], made_by[32];
	struct taking taking;
	int status;

	if (!taking_begin(&taking, order, progress_of(options)))
		return CLI_TROUBLE;
	taking.made = dump_make(order, &taking.result, &taking.about_output,
				&taking.reason);
	if (!taking.made && taking.result.refused && options->max_pause.given)
		make_by_vm(&taking, options);
	snprintf(from, sizeof(from), "%d", (int)order->process->pid);
	snprintf(made_by, sizeof(made_by), "engine %s", order->engine->name);
	status = taking_end(&taking, from, made_by);
	if (taking.made && options->max_pause.given && taking.result.paused &&
	    taking.result.pause_ns > options->max_pause.value * 1000000)
		cli_message("%s: the pause was longer than --max-pause", from);
	return status;
}

static int dump_process(pid_t pid, const struct options *options)
{
	enum hprof_compression compression =
		compression_of(&options->compress, options->output);
	struct jvm_process process;
	struct reason reason;
	char output[64];
	struct dump_order order = make_order(options, compression);

	order.process = &process;
	order.output = options->output ? options->output : output;
	snprintf(output, sizeof(output), "java_pid%d.hprof%s", (int)pid,
		 compression_suffix(compression));
	check_terminal(&order);
	if (!jvm_process_read(pid, &process, &reason)) {
		cli_message("%d: %s", (int)pid, reason.text);
		return CLI_TROUBLE;
	}
	order.engine = dump_choose(
		&order, (enum dump_wish)options->engine.value,
		options->max_pause.given ? options->max_pause.value : 0);
	return make_dump(&order, options);
}

/* ---- over a network ------------------------------------------------------ */

static void default_output(const struct wire_address *address, bool listen,
			   enum hprof_compression compression, char *out,
			   size_t room)
{
	snprintf(out, room, "java_%s_%s.hprof%s",
		 listen ? "net" : address->host, address->port,
		 compression_suffix(compression));
	for (; *out; out++)
		if (*out == ':' || *out == '%')
			*out = '_';
}

static void take_address(const char *address, struct remote_order *remote)
{
	if (!wire_address_parse(address, strlen(address), remote->listen,
				&remote->address))
		cli_usage_error("'%s' is not %s", address,
				remote->listen ? "a port or ADDRESS:PORT"
					       : "a PID or HOST:PORT");
	if (!remote->listen && !remote->token_file)
		cli_usage_error("an agent that listens asks for a token: "
				"'--token-file' is missing");
}

/* ADDRESS: of the agent, or to listen on. */
static int dump_remote(const char *address, const struct options *options)
{
	enum hprof_compression compression =
		compression_of(&options->compress, options->output);
	struct dump_order order = make_order(options, compression);
	struct remote_order remote = { .dump = &order,
				       .listen = options->listen != NULL,
				       .token_file = options->token_file,
				       .wait = options->wait };
	char output[WIRE_TEXT_MAX + 32], from[WIRE_TEXT_MAX],
		made_by[WIRE_TEXT_MAX + 16];
	struct wire_address peer;
	struct taking taking;

	check_remote_options(options);
	take_address(address, &remote);
	default_output(&remote.address, remote.listen, compression, output,
		       sizeof(output));
	order.output = options->output ? options->output : output;
	check_terminal(&order);
	if (!taking_begin(&taking, &order, progress_of(options)))
		return CLI_TROUBLE;
	taking.made = remote_dump(&remote, &peer, &taking.result,
				  &taking.about_output, &taking.reason);
	wire_address_text(&peer, from);
	snprintf(made_by, sizeof(made_by), "from %s", from);
	return taking_end(&taking, from, made_by);
}

/* ---- requests ----------------------------------------------------------- */

static bool is_request(const struct options *o)
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

static struct request take_request(const struct options *o)
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
static void check_request_options(const struct options *o)
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
	check_remote_options(o);
}

static int make_request(const char *address, const struct options *options)
{
	const struct request request = take_request(options);
	const struct dump_order order = {
		.timeout_s = options->timeout.given
				     ? (unsigned)options->timeout.value
				     : TIMEOUT_S,
		.quiet = options->quiet,
	};
	struct remote_order remote = { .dump = &order,
				       .listen = options->listen != NULL,
				       .token_file = options->token_file,
				       .wait = true };
	struct reason reason;
	char *answer;

	check_request_options(options);
	take_address(address, &remote);
	if (!stop_begin(1)) {
		cli_message("cannot handle signals");
		return CLI_TROUBLE;
	}
	if (!request_answer(&remote, &request, &answer, &reason)) {
		cli_message("%s: %s", address, reason.text);
		return CLI_TROUBLE;
	}
	puts(answer);
	free(answer);
	return CLI_FINE;
}

static int list_jvms(int argc, char **argv, int first,
		     const struct options *options)
{
	struct reason reason;

	if (first < argc)
		cli_usage_error("'--list' takes no PID; '%s' is one too many",
				argv[first]);
	if (jvm_list_print(options->json, &reason))
		return CLI_FINE;
	cli_message("%s", reason.text);
	return CLI_TROUBLE;
}

static int take_dump(int argc, char **argv, int first,
		     const struct options *options)
{
	const char *operand;

	if (options->listen) {
		if (first < argc)
			cli_usage_error("'--listen' takes no PID; '%s' is one "
					"too many",
					argv[first]);
		return is_request(options)
			       ? make_request(options->listen, options)
			       : dump_remote(options->listen, options);
	}
	operand = take_operand(argc, argv, first);
	if (strchr(operand, ':'))
		return is_request(options) ? make_request(operand, options)
					   : dump_remote(operand, options);
	if (is_request(options))
		cli_usage_error("only an agent over a network, HOST:PORT, "
				"takes requests");
	if (options->token_file || options->wait)
		cli_usage_error("'--%s' is for an agent over a network",
				options->wait ? "wait" : "token-file");
	return dump_process(take_pid(operand), options);
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first, status;

	cli_start(&hprof_dump_program);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	check_options(&options);
	status = options.list ? list_jvms(argc, argv, first, &options)
			      : take_dump(argc, argv, first, &options);
	return cli_finish(status);
}
