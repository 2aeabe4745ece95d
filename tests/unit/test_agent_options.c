/* SPDX-License-Identifier: MIT */
/*
 * test_agent_options.c - the options of the agent: defaults, each value, and
 * a message for everything that is none.
 */
#include <criterion/criterion.h>
#include <string.h>

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
	bad("engine=fork,live=n", "engine=fork: not with live=n");
	bad("limit=0", "limit=0: must be 1 to 86400");
	bad("limit=86401", "limit=86401: must be 1 to 86400");
	bad("limit=99999999999999999999",
	    "limit=99999999999999999999: must be 1 to 86400");
	bad("limit=1s", "limit=1s: must be 1 to 86400");
	o = good("engine=walk,ids=4,constpool=n");
	cr_assert_eq(o.engine, AG_ENGINE_WALK);
	ag_options_free(&o);
	o = good("engine=vm,engine=auto,ids=4");
	cr_assert_eq(o.engine, AG_ENGINE_AUTO);
	ag_options_free(&o);
	bad("engine=", "engine=: must be auto, fork, vm or walk");
	bad("engine=vms", "engine=vms: must be auto, fork, vm or walk");
	bad("engine=vm,ids=4", "engine=vm: not with ids=4 or constpool=n");
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

/* The help lists each option that is accepted. */
Test(agent_options, help_has_them_all)
{
	const char *names[] = {
		"help",	     "heap=dump",     "format=b",   "file=FILE",
		"force=y|n", "doe=y|n",	      "oome=y|n",   "live=y|n",
		"ids=4|8",   "net=HOST:PORT", "listen=",    "token=FILE",
		"exit=y|n",  "constpool=y|n", "verbose=y|n"
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_assert_not_null(strstr(ag_options_help(), names[i]), "%s",
				   names[i]);
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
	bad("heap=x", "heap=x: must be dump");
	bad("format=c", "format=c: must be b");
	bad("help=y", "help=y: unknown option");
	bad(",", "options: a comma too many");
	bad("doe=y,", "options: a comma too many");
	bad(",doe=y", "options: a comma too many");
	bad("doe=y,,live=y", "options: a comma too many");
}

/* Options of the old agent are distinguished from mistakes. */
Test(agent_options, not_in_this_version)
{
	bad("heap=sites", "heap=sites: not in this version");
	bad("heap=all", "heap=all: not in this version");
	bad("format=a", "format=a: not in this version");
	bad("cpu=samples", "cpu=samples: not in this version");
	bad("doe=n,monitor=y", "monitor=y: not in this version");
	bad("depth=4", "depth=4: not in this version");
	bad("interval=10", "interval=10: not in this version");
	bad("cutoff=0.1", "cutoff=0.1: not in this version");
	bad("lineno=y", "lineno=y: not in this version");
	bad("thread=y", "thread=y: not in this version");
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
