/* SPDX-License-Identifier: MIT */
/*
 * test_attach.c - the attach protocol as bytes, and what /proc tells of a
 * process: the pure parts of hprof-dump.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/capture/attach_protocol.h"
#include "tools/capture/jvm_process.h"

/* ---- requests ----------------------------------------------------------- */

static char *repeated(char c, size_t count)
{
	char *text = malloc(count + 1);

	cr_assert_not_null(text);
	memset(text, c, count);
	text[count] = '\0';
	return text;
}

/* Version 1 always has three arguments. */
Test(attach, request_v1)
{
	static const char two[] = "1\0load\0/a.so\0true\0";
	static const char none[] = "1\0properties\0\0\0";
	const char *arguments[] = { "/a.so", "true" };
	char out[64];

	cr_assert_eq(attach_request_v1("load", arguments, 2, out, sizeof out),
		     sizeof two);
	cr_assert_eq(memcmp(out, two, sizeof two), 0);
	cr_assert_eq(attach_request_v1("properties", NULL, 0, out, sizeof out),
		     sizeof none);
	cr_assert_eq(memcmp(out, none, sizeof none), 0);
}

Test(attach, request_v1_limits)
{
	char *longest = repeated('a', ATTACH_V1_LONGEST);
	char *too_long = repeated('a', ATTACH_V1_LONGEST + 1);
	const char *good[] = { longest, longest, longest };
	const char *bad[] = { "a", too_long, "b" };
	const char *many[] = { "a", "b", "c", "d" };
	char out[4 * ATTACH_V1_LONGEST];

	cr_assert(attach_fits_v1(good, 3) && !attach_fits_v1(bad, 3));
	cr_assert(!attach_fits_v1(many, 4));
	size_t size = attach_request_v1("x", good, 3, out, sizeof out);
	cr_assert_eq(size, 2 + 2 + 3 * (ATTACH_V1_LONGEST + 1));
	cr_assert_eq(attach_request_v1("x", bad, 3, out, sizeof out), 0);
	cr_assert_eq(attach_request_v1("x", many, 4, out, sizeof out), 0);
	/* One byte too few. */
	cr_assert_eq(attach_request_v1("x", good, 3, out, size - 1), 0);
	cr_assert_eq(attach_request_v1("x", good, 3, out, size), size);
	free(longest);
	free(too_long);
}

/* The number counts all bytes that follow it. */
Test(attach, request_v2)
{
	static const char wanted[] = "2\00020\0load\0/a.so\0true\0a=b";
	const char *arguments[] = { "/a.so", "true", "a=b" };
	char out[64];

	cr_assert_eq(attach_request_v2("load", arguments, 3, out, sizeof out),
		     sizeof wanted + 0);
	cr_assert_eq(memcmp(out, wanted, sizeof wanted), 0, "%s", out + 2);
	for (size_t room = 0; room < sizeof wanted; room++)
		cr_assert_eq(attach_request_v2("load", arguments, 3, out, room),
			     0);
}

Test(attach, request_v2_limits)
{
	enum { ROOM = ATTACH_V2_MOST + 64 };
	char *out = malloc(ROOM), *text = repeated('a', ATTACH_V2_MOST - 3);
	const char *arguments[] = { text };

	cr_assert_eq(attach_request_v2("x", arguments, 1, out, ROOM),
		     2 + 7 + ATTACH_V2_MOST);
	text[0] = '\0';
	const char *two[] = { text + 1, text };
	cr_assert_eq(attach_request_v2("x", two, 2, out, ROOM),
		     2 + 7 + ATTACH_V2_MOST);
	const char *three[] = { text + 1, text, text };
	cr_assert_eq(attach_request_v2("x", three, 3, out, ROOM), 0);
	free(out);
	free(text);
}

/* ---- replies ------------------------------------------------------------ */

static struct attach_reply reply_of(const char *text)
{
	struct attach_reply reply = { 0 };

	cr_assert(attach_parse_reply(text, strlen(text), &reply), "%s", text);
	return reply;
}

Test(attach, parse_reply)
{
	static const char *const bad[] = {
		"",	"\n",	"x\n",	"-\n",		"0", "12", " 0\n",
		"0 \n", "+1\n", "0x\n", "99999999999\n"
	};
	struct attach_reply reply = reply_of("0\nabc\n");

	cr_assert(reply.code == 0 && reply.size == 4);
	cr_assert_eq(memcmp(reply.text, "abc\n", 4), 0);
	reply = reply_of("-1\n");
	cr_assert(reply.code == -1 && reply.size == 0);
	cr_assert_eq(reply_of("101\r\nx").code, 101);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect(!attach_parse_reply(bad[i], strlen(bad[i]), &reply),
			  "%s", bad[i]);
}

Test(attach, version)
{
	static const struct {
		const char *text;
		unsigned version;
	} cases[] = { { "0\n2 streaming", 2 },
		      { "0\n1\n", 1 },
		      { "0\n3", 3 },
		      { "0\n", 1 },
		      { "0\n-2", 1 },
		      { "0\nnone", 1 },
		      { "-1\nOperation getversion not recognized!", 1 },
		      { "-1\n2", 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attach_reply reply = reply_of(cases[i].text);
		cr_expect_eq(attach_version(&reply), cases[i].version, "%s",
			     cases[i].text);
	}
}

Test(attach, help)
{
	struct attach_reply reply = reply_of(
		"0\nOptions:\n\t-all : [optional] x\n\t-overwrite : y");

	cr_assert(attach_help_has(&reply, "-all"));
	cr_assert(attach_help_has(&reply, "-overwrite"));
	cr_assert(!attach_help_has(&reply, "-over"));
	cr_assert(!attach_help_has(&reply, "overwrite"));
	cr_assert(!attach_help_has(&reply, "-parallel"));
	reply = reply_of("0\n-all");
	cr_assert(attach_help_has(&reply, "-all"));
	reply = reply_of("0\n");
	cr_assert(!attach_help_has(&reply, "-all"));
}

Test(attach, dump_result)
{
	static const struct {
		const char *text;
		enum attach_dump_result result;
		uint64_t bytes;
	} cases[] = {
		{ "0\nDumping heap to /tmp/x ...\n"
		  "Heap dump file created [3332366 bytes in 0.016 secs]\n",
		  ATTACH_DUMP_MADE, 3332366 },
		/* JDK 8 and dumpheap say less. */
		{ "0\nHeap dump file created\n", ATTACH_DUMP_MADE, 0 },
		{ "0\nHeap dump file created [99999999999999999999 bytes",
		  ATTACH_DUMP_MADE, 0 },
		{ "0\nHeap dump file created [", ATTACH_DUMP_MADE, 0 },
		{ "0\nDumping heap to /x ...\n"
		  "Unable to create /x: File exists\n",
		  ATTACH_DUMP_EXISTS, 0 },
		{ "0\nFile exists", ATTACH_DUMP_EXISTS, 0 },
		{ "0\nDumping heap to /x ...\n"
		  "Dump file is incomplete: No space left on device\n",
		  ATTACH_DUMP_FAILED, 0 },
		{ "-1\njava.lang.IllegalArgumentException: Unknown",
		  ATTACH_DUMP_FAILED, 0 },
		{ "0\n", ATTACH_DUMP_FAILED, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attach_reply reply = reply_of(cases[i].text);
		uint64_t bytes = 1;
		cr_expect_eq(attach_dump_result(&reply, &bytes),
			     cases[i].result, "%s", cases[i].text);
		cr_expect_eq(bytes, cases[i].bytes, "%s", cases[i].text);
	}
}

Test(attach, load_result)
{
	static const struct {
		const char *text;
		enum attach_load_result result;
		int code;
	} cases[] = {
		{ "0\nreturn code: 0\n", ATTACH_LOADED, 0 },
		{ "0\nreturn code: 0", ATTACH_LOADED, 0 },
		{ "0\nreturn code: 3\n", ATTACH_LOAD_FAILED, 3 },
		{ "0\nreturn code: -1\n", ATTACH_LOAD_FAILED, -1 },
		{ "0\n", ATTACH_LOADED, 0 }, /* JDK 8 */
		{ "7\n", ATTACH_LOAD_FAILED, 7 },
		{ "-1\n/x.so was not loaded.\n/x.so: cannot open shared "
		  "object file: No such file or directory\n",
		  ATTACH_LOAD_MISSING, -1 },
		{ "0\n/x.so was not loaded.\n/x.so: wrong ELF class\n",
		  ATTACH_LOAD_MISSING, 0 },
		{ "0\nDynamic agent loading is not enabled. Use "
		  "-XX:+EnableDynamicAgentLoading to launch target VM.",
		  ATTACH_LOAD_REFUSED, 0 },
		{ "-1\nDynamic agent loading is not enabled.",
		  ATTACH_LOAD_REFUSED, -1 },
		{ "0\nreturn code: ", ATTACH_LOAD_MISSING, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attach_reply reply = reply_of(cases[i].text);
		int code = 99;
		cr_expect_eq(attach_load_result(&reply, &code), cases[i].result,
			     "%s", cases[i].text);
		cr_expect_eq(code, cases[i].code, "%s", cases[i].text);
	}
}

Test(attach, reply_line)
{
	static const char *const cases[][2] = {
		{ "0\nDumping heap to /x ...\nUnable to create /x: File "
		  "exists\n",
		  "Unable to create /x: File exists" },
		{ "-1\njava.lang.IllegalArgumentException: Unknown "
		  "diagnostic command\n\tat x\n",
		  "Unknown diagnostic command" },
		{ "0\none\n\n \r\n", "one" },
		{ "0\n", "" },
		{ "0\n\n\n", "" },
		{ "-1\nException: ", "" },
	};
	char out[64];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct attach_reply reply = reply_of(cases[i][0]);
		attach_reply_line(&reply, out, sizeof out);
		cr_expect_str_eq(out, cases[i][1]);
		attach_reply_line(&reply, out, 4);
		cr_expect_eq(strncmp(out, cases[i][1], 3), 0);
		cr_expect_leq(strlen(out), (size_t)3);
	}
}

/* ---- status ------------------------------------------------------------- */

static const char a_status[] =
	"Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\n"
	"Pid:\t4711\nUid:\t1000\t1001\t1002\t1003\n"
	"Gid:\t2000\t2001\t2002\t2003\nGroups:\t27 2001 "
	"\nNStgid:\t4711\t12\t1\n"
	"SigBlk:\t0000000000000000\nSigIgn:\t0000000000001000\n"
	"SigCgt:\t0000000000000004\n";

Test(attach, status)
{
	struct jvm_process p = { 0 };

	cr_assert(jvm_parse_status(a_status, &p));
	cr_assert_eq(p.state, 'S');
	cr_assert(p.ids.uid == 1001 && p.ids.gid == 2001);
	cr_assert(p.ids.group_count == 2 && p.ids.groups[0] == 27 &&
		  p.ids.groups[1] == 2001);
	cr_assert(p.leader == 4711 && p.inner_pid == 1);
	cr_assert(p.catches_quit && p.survives_pipe);
}

/* No more groups than there is room for. */
Test(attach, status_with_many_groups)
{
	struct jvm_process p = { 0 };
	char text[8192] = "State:\tR\nSigCgt:\t4\nGroups:\t";
	size_t used = strlen(text);

	for (unsigned i = 0; i < 1000; i++)
		used += (size_t)sprintf(text + used, "%u ", 10 + i);
	cr_assert(jvm_parse_status(text, &p));
	cr_assert_eq(p.ids.group_count, TARGET_GROUPS_MOST);
	cr_assert_eq(p.ids.groups[TARGET_GROUPS_MOST - 1],
		     10 + TARGET_GROUPS_MOST - 1);
	cr_assert(jvm_parse_status("State:\tR\nSigCgt:\t4\nGroups:\t \n", &p));
	cr_assert_eq(p.ids.group_count, 0);
}

/* A process that either signal would end. */
Test(attach, status_without_handlers)
{
	struct jvm_process p = { 0 };

	cr_assert(jvm_parse_status("Name:\tSigCgt: 4\nState:\tT (stopped)\n"
				   "Tgid:\t5\nSigIgn:\t0000000000000004\n"
				   "SigCgt:\tffffffffffffeffb\n",
				   &p));
	cr_assert(p.state == 'T' && p.inner_pid == 5 && p.leader == 5);
	cr_assert(!p.catches_quit && !p.survives_pipe);
	/* Anything else is not a reply. */
	cr_assert(!jvm_parse_status("", &p));
	cr_assert(!jvm_parse_status("State:", &p));
	cr_assert(!jvm_parse_status("State:\tR\n", &p));
}

/* Cut anywhere, it gives a status or none, and nothing else. */
Test(attach, status_cut)
{
	for (size_t size = 0; size < sizeof a_status; size++) {
		char *text = malloc(size + 1);
		struct jvm_process p = { 0 };
		memcpy(text, a_status, size);
		text[size] = '\0';
		bool good = jvm_parse_status(text, &p);
		cr_expect_eq(good, strstr(text, "SigCgt:") != NULL);
		free(text);
	}
}

/* ---- maps --------------------------------------------------------------- */

static struct jvm_process mapped(const char *const *paths, size_t count)
{
	struct jvm_process p = { 0 };
	char line[512];

	for (size_t i = 0; i < count; i++) {
		snprintf(line, sizeof line,
			 "7f0000000000-7f0000001000 r-xp 00000000 fe:01 99 "
			 "                  %s",
			 paths[i]);
		jvm_parse_map(line, &p);
	}
	return p;
}

#define MAPPED(...)                                                            \
	mapped((const char *const[]){ __VA_ARGS__ },                           \
	       sizeof((const char *const[]){ __VA_ARGS__ }) /                  \
		       sizeof(char *))

Test(attach, maps)
{
	struct jvm_process p =
		MAPPED("/usr/bin/java", "/a b/lib/server/libjvm.so",
		       "/lib/x86_64-linux-gnu/libc.so.6", "[heap]",
		       "/tmp/hsperfdata_joe/4711");

	cr_assert_eq(p.kind, JVM_HOTSPOT);
	cr_assert_eq(p.libc, JVM_LIBC_GLIBC);
	cr_assert_str_eq(p.perf_path, "/tmp/hsperfdata_joe/4711");
	cr_assert_eq(MAPPED("/x/libjvm.so (deleted)").kind, JVM_HOTSPOT);
	cr_assert_eq(MAPPED("/x/libc-2.31.so").libc, JVM_LIBC_GLIBC);
}

Test(attach, maps_of_others)
{
	struct jvm_process p = MAPPED("/x/libjvm.so", "/x/libj9vm29.so");

	cr_assert_eq(p.kind, JVM_OPENJ9);
	cr_assert_eq(MAPPED("/x/libj9vm29.so", "/x/libjvm.so").kind,
		     JVM_OPENJ9);
	p = MAPPED("/lib/ld-musl-x86_64.so.1", "/x/libjvm.so");
	cr_assert(p.kind == JVM_HOTSPOT && p.libc == JVM_LIBC_MUSL);
	p = MAPPED("/usr/bin/bash", "/x/libjvm.so.d/y", "[stack]", "");
	cr_assert(p.kind == JVM_NONE && p.libc == JVM_LIBC_UNKNOWN);
	/* Linked into its launcher. */
	p = MAPPED("/opt/server", "/tmp/hsperfdata_x/1");
	cr_assert_eq(p.kind, JVM_HOTSPOT);
	cr_assert(MAPPED("/jdk8/jre/lib/amd64/server/libjvm.so").old_layout);
	cr_assert(MAPPED("/lib/arm/minimal/libjvm.so").old_layout);
	cr_assert(!MAPPED("/x/jdk-11/lib/server/libjvm.so").old_layout);
	cr_assert(!MAPPED("/lib/server/libjvm.so", "server/libjvm.so")
			   .old_layout);
	p = MAPPED("/tmp/hsperfdata_x/1 (deleted)", "/tmp/hsperfdata_x/",
		   "/tmp/hsperfdata_x/y/2", "/hsperfdata_");
	cr_assert(p.kind == JVM_NONE && p.perf_path[0] == '\0');
	jvm_parse_map("", &p);
	jvm_parse_map("7f00-7f01 r--p", &p);
	cr_assert_eq(p.kind, JVM_NONE);
}

/* ---- processes that end -------------------------------------------------- */

/* A child that ends is known as soon as its descriptors are closed. */
Test(attach, ends)
{
	cr_assert(!jvm_process_is_ending(getpid()));
	for (int i = 0; i < 200; i++) {
		int ends[2];
		char byte;
		pid_t child;

		cr_assert_eq(pipe(ends), 0);
		child = fork();
		if (child == 0)
			_exit(0);
		close(ends[1]);
		cr_assert_eq(read(ends[0], &byte, 1), 0);
		cr_assert(jvm_process_is_ending(child), "round %d", i);
		close(ends[0]);
		cr_assert_eq(waitpid(child, NULL, 0), child);
		cr_assert(jvm_process_is_ending(child));
	}
}

/* ---- command lines ------------------------------------------------------ */

#define COMMAND(bytes) command_of(bytes, sizeof(bytes))

static const char *command_of(const char *bytes, size_t size)
{
	static char out[32];

	jvm_options_program(bytes, size, out, sizeof out);
	return out;
}

Test(attach, commands)
{
	cr_assert_str_eq(COMMAND("java\0-cp\0a.jar\0-Xmx1g\0my.Main\0-jar\0b"),
			 "my.Main");
	cr_assert_str_eq(COMMAND("/x/java\0-jar\0/opt/my app.jar\0-x"),
			 "/opt/my app.jar");
	cr_assert_str_eq(COMMAND("java\0-p\0mods\0-m\0mod/my.Main"),
			 "mod/my.Main");
	cr_assert_str_eq(COMMAND("java\0@args\0Main"), "Main");
	cr_assert_str_eq(COMMAND("java"), "");
	cr_assert_str_eq(COMMAND("java\0-version"), "");
	cr_assert_str_eq(COMMAND("java\0-cp"), "");
	cr_assert_str_eq(COMMAND("java\0a.very.long.name.of.a.package.Main"),
			 "a.very.long.name.of.a.package.M");
	cr_assert_str_eq(command_of("java", 4), "");
	cr_assert_str_eq(command_of("", 0), "");
}

Test(attach, versions)
{
	cr_assert_eq(jvm_parse_version("1.8"), 8);
	cr_assert_eq(jvm_parse_version("17"), 17);
	cr_assert_eq(jvm_parse_version("25.0.1"), 25);
	cr_assert_eq(jvm_parse_version(""), 0);
	cr_assert_eq(jvm_parse_version("x"), 0);
	cr_assert_eq(jvm_parse_version("99999999999999999999999"), 0);
}
