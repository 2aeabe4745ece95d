/* SPDX-License-Identifier: MIT */
/*
 * option_table.c - see option_table.h.
 */
#include "agent/common/option_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/options.h"

#define MEMBER(member) offsetof(struct ag_options, member)
#define YES_NO AG_OPTION_YES_NO
#define Y_OR_N .wrong = "must be y or n", .value = "y|n"
#define A_FILE .wrong = "must name a file", .value = "FILE"

const struct ag_option ag_option_table[] = {
	{ "heap", AG_OPTION_WORD, MEMBER(heap),
	  .wrong = "must be dump, sites, all or life",
	  .words = { [AG_HEAP_DUMP] = "dump",
		     [AG_HEAP_SITES] = "sites",
		     [AG_HEAP_ALL] = "all",
		     [AG_HEAP_LIFE] = "life" },
	  .value = "dump|sites|all|life",
	  .meaning =
		  "dump the heap, count allocations, both, or follow objects",
	  .standard = "dump", .old_standard = "all" },
	{ "cpu", AG_OPTION_WORD, MEMBER(cpu),
	  .wrong = "must be samples, times or old",
	  .words = { [AG_CPU_SAMPLES] = "samples",
		     [AG_CPU_TIMES] = "times",
		     [AG_CPU_OLD] = "old" },
	  .value = "samples|times|old",
	  .meaning = "where processor time goes" },
	{ "monitor", AG_OPTION_WORD, MEMBER(monitor),
	  .wrong = "must be y, n or all",
	  .words = { [AG_MONITOR_NONE] = "n",
		     [AG_MONITOR_JAVA] = "y",
		     [AG_MONITOR_ALL] = "all" },
	  .value = "y|n|all",
	  .meaning = "who waits for monitors; all: for locks, too",
	  .standard = "n" },
	{ "format", AG_OPTION_WORD, MEMBER(format), .wrong = "must be a or b",
	  .words = { [AG_FORMAT_BINARY] = "b", [AG_FORMAT_TEXT] = "a" },
	  .value = "a|b", .meaning = "text or binary",
	  .standard = "b; a if only text can say it", .old_standard = "a" },
	{ "file", AG_OPTION_FILE, MEMBER(file), A_FILE,
	  .meaning = "where to; %p: the process",
	  .standard = "java_pidPID.hprof", .old_standard = "java.hprof[.txt]" },
	{ "force", YES_NO, MEMBER(force), Y_OR_N,
	  .meaning = "replace a file that exists", .standard = "n",
	  .old_standard = "y" },
	{ "doe", YES_NO, MEMBER(at_exit), Y_OR_N,
	  .meaning = "dump when the JVM ends",
	  .standard = "y; n when attached, or with listen" },
	{ "oome", YES_NO, MEMBER(at_oome), Y_OR_N,
	  .meaning = "dump once when the heap is exhausted", .standard = "n" },
	{ "engine", AG_OPTION_WORD, MEMBER(engine),
	  .wrong = "must be auto, fork, vm or walk",
	  .words = { [AG_ENGINE_AUTO] = "auto",
		     [AG_ENGINE_WALK] = "walk",
		     [AG_ENGINE_VM] = "vm",
		     [AG_ENGINE_FORK] = "fork" },
	  .value = "ENGINE",
	  .meaning = "vm, the JVM itself, or the agent: walk, or fork",
	  .standard = "auto" },
	{ "limit", AG_OPTION_NUMBER, MEMBER(limit_s),
	  .wrong = "must be 1 to 86400", .least = 1, .most = 86400,
	  .value = "SECONDS", .meaning = "time of the forked process",
	  .standard = "600" },
	{ "live", YES_NO, MEMBER(live), Y_OR_N,
	  .meaning = "only objects that can be reached", .standard = "y" },
	{ "level", AG_OPTION_NUMBER, MEMBER(level),
	  .wrong = "must be 0, 1 or 2", .least = 0, .most = 2, .value = "0|1|2",
	  .meaning = "contents of objects: 0 none, 1 references, 2 all",
	  .standard = "2" },
	{ "ids", AG_OPTION_NUMBER, MEMBER(id_size), .wrong = "must be 4 or 8",
	  .least = 4, .most = 8, .value = "4|8",
	  .meaning = "bytes of an identifier", .standard = "8" },
	{ "constpool", YES_NO, MEMBER(constants), Y_OR_N,
	  .meaning = "references from constant pools", .standard = "y" },
	{ "depth", AG_OPTION_NUMBER, MEMBER(depth),
	  .wrong = "must be 0 to 1024", .least = 0, .most = 1024,
	  .value = "FRAMES", .meaning = "most frames of a trace",
	  .standard = "4" },
	{ "interval", AG_OPTION_TIME, MEMBER(interval_us),
	  .wrong = "must be 100us to 10000, milliseconds without a unit",
	  .least = 100, .most = 10000000, .value = "MS",
	  .meaning = "time between two samples of cpu=samples",
	  .standard = "10" },
	{ "sampler", AG_OPTION_WORD, MEMBER(sampler),
	  .wrong = "must be thread or async",
	  .words = { [AG_SAMPLER_THREAD] = "thread",
		     [AG_SAMPLER_ASYNC] = "async" },
	  .value = "thread|async", .meaning = "how cpu=samples takes them",
	  .standard = "thread" },
	{ "sites-interval", AG_OPTION_BYTES, MEMBER(sites_interval),
	  .wrong = "must be bytes, less than 2g, such as 512k",
	  .value = "BYTES",
	  .meaning = "count one allocation of so many bytes; 0: each",
	  .standard = "0" },
	{ "profile", AG_OPTION_WORD, MEMBER(profile),
	  .wrong = "must be report or stop",
	  .words = { [AG_PROFILE_REPORT] = "report",
		     [AG_PROFILE_STOP] = "stop" },
	  .value = "report|stop",
	  .meaning = "loaded again: write the profile that has begun, or end "
		     "it" },
	{ "cutoff", AG_OPTION_SHARE, MEMBER(cutoff), .wrong = "must be 0 to 1",
	  .value = "SHARE", .meaning = "leave out rows of a smaller share",
	  .standard = "0.0001" },
	{ "lineno", YES_NO, MEMBER(line_numbers), Y_OR_N,
	  .meaning = "line numbers in traces", .standard = "y" },
	{ "thread", YES_NO, MEMBER(threads_in_traces), Y_OR_N,
	  .meaning = "tell the traces of threads apart", .standard = "n" },
	{ "net", AG_OPTION_ADDRESS, MEMBER(net), .wrong = "must be HOST:PORT",
	  .value = "HOST:PORT",
	  .meaning = "send it there, and take commands; not to a file" },
	{ "listen", AG_OPTION_PORT, MEMBER(listen),
	  .wrong = "must be PORT or ADDRESS:PORT", .value = "[ADDRESS:]PORT",
	  .meaning = "take commands there, and answer with dumps" },
	{ "token", AG_OPTION_FILE, MEMBER(token), A_FILE,
	  .meaning = "for listen: the secret that clients must send" },
	{ "exit", YES_NO, MEMBER(exit), Y_OR_N,
	  .meaning = "a command may end the JVM", .standard = "n" },
	{ "verbose", YES_NO, MEMBER(verbose), Y_OR_N,
	  .meaning = "a line about each dump on standard error",
	  .standard = "y" },
	{ "msa", AG_OPTION_IGNORED, 0, Y_OR_N, .meaning = "does nothing" },
	{ "gc_okay", AG_OPTION_IGNORED, 0, Y_OR_N, .meaning = "does nothing" },
	{ "defaults", AG_OPTION_WORD, MEMBER(defaults),
	  .wrong = "must be new or old",
	  .words = { [AG_DEFAULTS_NEW] = "new", [AG_DEFAULTS_OLD] = "old" },
	  .value = "new|old", .meaning = "old: those of the agent of JDK 8",
	  .standard = "new" },
};

const size_t ag_option_count = sizeof ag_option_table / sizeof *ag_option_table;

/* Text that grows in a buffer of AG_HELP_ROOM bytes. */
struct help {
	char *text;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct help *help,
						      const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(help->text + help->used, AG_HELP_ROOM - help->used,
		      format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < AG_HELP_ROOM - help->used);
	help->used += (size_t)n;
}

/* Long ones are followed by their meaning in the next line. */
static void add_option(struct help *help, const struct ag_option *option)
{
	const int width = 23;
	int used = (int)(strlen(option->name) + strlen(option->value)) + 1;

	add(help, "  %s=%s", option->name, option->value);
	if (used < width)
		add(help, "%*s", width - used, "");
	else
		add(help, "\n%*s", width + 2, "");
	add(help, "%s", option->meaning);
	if (option->standard || option->old_standard)
		add(help, " [%s%s%s]", option->standard ? option->standard : "",
		    option->old_standard ? "; old: " : "",
		    option->old_standard ? option->old_standard : "");
	add(help, "\n");
}

void ag_options_help(char ret_text[AG_HELP_ROOM])
{
	struct help help = { ret_text, 0 };

	add(&help,
	    "libhprof-agent writes heap dumps and profiles of the JVM it "
	    "is loaded into.\n"
	    "\n"
	    "  java -agentlib:hprof-agent[=NAME=VALUE,...] ...\n"
	    "  jcmd PID JVMTI.agent_load /path/libhprof-agent.so "
	    "[NAME=VALUE,...]\n"
	    "\n"
	    "In brackets the default, and with defaults=old, if that is "
	    "another.\n"
	    "\n"
	    "  help                   print this; nothing is dumped\n");
	for (size_t i = 0; i < ag_option_count; i++)
		add_option(&help, &ag_option_table[i]);
	add(&help, "\n"
		   "A dump is also written on a data dump request (SIGQUIT, "
		   "jcmd PID JVMTI.data_dump)\n"
		   "and at once when the agent is loaded into a running JVM.\n"
		   "See hprof-agent(7).\n");
}
