/* SPDX-License-Identifier: MIT */
/*
 * test_agent_options.c - the options of the agent: defaults, each value, and
 * a message for everything that is none.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/option_table.h"
#include "agent/common/options.h"
#include "base/mem.h"

static struct ag_options good(const char *text)
{
	struct ag_options o;
	char message[200] = "";

	cr_assert_eq(ag_options_parse(text, &o, message, sizeof message),
		     AG_OPTIONS_OK, "%s: %s", text, message);
	cr_assert_str_empty(message);
	return o;
}

static void bad(const char *text, const char *wanted)
{
	struct ag_options o;
	char message[200] = "";

	cr_assert_eq(ag_options_parse(text, &o, message, sizeof message),
		     AG_OPTIONS_WRONG, "%s", text);
	cr_assert_str_eq(message, wanted);
	ag_options_free(&o);
}

Test(agent_options, defaults)
{
	const char *none[] = { NULL, "" };

	for (int i = 0; i < 2; i++) {
		struct ag_options o = good(none[i]);
		cr_assert_null(o.file);
		cr_assert_not(o.force);
		cr_assert(o.at_exit);
		cr_assert_not(o.at_exit_given);
		cr_assert_not(o.at_oome);
		cr_assert(o.verbose);
		cr_assert(o.live);
		cr_assert(o.constants);
		cr_assert_eq(o.id_size, 8);
		cr_assert_eq(o.engine, AG_ENGINE_AUTO);
		cr_assert_eq(o.limit_s, 600);
		ag_options_free(&o);
	}
}

Test(agent_options, engines)
{
	struct ag_options o = good("engine=vm");

	cr_assert_eq(o.engine, AG_ENGINE_VM);
	ag_options_free(&o);
	o = good("engine=fork,ids=4,constpool=n,limit=86400");
	cr_assert_eq(o.engine, AG_ENGINE_FORK);
	cr_assert_eq(o.limit_s, 86400);
	ag_options_free(&o);
	o = good("engine=fork,net=localhost:7070");
	cr_assert_eq(o.engine, AG_ENGINE_FORK);
	ag_options_free(&o);
	bad("engine=fork,live=n", "engine=fork: not with live=n");
	bad("limit=0", "limit=0: must be 1 to 86400");
	bad("limit=86401", "limit=86401: must be 1 to 86400");
	bad("limit=99999999999999999999",
	    "limit=99999999999999999999: must be 1 to 86400");
	bad("limit=1s", "limit=1s: must be 1 to 86400");
	cr_assert_eq(o.level, 2);
	o = good("engine=fork,level=0");
	cr_assert_eq(o.level, 0);
	o = good("engine=walk,ids=4,constpool=n");
	cr_assert_eq(o.engine, AG_ENGINE_WALK);
	ag_options_free(&o);
	o = good("engine=vm,engine=auto,ids=4");
	cr_assert_eq(o.engine, AG_ENGINE_AUTO);
	ag_options_free(&o);
	bad("engine=", "engine=: must be auto, fork, vm or walk");
	bad("engine=vms", "engine=vms: must be auto, fork, vm or walk");
	bad("engine=vm,ids=4", "engine=vm: not with ids=4 or constpool=n");
	bad("engine=vm,level=1",
	    "engine=vm: not with level: the JVM writes all contents");
	bad("level=3", "level=3: must be 0, 1 or 2");
	bad("constpool=n,engine=vm",
	    "engine=vm: not with ids=4 or constpool=n");
}

Test(agent_options, network)
{
	struct ag_options o = good("net=some.host:1234,exit=y");

	cr_assert_str_eq(o.net.host, "some.host");
	cr_assert_str_eq(o.net.port, "1234");
	cr_assert(o.exit);
	cr_assert(o.at_exit);
	ag_options_free(&o);
	o = good("listen=0,token=t");
	cr_assert_str_eq(o.listen.host, "127.0.0.1");
	cr_assert_str_eq(o.token, "t");
	cr_assert_not(o.at_exit);
	ag_options_free(&o);
	o = good("doe=y,listen=[::1]:80,token=t");
	cr_assert_str_eq(o.listen.host, "::1");
	cr_assert(o.at_exit);
	ag_options_free(&o);
	bad("net=host", "net=host: must be HOST:PORT");
	bad("net=host:0", "net=host:0: must be HOST:PORT");
	bad("net=5555", "net=5555: must be HOST:PORT");
	bad("listen=x", "listen=x: must be PORT or ADDRESS:PORT");
	bad("listen=1", "listen: needs token=FILE");
	bad("token=t", "token: needs listen");
	bad("net=h:1,listen=1,token=t", "net: not with listen");
	bad("net=h:1,file=x", "net: not with file");
	bad("net=h:1,engine=vm",
	    "engine=vm: not with net or listen: the JVM writes only files");
	bad("exit=y", "exit=y: needs net or listen");
}

Test(agent_options, every_value)
{
	struct ag_options o = good("heap=dump,format=b,file=/tmp/x.hprof,"
				   "force=y,doe=n,oome=y,verbose=n,live=n,"
				   "ids=4,constpool=n");

	cr_assert_str_eq(o.file, "/tmp/x.hprof");
	cr_assert(o.force);
	cr_assert_not(o.at_exit);
	cr_assert(o.at_exit_given);
	cr_assert(o.at_oome);
	cr_assert_not(o.verbose);
	cr_assert_not(o.live);
	cr_assert_not(o.constants);
	cr_assert_eq(o.id_size, 4);
	ag_options_free(&o);
	cr_assert_null(o.file);

	o = good("force=n,doe=y,oome=n,verbose=y,live=y,ids=8,constpool=y");
	cr_assert_not(o.force);
	cr_assert(o.at_exit);
	cr_assert(o.at_exit_given);
	cr_assert_not(o.at_oome);
	cr_assert(o.verbose);
	cr_assert(o.live);
	cr_assert(o.constants);
	cr_assert_eq(o.id_size, 8);
	ag_options_free(&o);
}

Test(agent_options, the_last_one_holds)
{
	struct ag_options o = good("file=a,doe=n,file=b=c,doe=y");

	cr_assert_str_eq(o.file, "b=c");
	cr_assert(o.at_exit);
	ag_options_free(&o);
	/* No other option is taken for doe=, wherever its value is stored. */
	o = good("heap=dump,format=b,file=x");
	cr_assert_not(o.at_exit_given);
	ag_options_free(&o);
}

Test(agent_options, help)
{
	const char *texts[] = { "help", "file=x,help", "help,nonsense" };
	struct ag_options o;
	char message[200] = "";

	for (int i = 0; i < 3; i++) {
		cr_assert_eq(
			ag_options_parse(texts[i], &o, message, sizeof message),
			AG_OPTIONS_HELP);
		ag_options_free(&o);
	}
	cr_assert_str_empty(message);
}

/* The help lists each option that is accepted, with both defaults. */
Test(agent_options, help_has_them_all)
{
	const char *lines[] = {
		"help  ",	    "heap=dump|sites|all|life",
		"[dump; old: all]", "file=FILE ",
		"force=y|n ",	    "[n; old: y]",
		"defaults=new|old", "cpu=samples|times|old",
	};
	char help[AG_HELP_ROOM], name[40];

	ag_options_help(help);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_assert_not_null(strstr(help, lines[i]), "%s", lines[i]);
	for (size_t i = 0; i < ag_option_count; i++) {
		snprintf(name, sizeof name, "\n  %s=", ag_option_table[i].name);
		cr_assert_not_null(strstr(help, name), "%s", name);
	}
	for (const char *line = help, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		cr_assert_leq(end - line, 100, "%.*s", (int)(end - line), line);
	}
}

Test(agent_options, messages_name_the_option)
{
	bad("nonsense", "nonsense: unknown option");
	bad("file=a,some=1", "some=1: unknown option");
	bad("some,file=a", "some: unknown option");
	bad("=y", "=y: unknown option");
	bad("FILE=a", "FILE=a: unknown option");
	bad("file", "file: needs a value");
	bad("file=", "file=: must name a file");
	bad("file=a,file=", "file=: must name a file");
	bad("doe=yes", "doe=yes: must be y or n");
	bad("doe=", "doe=: must be y or n");
	bad("doe", "doe: needs a value");
	bad("live=Y", "live=Y: must be y or n");
	bad("ids=16", "ids=16: must be 4 or 8");
	bad("ids=", "ids=: must be 4 or 8");
	bad("heap=x", "heap=x: must be dump, sites, all or life");
	bad("format=c", "format=c: must be a or b");
	bad("help=y", "help=y: unknown option");
	bad(",", "options: a comma too many");
	bad("doe=y,", "options: a comma too many");
	bad(",doe=y", "options: a comma too many");
	bad("doe=y,,live=y", "options: a comma too many");
}

/* The old agent's manual: what it had when nothing was given. */
Test(agent_options, defaults_of_profiles)
{
	struct ag_options o = good("defaults=new");

	cr_assert_eq(o.heap, AG_HEAP_DUMP);
	cr_assert_eq(o.format, AG_FORMAT_BINARY);
	cr_assert_eq(o.cpu, AG_CPU_NONE);
	cr_assert_eq(o.monitor, AG_MONITOR_NONE);
	cr_assert_eq(o.sampler, AG_SAMPLER_THREAD);
	cr_assert_eq(o.depth, 4);
	cr_assert_eq(o.interval_us, 10000);
	cr_assert_eq(o.sites_interval, 0);
	cr_assert_float_eq(o.cutoff, 0.0001, 1e-12);
	cr_assert(o.line_numbers);
	cr_assert_not(o.threads_in_traces);

	o = good("defaults=old");
	cr_assert_eq(o.heap, AG_HEAP_ALL);
	cr_assert_eq(o.format, AG_FORMAT_TEXT);
	cr_assert_str_eq(o.file, "java.hprof.txt");
	cr_assert(o.force);
	cr_assert(o.at_exit);
	cr_assert(o.verbose);
	ag_options_free(&o);
}

/* Wherever defaults=old stands, what is given holds. */
Test(agent_options, old_defaults_are_for_what_is_not_given)
{
	struct ag_options o = good("format=b,defaults=old,heap=dump,force=n");

	cr_assert_eq(o.heap, AG_HEAP_DUMP);
	cr_assert_eq(o.format, AG_FORMAT_BINARY);
	cr_assert_str_eq(o.file, "java.hprof");
	cr_assert_not(o.force);
	ag_options_free(&o);

	o = good("defaults=old,file=x");
	cr_assert_str_eq(o.file, "x");
	ag_options_free(&o);
	o = good("defaults=old,net=h:1");
	cr_assert_null(o.file);
}

/* Another profile, and the heap is left alone unless it is asked for. */
Test(agent_options, heap_beside_other_profiles)
{
	cr_assert_eq(good("cpu=samples").heap, AG_HEAP_NONE);
	cr_assert_eq(good("monitor=y").heap, AG_HEAP_NONE);
	cr_assert_eq(good("monitor=n").heap, AG_HEAP_DUMP);
	cr_assert_eq(good("cpu=samples,heap=dump").heap, AG_HEAP_DUMP);
	cr_assert_eq(good("heap=sites").heap, AG_HEAP_SITES);
	cr_assert_eq(good("heap=life").heap, AG_HEAP_LIFE);
	cr_assert_eq(good("heap=life").format, AG_FORMAT_TEXT);
}

Test(agent_options, text_where_only_text_can_say_it)
{
	const char *texts[] = { "cpu=times", "cpu=old", "monitor=y",
				"monitor=all" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_assert_eq(good(texts[i]).format, AG_FORMAT_TEXT);
	cr_assert_eq(good("cpu=samples").format, AG_FORMAT_BINARY);
	bad("monitor=y,format=b",
	    "format=b: not with monitor: the binary format has no record for "
	    "it");
	bad("format=b,cpu=times",
	    "format=b: not with cpu=times or cpu=old: the binary format has no "
	    "record for it");
	bad("defaults=old,cpu=old,format=b",
	    "format=b: not with cpu=times or cpu=old: the binary format has no "
	    "record for it");
}

Test(agent_options, values_of_profiles)
{
	struct ag_options o =
		good("depth=0,interval=1,cutoff=0,lineno=n,thread=y,msa=y,"
		     "gc_okay=n,sites-interval=512k,monitor=n,sampler=thread");

	cr_assert_eq(o.depth, 0);
	cr_assert_eq(o.interval_us, 1000);
	cr_assert_eq(o.cutoff, 0);
	cr_assert_not(o.line_numbers);
	cr_assert(o.threads_in_traces);
	cr_assert_eq(o.sites_interval, 512 << 10);
	cr_assert_eq(good("interval=500us").interval_us, 500);
	cr_assert_eq(good("interval=20ms").interval_us, 20000);
	cr_assert_eq(good("interval=10000").interval_us, 10000000);
	cr_assert_eq(good("sites-interval=1").sites_interval, 1);
	cr_assert_eq(good("sites-interval=1G").sites_interval, 1 << 30);
	cr_assert_float_eq(good("cutoff=0.25").cutoff, 0.25, 1e-12);
	cr_assert_float_eq(good("cutoff=.5").cutoff, 0.5, 1e-12);
	cr_assert_eq(good("cutoff=1").cutoff, 1);
	cr_assert_eq(good("depth=1024").depth, 1024);
}

Test(agent_options, wrong_values_of_profiles)
{
	bad("depth=-1", "depth=-1: must be 0 to 1024");
	bad("depth=1025", "depth=1025: must be 0 to 1024");
	bad("depth=99999999999999999999",
	    "depth=99999999999999999999: must be 0 to 1024");
	bad("depth=4x", "depth=4x: must be 0 to 1024");
	bad("cutoff=1.5", "cutoff=1.5: must be 0 to 1");
	bad("cutoff=0.1x", "cutoff=0.1x: must be 0 to 1");
	bad("cutoff=", "cutoff=: must be 0 to 1");
	bad("cutoff=x", "cutoff=x: must be 0 to 1");
	bad("cutoff=nan", "cutoff=nan: must be 0 to 1");
	bad("interval=0", "interval=0: must be 100us to 10000, milliseconds "
			  "without a unit");
	bad("interval=99us", "interval=99us: must be 100us to 10000, "
			     "milliseconds without a unit");
	bad("interval=512k", "interval=512k: must be 100us to 10000, "
			     "milliseconds without a unit");
	bad("interval=2147483647", "interval=2147483647: must be 100us to "
				   "10000, milliseconds without a unit");
	bad("sites-interval=2g", "sites-interval=2g: must be bytes, less than "
				 "2g, such as 512k");
	bad("sites-interval=1kb", "sites-interval=1kb: must be bytes, less "
				  "than 2g, such as 512k");
	bad("sites-interval=k", "sites-interval=k: must be bytes, less than "
				"2g, such as 512k");
	bad("msa=1", "msa=1: must be y or n");
	bad("ids=5", "ids: must be 4 or 8");
	bad("monitor=x", "monitor=x: must be y, n or all");
	bad("cpu=n", "cpu=n: must be samples, times or old");
	bad("defaults=", "defaults=: must be new or old");
}

/* What a text of the heap cannot be made by, and what a profile cannot. */
Test(agent_options, engines_of_text)
{
	struct ag_options o = good("defaults=old");

	cr_assert_eq(o.heap, AG_HEAP_ALL);
	cr_assert_eq(o.format, AG_FORMAT_TEXT);
	ag_options_free(&o);
	o = good("cpu=times,net=h:1");
	cr_assert_eq(o.format, AG_FORMAT_TEXT);
	ag_options_free(&o);
	bad("format=a,engine=vm",
	    "engine=vm: not with format=a: the JVM writes only format=b");
	bad("format=a,engine=fork", "engine=fork: not with format=a, which is "
				    "made of a dump in format=b");
	bad("heap=dump,cpu=samples,engine=fork",
	    "heap=dump: with cpu or monitor only with engine=walk");
}

/* Anybody who may attach can send anything to the JVM's terminal. */
Test(agent_options, messages_are_escaped)
{
	char text[400];

	bad("\033[2Jx=1", "\\x1b[2Jx=1: unknown option");
	bad("\xff", "\\xff: unknown option");
	memset(text, 'z', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	char message[200];
	struct ag_options o;
	cr_assert_eq(ag_options_parse(text, &o, message, sizeof message),
		     AG_OPTIONS_WRONG);
	cr_assert_not_null(strstr(message, "zzz...: unknown option"));
}

Test(agent_options, a_small_room_is_kept)
{
	struct ag_options o;
	char message[8] = "#######";

	cr_assert_eq(ag_options_parse("nonsense", &o, message, 6),
		     AG_OPTIONS_WRONG);
	cr_assert_str_eq(message, "nonse");
	cr_assert_eq(message[6], '#');
}

Test(agent_options, no_memory)
{
	struct ag_options o;
	char message[200];

	hp_mem_fail_after(0);
	cr_assert_eq(ag_options_parse("file=a", &o, message, sizeof message),
		     AG_OPTIONS_WRONG);
	hp_mem_fail_after(-1);
	cr_assert_str_eq(message, "file=a: out of memory");
	ag_options_free(&o);
}
