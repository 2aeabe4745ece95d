/* SPDX-License-Identifier: MIT */
/*
 * test_guard.c - whether a JVM may be forked, from texts as /proc and control
 * groups have them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent/fork/guard.h"

#define MIB ((uint64_t)1 << 20)

/* ---- mappings ------------------------------------------------------------ */

static const char g1[] =
	"f3800000-100000000 rw-p 00000000 00:00 0 \n"
	"7f0000000000-7f0000001000 r-xp 00000000 fe:01 42      /jdk/libjvm.so\n"
	"7f0000100000-7f0000108000 rw-s 00000000 fe:01 43      "
	"/tmp/hsperfdata_a user/17\n"
	"7f0000200000-7f0000208000 r--s 00000000 fe:01 44      "
	"/tmp/hsperfdata_b/18\n";
static const char z[] =
	"40000000000-40008000000 rw-s 00000000 00:01 5     /memfd:java_heap "
	"(deleted)\n";

static enum ag_refusal judge(const char *text, uint64_t address)
{
	struct ag_maps maps;

	ag_maps_read(text, address, &maps);
	return ag_maps_judge(&maps);
}

Test(guard, a_private_heap)
{
	struct ag_maps maps;

	ag_maps_read(g1, 0xf3800000, &maps);
	cr_assert(maps.found);
	cr_assert_not(maps.is_shared);
	cr_assert_not(maps.is_file);
	cr_assert_eq(maps.counters, 0x7f0000100000);
	cr_assert_eq(maps.counters_end, 0x7f0000108000);
	cr_assert_eq(ag_maps_judge(&maps), AG_MAY_FORK);
	cr_assert_eq(judge(g1, 0xffffffff), AG_MAY_FORK);
	cr_assert_eq(judge(g1, 0x100000000), AG_UNKNOWN_HEAP);
	cr_assert_eq(judge(g1, 0xf37fffff), AG_UNKNOWN_HEAP);
	cr_assert_eq(judge("", 0xf3800000), AG_UNKNOWN_HEAP);
	cr_assert_eq(judge("rubbish\n\n0-\n", 0), AG_UNKNOWN_HEAP);
}

/* Addresses of generational ZGC have colours and are in no mapping. */
Test(guard, a_shared_heap)
{
	cr_assert_eq(judge(z, 0x40000001000), AG_SHARED_HEAP);
	cr_assert_eq(judge(z, 0x1234), AG_SHARED_HEAP);
	cr_assert_eq(judge("80000000-90000000 rw-s 00000000 00:01 5 /dev/zero",
			   0x80000000),
		     AG_SHARED_HEAP);
}

/* G1 may move a thread into a region that an archive of classes was mapped into. */
Test(guard, a_heap_with_an_archive)
{
	static const char text[] =
		"fa000000-ffe00000 rw-p 00000000 00:00 0 \n"
		"ffe00000-fff18000 rw-p 00ee2000 fe:00 5677772     "
		"/usr/lib/jvm/server/classes.jsa\n"
		"fff18000-100000000 rw-p 00000000 00:00 0 \n";
	static const char shared[] =
		"fa000000-ffe00000 rw-p 00000000 00:00 0 \n"
		"ffe00000-fff18000 rw-s 00ee2000 fe:00 5677772 /heap\n";
	static const char huge[] = "fa000000-ffe00000 rw-p 00000000 00:00 0 \n"
				   "ffe00000-100000000 rw-p 00000000 00:0e 9 "
				   "/anon_hugepage (deleted)\n";

	cr_assert_eq(judge(text, 0xffe00010), AG_MAY_FORK);
	cr_assert_eq(judge(strchr(text, '\n') + 1, 0xffe00010), AG_HUGE_PAGES);
	cr_assert_eq(judge(shared, 0xffe00010), AG_SHARED_HEAP);
	cr_assert_eq(judge(huge, 0xffe00010), AG_HUGE_PAGES);
}

Test(guard, a_heap_of_huge_pages_or_a_file)
{
	cr_assert_eq(judge("80000000-90000000 rw-p 00000000 00:0e 9     "
			   "/anon_hugepage (deleted)\n",
			   0x88000000),
		     AG_HUGE_PAGES);
	cr_assert_eq(judge("80000000-90000000 rw-p 00000000 00:0e 9 /mnt/heap",
			   0x88000000),
		     AG_HUGE_PAGES);
	cr_assert_eq(judge("80000000-90000000 rw-p 00000000 00:00 0 "
			   "[anon:java heap]\n",
			   0x88000000),
		     AG_MAY_FORK);
}

Test(guard, chained_signals)
{
	char text[sizeof g1 + 100];

	strcpy(text, g1);
	strcat(text, "7f00a0000000-7f00a0001000 r-xp 00000000 fe:01 42 "
		     "/jdk/lib/libjsig.so\n");
	cr_assert_eq(judge(text, 0xf3800000), AG_CHAINED_SIGNALS);
}

/* ---- memory -------------------------------------------------------------- */

static const char meminfo[] = "MemTotal:        4096000 kB\n"
			      "MemFree:          100000 kB\n"
			      "MemAvailable:    2048000 kB\n"
			      "CommitLimit:     3000000 kB\n"
			      "Committed_AS:    2000000 kB\n";

Test(guard, lines)
{
	cr_assert_eq(ag_memory_line(meminfo, "MemFree:", 7),
		     (uint64_t)100000 * 1024);
	cr_assert_eq(ag_memory_line(meminfo, "Free:", 7), 7);
	cr_assert_eq(ag_memory_line("", "MemFree:", 7), 7);
	cr_assert_eq(ag_memory_line(NULL, "MemFree:", 7), 7);
	cr_assert_eq(ag_memory_line("inactive_file 4096", "inactive_file ", 0),
		     4096);
}

Test(guard, room_in_the_system)
{
	const uint64_t available = (uint64_t)2048000 * 1024;

	cr_assert_eq(ag_system_room(meminfo, "0\n"), available);
	cr_assert_eq(ag_system_room(meminfo, "1\n"), available);
	cr_assert_eq(ag_system_room(meminfo, NULL), available);
	cr_assert_eq(ag_system_room(meminfo, "2\n"), (uint64_t)1000000 * 1024);
	cr_assert_eq(ag_system_room("CommitLimit: 5 kB\nCommitted_AS: 6 kB\n",
				    "2\n"),
		     0);
	cr_assert_eq(ag_system_room(NULL, NULL), AG_UNLIMITED);
}

Test(guard, room_in_a_group)
{
	const char *stat =
		"anon 1048576\ninactive_file 2097152\nactive_file 5\n";

	cr_assert_eq(ag_group_room("max\n", "5\n", stat), AG_UNLIMITED);
	cr_assert_eq(ag_group_room(NULL, "5\n", stat), AG_UNLIMITED);
	cr_assert_eq(ag_group_room("10485760\n", NULL, stat), AG_UNLIMITED);
	cr_assert_eq(ag_group_room("10485760\n", "5242880\n", stat), 7 * MIB);
	cr_assert_eq(ag_group_room("10485760\n", "5242880\n", NULL), 5 * MIB);
	cr_assert_eq(ag_group_room("10485760\n", "1048576\n", stat), 10 * MIB);
	cr_assert_eq(ag_group_room("1048576\n", "5242880\n", NULL), 0);
	/* Version 1 has both, of which the total is the right one. */
	cr_assert_eq(ag_group_room("10485760\n", "5242880\n",
				   "inactive_file 0\n"
				   "total_inactive_file 1048576\n"),
		     6 * MIB);
}

static void has_path(const char *text, const char *wanted, bool is_old)
{
	size_t size = 0;
	bool old = !is_old;
	const char *path = ag_group_path(text, &size, &old);

	cr_assert_not_null(path, "%s", text);
	cr_assert_eq(size, strlen(wanted), "%s", text);
	cr_assert_eq(memcmp(path, wanted, size), 0, "%s", text);
	cr_assert_eq(old, is_old, "%s", text);
}

Test(guard, paths_of_groups)
{
	size_t size;
	bool old;

	has_path("0::/\n", "/", false);
	has_path("0::/user.slice/a:b\n", "/user.slice/a:b", false);
	has_path("12:cpu,cpuacct:/x\n4:memory:/docker/1\n0::/y\n", "/docker/1",
		 true);
	has_path("0::/y\n4:cpuset,memory:/docker/1", "/docker/1", true);
	has_path("4:memory2:/a\n3:name=memory:/b\n0::/y\n", "/y", false);
	cr_assert_null(ag_group_path("", &size, &old));
	cr_assert_null(ag_group_path("rubbish\n1:cpu\n", &size, &old));
	cr_assert_null(ag_group_path(NULL, &size, &old));
}

Test(guard, what_is_needed)
{
	cr_assert_eq(ag_memory_needed(0), 64 * MIB);
	cr_assert_eq(ag_memory_needed(1000 * MIB), 1564 * MIB);
}

Test(guard, each_refusal_has_a_text)
{
	for (int r = AG_UNKNOWN_JVM; r <= AG_CANNOT_FORK; r++)
		cr_assert_gt(strlen(ag_refusal_text((enum ag_refusal)r)), 10);
	cr_assert_str_empty(ag_refusal_text(AG_MAY_FORK));
}
