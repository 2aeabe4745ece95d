/* SPDX-License-Identifier: MIT */
/*
 * hprof-prof.c - profiles a JVM that runs: where its time goes, and what it
 * allocates, for some seconds.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/capture/jvm_process.h"
#include "tools/capture/profile_run.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "tools/common/compression.h"
#include "tools/common/screen.h"
#include "tools/export/export.h"
#include "tools/report/profile_top.h"
#include "tools/stacks/stack_source.h"

#define TIMEOUT_S 60
#define DURATION_S 30
#define DEPTH 128
#define ROWS 20
#define REFRESH_MS 2000

struct options {
	bool cpu, alloc, live;
	struct cli_number duration, interval, alloc_interval, depth;
	const char *agent;
	struct cli_number timeout;
	const char *output;
	struct cli_choice to;
	bool force;
	struct cli_number top;
	bool json, quiet;
	struct screen_words screen;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option option_table[] = {
	{ .kind = CLI_HEADING, .help = "What is measured" },
	{ .kind = CLI_FLAG,
	  .name = "cpu",
	  .offset = AT(cpu),
	  .help = "which methods use CPU time (default, without --alloc)" },
	{ .kind = CLI_FLAG,
	  .name = "alloc",
	  .offset = AT(alloc),
	  .help = "which classes are allocated, and where" },
	{ .kind = CLI_FLAG,
	  .name = "live",
	  .offset = AT(live),
	  .help = "for --alloc: what is still alive in the end, after all "
		  "garbage was collected" },
	{ .kind = CLI_NUMBER,
	  .name = "duration",
	  .argument = "SECONDS",
	  .offset = AT(duration),
	  .least = 1,
	  .most = 86400,
	  .help = "how long (default 30); Ctrl-C ends it early" },
	{ .kind = CLI_NUMBER,
	  .name = "interval",
	  .argument = "MS",
	  .offset = AT(interval),
	  .least = 1,
	  .most = 10000,
	  .help = "for --cpu: take a sample each MS milliseconds (default "
		  "10)" },
	{ .kind = CLI_SIZE,
	  .name = "alloc-interval",
	  .argument = "SIZE",
	  .offset = AT(alloc_interval),
	  .most = INT32_MAX,
	  .help = "for --alloc: look at one allocation in so many bytes "
		  "(default 512K); 0: at each" },
	{ .kind = CLI_NUMBER,
	  .name = "depth",
	  .argument = "N",
	  .offset = AT(depth),
	  .least = 1,
	  .most = 1024,
	  .help = "frames of a stack (default 128)" },

	{ .kind = CLI_HEADING, .help = "Output" },
	{ .kind = CLI_TEXT,
	  .letter = 'o',
	  .name = "output",
	  .argument = "FILE",
	  .offset = AT(output),
	  .help = "write the profile to FILE; '-' is standard output" },
	{ .kind = CLI_CHOICE,
	  .letter = 't',
	  .name = "to",
	  .argument = "binary|text|collapsed|pprof|flamegraph",
	  .offset = AT(to),
	  .help = "form of FILE (default: by its suffix, else binary)" },
	{ .kind = CLI_FLAG,
	  .letter = 'f',
	  .name = "force",
	  .offset = AT(force),
	  .help = "replace FILE if it exists" },
	{ .kind = CLI_NUMBER,
	  .name = "top",
	  .argument = "N",
	  .offset = AT(top),
	  .most = UINT32_MAX,
	  .help = "rows of a table (default 20; 0: all)" },
	CLI_OPTION_JSON(AT(json)),
	CLI_OPTION_QUIET(AT(quiet), "no table, and no message but failures"),
	CLI_OPTIONS_SCREEN(AT(screen.width), AT(screen.wide)),

	{ .kind = CLI_HEADING, .help = "The JVM" },
	{ .kind = CLI_TEXT,
	  .name = "agent",
	  .argument = "PATH",
	  .offset = AT(agent),
	  .help = "the agent (default: the one that is installed)" },
	{ .kind = CLI_NUMBER,
	  .name = "timeout",
	  .argument = "SECONDS",
	  .offset = AT(timeout),
	  .least = 1,
	  .most = 86400,
	  .help = "give up if the JVM does not answer for SECONDS (default "
		  "60)" },

	CLI_OPTIONS_HELP,
};

static const struct cli_program hprof_prof_program = {
	.name = "hprof-prof",
	.operands = "PID",
	.summary =
		"Profile a running Java process: where its time goes, what it "
		"allocates.\n\nPID is the process of a HotSpot JVM, inside a "
		"container or not; 'hprof-dump -l'\nlists them.",
	.epilog = "Exit status: 0 there is a profile, 2 there is none.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- options ------------------------------------------------------------- */

/* In the order of the words of --to. */
static const struct export_form *const forms[] = {
	&export_hprof, &export_text,	   &export_collapsed,
	&export_pprof, &export_flamegraph,
};

static void check_options(struct options *o)
{
	if (!o->cpu && !o->alloc)
		o->cpu = true;
	if (!o->alloc && (o->live || o->alloc_interval.given))
		cli_usage_error("'--%s' needs '--alloc'",
				o->live ? "live" : "alloc-interval");
	if (!o->cpu && o->interval.given)
		cli_usage_error("'--interval' needs '--cpu'");
	if (!o->output && (o->to.given || o->force))
		cli_usage_error("'--%s' needs '--output'",
				o->to.given ? "to" : "force");
	if (o->json && o->output && strcmp(o->output, "-") == 0)
		cli_usage_error("standard output cannot have both, '--json' "
				"and the profile");
}

/* TEXT has SIZE characters. */
static bool ends_with(const char *text, size_t size, const char *end)
{
	size_t tail = strlen(end);

	return size > tail && memcmp(text + size - tail, end, tail) == 0;
}

static const struct export_form *choose_form(const struct options *o)
{
	static const struct {
		const char *suffix;
		const struct export_form *form;
	} suffixes[] = {
		{ ".txt", &export_text },
		{ ".collapsed", &export_collapsed },
		{ ".folded", &export_collapsed },
		{ ".pb", &export_pprof },
		{ ".pprof", &export_pprof },
		{ ".html", &export_flamegraph },
	};

	/* Without a suffix that stands for a compression. */
	const size_t stem = compression_stem(o->output);

	if (o->to.given)
		return forms[o->to.value];
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_with(o->output, stem, suffixes[i].suffix))
			return suffixes[i].form;
	return &export_hprof;
}

/* By the suffix; what reads pprof wants gzip in any case. */
static struct hprof_writer_options
choose_packing(const struct options *o, const struct export_form *form)
{
	const struct cli_choice by_suffix = { 0 };
	const struct cli_number none = { 0 };
	enum hprof_compression compression =
		form->packs ? compression_of(&by_suffix, o->output)
			    : HPROF_PLAIN;
	struct hprof_writer_options packing;

	if (form == &export_pprof)
		compression = HPROF_GZIP;
	packing = compression_options(compression, &none, &none);
	packing.mode = 0600; /* names are secrets, too */
	return packing;
}

/* What the agent is told. */
static void agent_options(const struct options *o, char *out, size_t room)
{
	char cpu[64] = "", alloc[64] = "";

	if (o->cpu)
		snprintf(cpu, sizeof(cpu), ",cpu=samples,interval=%" PRIu64,
			 o->interval.given ? o->interval.value : 10);
	if (o->alloc)
		snprintf(alloc, sizeof(alloc),
			 ",heap=sites,sites-interval=%" PRIu64,
			 o->alloc_interval.given ? o->alloc_interval.value
						 : (uint64_t)512 << 10);
	snprintf(out, room, "doe=n,verbose=n,cutoff=0,depth=%" PRIu64 "%s%s",
		 o->depth.given ? o->depth.value : DEPTH, cpu, alloc);
}

/* ---- a profile ----------------------------------------------------------- */

struct prof {
	const struct options *options;
	struct jvm_process process;
	struct profile_run run;
	int fd; /* of the newest profile: in memory; -1: there is none */
	char path[32];
	uint64_t start_ms, end_ms;
	bool live_table; /* a table is drawn on a terminal, again and again */
	struct reason reason;
};

/* Replaces the profile by one of now. */
static bool take(struct prof *p, bool collect)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	if (fd < 0)
		return reason_errno(&p->reason, "cannot keep the profile");
	if (!profile_run_report(&p->run, collect, fd, &p->reason)) {
		close(fd);
		return false;
	}
	if (p->fd >= 0)
		close(p->fd);
	p->fd = fd;
	snprintf(p->path, sizeof(p->path), "/proc/self/fd/%d", fd);
	return true;
}

/* NULL after a message. */
static struct hprof_profile_table *read_table(const struct prof *p,
					      struct hprof_summary **ret)
{
	struct hprof_input input = hprof_input_path(p->path);
	struct hprof_profile_table *table = NULL;
	struct hprof_error error = { 0 };

	input.threads = 1;
	*ret = NULL;
	if (hprof_summary_read(&input, NULL, ret, &error) == HPROF_OK &&
	    hprof_summary_profile(*ret, &table, &error) == HPROF_OK)
		return table;
	cli_message("the profile: %s", error.text);
	hprof_summary_free(*ret);
	return NULL;
}

static size_t rows_of(const struct options *o)
{
	return o->top.given ? (size_t)o->top.value : ROWS;
}

static void put_json(const struct prof *p,
		     const struct hprof_profile_table *table)
{
	struct json json;

	json_start(&json, stdout);
	json_begin_object(&json, NULL, JSON_BLOCK);
	json_string(&json, "tool", "hprof-prof");
	json_number(&json, "schema", 1);
	json_number(&json, "pid", (uint64_t)p->process.pid);
	json_number(&json, "milliseconds", p->end_ms - p->start_ms);
	profile_top_json(&json, table, rows_of(p->options), p->options->live);
	json_end(&json);
}

static bool print_table(const struct prof *p)
{
	struct hprof_summary *summary;
	struct hprof_profile_table *table = read_table(p, &summary);

	if (!table)
		return false;
	if (p->options->json)
		put_json(p, table);
	else
		profile_top_text(stdout, table, rows_of(p->options),
				 p->options->live);
	fflush(stdout);
	hprof_profile_table_free(table);
	hprof_summary_free(summary);
	return true;
}

static int export(const struct prof *p)
{
	const struct options *o = p->options;
	const struct export_form *form = choose_form(o);
	struct progress progress;
	struct export_job job = {
		.in = p->path,
		.out = o->output,
		.quiet = true,
		.force = o->force,
		.weight = o->cpu    ? STACK_SAMPLES
			  : o->live ? STACK_LIVE_BYTES
				    : STACK_ALLOCATED_BYTES,
		.changes = { .size = sizeof(job.changes) },
		.packing = choose_packing(o, form),
		.progress = &progress,
	};
	int status;

	progress_begin(&progress, hprof_prof_program.name, PROGRESS_NEVER);
	export_signals_begin(&job);
	status = form->run(&job);
	progress_end(&progress);
	return status == CLI_NO ? CLI_FINE : status;
}

/* ---- while it runs ------------------------------------------------------- */

/* Signals that end the profile early come through this descriptor. */
static int hold_signals(sigset_t *before)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, before);
	return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What has come through it was obeyed. From now on they end the program. */
static void release_signals(int fd, const sigset_t *before)
{
	struct signalfd_siginfo unused;

	while (fd >= 0 &&
	       read(fd, &unused, sizeof(unused)) == (ssize_t)sizeof(unused))
		;
	if (fd >= 0)
		close(fd);
	sigprocmask(SIG_SETMASK, before, NULL);
}

static void draw(const struct prof *p)
{
	printf("\033[H\033[J%d: %" PRIu64 " s\n\n", (int)p->process.pid,
	       (clock_ms() - p->start_ms) / 1000);
	print_table(p);
}

/* Until the time is over, a signal, or the end of the JVM. */
static void wait_for_end(struct prof *p, int signals)
{
	const struct options *o = p->options;
	uint64_t end =
		p->start_ms +
		1000 * (o->duration.given ? o->duration.value : DURATION_S);
	uint64_t now;

	while ((now = clock_ms()) < end) {
		struct pollfd fds[] = {
			{ .fd = signals, .events = POLLIN },
			{ .fd = profile_run_watch(&p->run), .events = POLLIN },
		};
		uint64_t left = end - now;

		if (p->live_table && left > REFRESH_MS)
			left = REFRESH_MS;
		poll(fds, 2, left > INT_MAX ? INT_MAX : (int)left);
		if (fds[0].revents || fds[1].revents)
			return;
		if (p->live_table && clock_ms() < end && take(p, false))
			draw(p);
	}
}

/* What somebody who comes late cannot see. */
static void say_late(const struct options *o)
{
	if (o->alloc && !o->quiet)
		cli_message("objects from before are not counted, and each "
			    "thread may allocate for a while before it is");
}

/* Begins, waits, takes the profile, ends. False with the reason. */
static bool run(struct prof *p)
{
	const struct options *o = p->options;
	struct reason ending;
	char text[256];
	sigset_t before;
	int signals = hold_signals(&before);
	bool taken, ended;

	agent_options(o, text, sizeof(text));
	if (!profile_run_begin(&p->run, &p->process, o->agent,
			       o->timeout.given ? (unsigned)o->timeout.value
						: TIMEOUT_S,
			       text, &p->reason))
		return false;
	say_late(o);
	p->start_ms = clock_ms();
	wait_for_end(p, signals);
	p->end_ms = clock_ms();
	taken = take(p, o->live);
	ended = profile_run_end(&p->run, &ending);
	if (taken && !ended)
		cli_message("%d: the profile was not switched off: %s",
			    (int)p->process.pid, ending.text);
	release_signals(signals, &before);
	return taken;
}

static int profile(pid_t pid, const struct options *o)
{
	struct prof p = { .options = o, .fd = -1 };
	int status = CLI_TROUBLE;

	p.live_table = !o->quiet && !o->json && isatty(STDOUT_FILENO) == 1;
	if (!jvm_process_read(pid, &p.process, &p.reason) || !run(&p)) {
		cli_message("%d: %s", (int)pid, p.reason.text);
		return CLI_TROUBLE;
	}
	if (p.live_table)
		fputs("\033[H\033[J", stdout);
	if (o->output)
		status = export(&p);
	else
		status = CLI_FINE;
	if (status == CLI_FINE && (o->json || (!o->quiet && !o->output)) &&
	    !print_table(&p))
		status = CLI_TROUBLE;
	if (status == CLI_FINE && o->output && !o->quiet &&
	    strcmp(o->output, "-") != 0)
		cli_message("%s: profile of %.1f s", o->output,
			    (double)(p.end_ms - p.start_ms) / 1000);
	close(p.fd);
	return status;
}

static pid_t take_pid(int argc, char **argv, int first)
{
	unsigned long pid;
	const char *text = argv[first];
	char *end;

	if (first >= argc)
		cli_usage_error("no PID given");
	if (first + 1 < argc)
		cli_usage_error("only one PID can be given; '%s' is one too "
				"many",
				argv[first + 1]);
	pid = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || pid < 1 || pid > INT32_MAX)
		cli_usage_error("'%s' is not a PID", text);
	return (pid_t)pid;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	pid_t pid;

	cli_start(&hprof_prof_program);
	pid = take_pid(argc, argv, cli_parse(argc, argv, &options));
	check_options(&options);
	screen_set(&options.screen);
	return cli_finish(profile(pid, &options));
}
