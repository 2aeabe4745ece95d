/* SPDX-License-Identifier: MIT */
/*
 * hprof-prof.c - profiles a JVM that runs: where its time goes, and what it
 * allocates, for some seconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hprof.h>

#include "tools/capture/profile_output.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "tools/common/screen.h"

#define TIMEOUT_S 60
#define DURATION_S 30
#define DEPTH 128
#define ROWS 20
#define REFRESH_MS 2000
#define SCREEN_BYTES (1 << 16)
#define HEAD_LINES 2 /* above the table, while it is drawn anew */

struct options {
	bool cpu, alloc, live, monitor;
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
	{ .kind = CLI_FLAG,
	  .name = "monitor",
	  .offset = AT(monitor),
	  .help = "how long threads wait to enter monitors, and where; not "
		  "with the others" },
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
	  .argument = PROFILE_FORMS,
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
		"allocates,\nwhat its threads wait for.\n\nPID is the process "
		"of a HotSpot JVM, inside a "
		"container or not; 'hprof-dump -l'\nlists them.",
	.epilog = "Exit status: 0 there is a profile, 2 there is none.",
	.options = option_table,
	.option_count = sizeof(option_table) / sizeof(option_table[0]),
};

/* ---- options ------------------------------------------------------------- */

static void check_options(struct options *o)
{
	if (o->monitor && (o->cpu || o->alloc))
		cli_usage_error("'--monitor' cannot be had with '--%s'",
				o->cpu ? "cpu" : "alloc");
	if (!o->cpu && !o->alloc && !o->monitor)
		o->cpu = true;
	if (!o->alloc && (o->live || o->alloc_interval.given))
		cli_usage_error("'--%s' needs '--alloc'",
				o->live ? "live" : "alloc-interval");
	if (!o->cpu && o->interval.given)
		cli_usage_error("'--interval' needs '--cpu'");
	if (o->monitor && o->to.given &&
	    !profile_output_has_form((unsigned)o->to.value, true))
		cli_usage_error("'--monitor' has no binary form");
	if (!o->output && (o->to.given || o->force))
		cli_usage_error("'--%s' needs '--output'",
				o->to.given ? "to" : "force");
	if (o->json && o->output && strcmp(o->output, "-") == 0)
		cli_usage_error("standard output cannot have both, '--json' "
				"and the profile");
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
	snprintf(out, room, "doe=n,verbose=n,cutoff=0,depth=%" PRIu64 "%s%s%s",
		 o->depth.given ? o->depth.value : DEPTH, cpu, alloc,
		 o->monitor ? ",monitor=y" : "");
}

/* ---- a profile ----------------------------------------------------------- */

struct prof {
	const struct options *options;
	struct profile_output output;
	struct profile_taken taken;
};

/* ---- while it runs ------------------------------------------------------- */

/*
 * The rows for which there is room: each table has two lines above them, one
 * lies between two tables, and one below for the cursor.
 */
static size_t rows_that_fit(const struct prof *p)
{
	const size_t tables = p->options->cpu && p->options->alloc ? 2 : 1;
	const size_t others = HEAD_LINES + 3 * tables;
	const size_t height = screen_height(), wanted = p->output.rows;
	size_t room;

	if (height == 0)
		return wanted;
	room = height > others + tables ? (height - others) / tables : 1;
	return wanted && wanted < room ? wanted : room;
}

static void draw(void *prof)
{
	const struct prof *p = prof;
	struct profile_output output = p->output;

	output.rows = rows_that_fit(p);
	printf("\033[H\033[J%d: %" PRIu64 " s\n\n", (int)p->taken.process.pid,
	       (clock_ms() - p->taken.start_ms) / 1000);
	profile_output_table(&output, &p->taken);
	fflush(stdout);
}

/* What somebody who comes late cannot see. */
static void say_late(void *prof)
{
	const struct options *o = ((const struct prof *)prof)->options;

	if (o->alloc && !o->quiet)
		cli_message("objects from before are not counted, and each "
			    "thread may allocate for a while before it is");
	if (o->monitor && !o->quiet)
		cli_message("locks of java.util.concurrent are not counted: "
			    "monitor=all is for the start of a JVM");
}

static struct profile_output output_of(const struct options *o)
{
	return (struct profile_output){
		.path = o->output,
		.to = o->to,
		.force = o->force,
		.cpu = o->cpu,
		.live = o->live,
		.monitor = o->monitor,
		.json = o->json,
		.quiet = o->quiet,
		.rows = o->top.given ? (size_t)o->top.value : ROWS,
	};
}

static int profile(pid_t pid, const struct options *o)
{
	const bool live_table =
		!o->quiet && !o->json && isatty(STDOUT_FILENO) == 1;
	struct prof p = { .options = o, .output = output_of(o) };
	char text[256];
	const struct profile_order order = {
		.pid = pid,
		.agent = o->agent,
		.timeout_s = o->timeout.given ? (unsigned)o->timeout.value
					      : TIMEOUT_S,
		.options = text,
		.text = o->monitor,
		.collect = o->live,
		.duration_ms = 1000 * (o->duration.given ? o->duration.value
							 : DURATION_S),
		.refresh_ms = live_table ? REFRESH_MS : 0,
		.begun = say_late,
		.shown = draw,
		.user = &p,
	};
	int status = CLI_TROUBLE;

	/* Else a screen is erased long before its tables are read and drawn. */
	if (live_table)
		setvbuf(stdout, NULL, _IOFBF, SCREEN_BYTES);
	agent_options(o, text, sizeof(text));
	if (!profile_take(&order, &p.taken)) {
		cli_message("%d: %s", (int)pid, p.taken.reason.text);
	} else {
		if (live_table) {
			fputs("\033[H\033[J", stdout);
			fflush(stdout); /* before messages */
		}
		status = profile_output_put(&p.output, &p.taken);
	}
	profile_taken_free(&p.taken);
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
