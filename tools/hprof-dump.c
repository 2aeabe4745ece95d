/* SPDX-License-Identifier: MIT */
/*
 * hprof-dump.c - takes a heap dump from a running JVM, without a JDK.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/common/cli.h"
#include "tools/common/compression.h"
#include "tools/capture/dump.h"
#include "tools/common/escape.h"
#include "tools/common/screen.h"
#include "tools/capture/jvm_list.h"
#include "tools/capture/interrupt.h"
#include "tools/common/units.h"

#define TIMEOUT_S 300
#define FILE_GRACE_S 10 /* to write what the compressor still holds */

enum engine { ENGINE_AUTO, ENGINE_FORK, ENGINE_VM, ENGINE_WALK };

struct options {
	struct screen_words screen;
	struct cli_choice engine;
	bool live, all;
	const char *agent;
	struct cli_number max_pause, timeout;
	const char *output;
	struct cli_choice compress;
	struct cli_number level;
	struct cli_number jobs;
	bool force;
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
	CLI_OPTION_LEVEL(AT(level)),
	CLI_OPTION_JOBS(AT(jobs),
			"compress with N threads (default: one for each CPU)"),
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
	.operands = "PID",
	.summary = "Take a heap dump (HPROF) from a running Java process.\n\n"
		   "PID is the process of a HotSpot JVM, inside a container or "
		   "not; 'hprof-dump\n--list' lists them.",
	.epilog = "Exit status: 0 the whole dump was written, 2 it was not.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- options ------------------------------------------------------------ */

static pid_t take_pid(int argc, char **argv, int first)
{
	const char *text = first < argc ? argv[first] : NULL;
	char *end;
	unsigned long number;

	if (!text)
		cli_usage_error("no PID given");
	if (first + 1 < argc)
		cli_usage_error("only one PID can be given; '%s' is one too "
				"many",
				argv[first + 1]);
	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || number < 1 ||
	    number > INT32_MAX)
		cli_usage_error("'%s' is not a PID", text);
	return (pid_t)number;
}

/* Options for a dump make no sense with a list. */
static void check_list_options(const struct options *options)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ options->engine.given, "engine" },
		{ options->live, "live" },
		{ options->all, "all" },
		{ options->agent != NULL, "agent" },
		{ options->max_pause.given, "max-pause" },
		{ options->timeout.given, "timeout" },
		{ options->output != NULL, "output" },
		{ options->force, "force" },
		{ options->compress.given, "compress" },
		{ options->level.given, "level" },
		{ options->jobs.given, "jobs" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			cli_usage_error("'--list' and '--%s' exclude each "
					"other",
					others[i].name);
}

static void check_options(const struct options *options)
{
	if (options->live && options->all)
		cli_usage_error("'--live' and '--all' exclude each other");
	if (options->quiet && options->verbose)
		cli_usage_error("'--quiet' and '--verbose' exclude each "
				"other");
	if (options->max_pause.given && options->engine.value != ENGINE_AUTO)
		cli_usage_error("'--max-pause' chooses the engine, so it "
				"excludes '--engine'");
	if (options->all && options->engine.value == ENGINE_FORK)
		cli_usage_error("'--all' and '--engine fork' exclude each "
				"other");
	if (options->all && options->max_pause.given)
		cli_usage_error("'--all' and '--max-pause' exclude each other");
	if (options->agent && options->engine.value != ENGINE_WALK &&
	    options->engine.value != ENGINE_FORK && !options->max_pause.given)
		cli_usage_error("'--agent' needs '--engine walk' or "
				"'--engine fork'");
	if (options->list)
		check_list_options(options);
	if (options->json && !options->list)
		cli_usage_error("'--json' needs '--list'");
}

/* ---- the dump ----------------------------------------------------------- */

/* About how long the JVM's own dumper takes: a second for each GiB. */
static uint64_t vm_pause_ms(const struct jvm_process *process)
{
	const uint64_t mib = process->resident >> 20;

	return mib * 1000 / 1024;
}

/*
 * Without --max-pause auto is vm: nothing is loaded into the JVM, no second
 * process takes memory, and a walk has the longer pause.
 */
static const struct dump_engine *
choose_for_pause(const struct options *options,
		 const struct jvm_process *process,
		 const struct dump_order *order)
{
	struct reason reason;

	if (process->resident > 0 &&
	    vm_pause_ms(process) <= options->max_pause.value) {
		dump_tell(order,
			  "the engine is vm: with %" PRIu64 " MiB, the "
			  "pause is not likely to be longer",
			  process->resident >> 20);
		return &dump_vm;
	}
	if (dump_can_walk(process, options->agent, &reason))
		return &dump_fork;
	cli_message("%d: %s: the engine is vm, whose pause may be longer",
		    (int)process->pid, reason.text);
	return &dump_vm;
}

static const struct dump_engine *
choose_engine(const struct options *options, const struct jvm_process *process,
	      const struct dump_order *order)
{
	struct reason reason;

	switch ((enum engine)options->engine.value) {
	case ENGINE_AUTO:
		if (options->max_pause.given && process->kind == JVM_HOTSPOT)
			return choose_for_pause(options, process, order);
		dump_tell(order, "the engine is vm: the JVM's own dumper has "
				 "the shorter pause, and leaves nothing in "
				 "the JVM");
		return &dump_vm;
	case ENGINE_FORK:
		return &dump_fork;
	case ENGINE_WALK:
		if (process->kind != JVM_HOTSPOT ||
		    dump_can_walk(process, options->agent, &reason))
			return &dump_walk;
		cli_message("%d: %s: the engine is vm", (int)process->pid,
			    reason.text);
		return &dump_vm;
	default:
		return &dump_vm;
	}
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void print_closing_line(const struct dump_order *order,
			       const struct dump_result *result, double seconds)
{
	char objects[UNITS_MAX], bytes[UNITS_MAX], written[UNITS_MAX];
	char pause[64] = "", packed[UNITS_MAX + 16] = "";

	units_count(result->objects, objects);
	units_bytes(result->bytes, bytes);
	if (order->form.compression != HPROF_PLAIN && result->written)
		snprintf(packed, sizeof(packed), " (%s compressed)",
			 units_bytes(result->written, written));
	if (result->paused)
		snprintf(pause, sizeof(pause), ", paused for %.3f s",
			 (double)result->pause_ns / 1e9);
	cli_message("%s: %s objects, %s%s in %.2f s; engine %s%s",
		    strcmp(order->output, "-") == 0 ? "standard output"
						    : order->output,
		    objects, bytes, packed, seconds, order->engine->name,
		    pause);
}

static void print_failure(const struct dump_order *order, bool about_output,
			  bool part_left, const struct reason *reason)
{
	if (about_output && strcmp(order->output, "-") == 0)
		cli_message("standard output: %s", reason->text);
	else if (about_output)
		cli_message("%s: %s", order->output, reason->text);
	else
		cli_message("%d: %s", (int)order->process->pid, reason->text);
	if (part_left)
		cli_message("%s.part has what came before", order->output);
}

/* Output that can be left incomplete when it is cut short. */
static bool is_file(const char *output)
{
	struct stat info;

	if (strcmp(output, "-") == 0)
		return false;
	return stat(output, &info) != 0 || S_ISREG(info.st_mode);
}

static int make_dump(struct dump_order *order, const struct options *options)
{
	struct progress progress;
	struct dump_result result;
	struct reason reason = { "" };
	struct timespec start;
	bool about_output, made;

	clock_gettime(CLOCK_MONOTONIC, &start);
	if (!stop_begin(is_file(order->output) ? FILE_GRACE_S : 1)) {
		cli_message("cannot catch signals");
		return CLI_TROUBLE;
	}
	progress_begin(&progress, hprof_dump_program.name,
		       (enum progress_when)options->progress.value);
	order->progress = &progress;
	made = dump_make(order, &result, &about_output, &reason);
	if (!made && result.refused && options->max_pause.given) {
		progress_end(&progress);
		cli_message("%d: %s: the engine is vm, whose pause may be "
			    "longer",
			    (int)order->process->pid, reason.text);
		order->engine = &dump_vm;
		progress_begin(&progress, hprof_dump_program.name,
			       (enum progress_when)options->progress.value);
		made = dump_make(order, &result, &about_output, &reason);
	}
	progress_end(&progress);
	if (!made)
		print_failure(order, about_output, result.part_left, &reason);
	else if (!options->quiet)
		print_closing_line(order, &result, seconds_since(&start));
	if (made && options->max_pause.given && result.paused &&
	    result.pause_ns > options->max_pause.value * 1000000)
		cli_message("%d: the pause was longer than --max-pause",
			    (int)order->process->pid);
	return made ? CLI_FINE : CLI_TROUBLE;
}

static int dump_process(pid_t pid, const struct options *options)
{
	enum hprof_compression compression =
		compression_of(&options->compress, options->output);
	struct jvm_process process;
	struct reason reason;
	char output[64];
	struct dump_order order = {
		.process = &process,
		.live = !options->all,
		.agent = options->agent,
		.output = options->output ? options->output : output,
		.force = options->force,
		.form = compression_options(compression, &options->level,
					    &options->jobs),
		.timeout_s = options->timeout.given
				     ? (unsigned)options->timeout.value
				     : TIMEOUT_S,
		.verbose = options->verbose,
	};

	snprintf(output, sizeof(output), "java_pid%d.hprof%s", (int)pid,
		 compression_suffix(compression));
	if (strcmp(order.output, "-") == 0 && isatty(STDOUT_FILENO) == 1)
		cli_usage_error("a dump is not written to a terminal");
	if (!jvm_process_read(pid, &process, &reason)) {
		cli_message("%d: %s", (int)pid, reason.text);
		return CLI_TROUBLE;
	}
	order.engine = choose_engine(options, &process, &order);
	return make_dump(&order, options);
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

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int first, status;

	cli_start(&hprof_dump_program);
	first = cli_parse(argc, argv, &options);
	screen_set(&options.screen);
	check_options(&options);
	status = options.list
			 ? list_jvms(argc, argv, first, &options)
			 : dump_process(take_pid(argc, argv, first), &options);
	return cli_finish(status);
}
