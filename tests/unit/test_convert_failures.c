/* SPDX-License-Identifier: MIT */
/*
 * test_convert_failures.c - conversions without memory, room or a reader: each
 * fails cleanly, whenever it happens, and leaves nothing behind.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <hprof/convert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "maker.h"
#include "../inputs.h"
#include "base/mem.h"

static const char *const keep[] = { "java.lang.*", "*#name" };

/* The conversion of "in"; the map of names is "map". */
static const struct conversion {
	const char *what, *fixture;
	struct hprof_convert_options options;
} conversions[] = {
	{ "copy", "shop_id8", { 0 } },
	{ "damaged", "cut_array", { 0 } },
	{ "width", "shop_id8", { .id_size = 4 } },
	{ "1.0.1", "android", { .format = HPROF_FORMAT_101 } },
	{ "1.0.2",
	  "android",
	  { .format = HPROF_FORMAT_102, .no_zygote = true } },
	{ "repair", "class_not_dumped", { .repair = true } },
	{ "repair twice", "object_twice", { .repair = true } },
	{ "live", "shop_id8", { .live = true } },
	{ "redact",
	  "standard_id8",
	  { .redact = HPROF_REDACT_STRINGS | HPROF_REDACT_PRIMITIVES } },
	{ "level 1", "standard_id8", { .omit = HPROF_OMIT_PRIMITIVES } },
	{ "level 0", "shop_id8", { .omit = HPROF_OMIT_CONTENTS } },
	{ "keep",
	  "shop_id8",
	  { .redact = HPROF_REDACT_STRINGS | HPROF_REDACT_PRIMITIVES,
	    .keep = keep,
	    .keep_count = 2 } },
	{ "obfuscate", "stat-shop", { .obfuscate = "map" } },
	{ "deobfuscate", "stat-shop", { .deobfuscate = "names" } },
	{ "all",
	  "shop_id8",
	  { .id_size = 4,
	    .format = HPROF_FORMAT_101,
	    .repair = true,
	    .redact = HPROF_REDACT_STRINGS,
	    .obfuscate = "map" } },
};
enum { CONVERSIONS = sizeof conversions / sizeof *conversions };

static void make_input(const struct conversion *c)
{
	struct hprof_convert_options names = { .size = sizeof names,
					       .obfuscate = "names" };
	struct fixture f = fixture_load(c->fixture);

	unlink("in");
	unlink("names");
	maker_file("in", f.bytes, f.size);
	fixture_free(&f);
	cr_assert_eq(hprof_convert(INPUT_PATH("in"), "out", -1, NULL, &names,
				   NULL, NULL),
		     HPROF_OK);
	unlink("out");
}

static enum hprof_status convert(const struct conversion *c,
				 struct hprof_error *error)
{
	struct hprof_convert_options o = c->options;

	o.size = sizeof o;
	return hprof_convert(INPUT_PATH("in"), "out", -1, NULL, &o, NULL,
			     error);
}

static bool nothing_left(void)
{
	return !exists("out") && !exists("out.part") && !exists("map") &&
	       !exists("map.part");
}

/* ---- memory ---------------------------------------------------------------- */

/* The result, and the map of names behind it. */
static struct buffer take_result(void)
{
	struct buffer out = read_file("out");

	cr_assert(!exists("out.part") && !exists("map.part"));
	if (exists("map")) {
		struct buffer map = read_file("map");
		cr_assert_eq(buffer_add(&out, map.bytes, map.size), 0);
		buffer_free(&map);
	}
	unlink("out");
	unlink("map");
	return out;
}

/* Each allocation fails in turn, until there are no more of them. */
static void without_memory(const struct conversion *c)
{
	enum { ENOUGH = 40 /* in a row */, MANY = 100000 };
	struct hprof_error error = { 0 };
	struct buffer whole, again;
	unsigned failures = 0, successes = 0;

	make_input(c);
	cr_assert_eq(convert(c, &error), HPROF_OK, "%s: %s", c->what,
		     error.text);
	whole = take_result();
	for (int64_t n = 0; successes < ENOUGH; n++) {
		enum hprof_status status;
		cr_assert(n < MANY, "%s", c->what);
		hp_mem_fail_after(n);
		status = convert(c, &error);
		hp_mem_fail_after(-1);
		if (status == HPROF_OK) {
			successes++;
			again = take_result();
			cr_assert(same(&whole, &again), "%s, %d: another dump",
				  c->what, (int)n);
			buffer_free(&again);
			continue;
		}
		failures++;
		successes = 0;
		cr_assert_eq(status, HPROF_E_NOMEM, "%s, %d: %d %s", c->what,
			     (int)n, status, error.text);
		cr_assert_eq(error.status, HPROF_E_NOMEM, "%s", c->what);
		cr_assert(nothing_left(), "%s, %d: a file", c->what, (int)n);
	}
	cr_assert_gt(failures, 2, "%s", c->what);
	buffer_free(&whole);
}

Test(convert_failures, no_memory)
{
	enter_directory();
	for (size_t i = 0; i < CONVERSIONS; i++)
		without_memory(&conversions[i]);
	cr_assert(!memory_was_lost());
}

/* ---- room ------------------------------------------------------------------ */

/* The disk has room for SIZE bytes of a file. */
static void limit_room(rlim_t size)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(convert_failures, no_room)
{
	struct hprof_error error;

	enter_directory();
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < CONVERSIONS; i++) {
		const struct conversion *c = &conversions[i];
		struct buffer whole;
		limit_room(RLIM_INFINITY);
		make_input(c);
		cr_assert_eq(convert(c, &error), HPROF_OK);
		whole = take_result();
		for (size_t room = 0; room < 400; room += 57) {
			limit_room(room);
			cr_assert_eq(convert(c, &error), HPROF_E_SYS,
				     "%s: %zu bytes", c->what, room);
			cr_assert_eq(error.sys_errno, EFBIG, "%s", c->what);
			cr_assert(nothing_left(), "%s", c->what);
		}
		limit_room(whole.size - 1);
		if (convert(c, &error) != HPROF_OK)
			cr_assert(nothing_left(), "%s", c->what);
		else
			cr_assert(c->options.obfuscate != NULL, "%s", c->what);
		unlink("out");
		unlink("map");
		buffer_free(&whole);
	}
	cr_assert(!memory_was_lost());
}

/* ---- who reads -------------------------------------------------------------- */

static enum hprof_status convert_to(int fd, const struct conversion *c,
				    struct hprof_error *error)
{
	struct hprof_convert_options o = c->options;

	o.size = sizeof o;
	return hprof_convert(INPUT_PATH("in"), NULL, fd, NULL, &o, NULL, error);
}

Test(convert_failures, nobody_reads)
{
	struct hprof_error error;
	int ends[2], full = open("/dev/full", O_WRONLY);

	enter_directory();
	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	for (size_t i = 0; i < CONVERSIONS; i++) {
		const struct conversion *c = &conversions[i];
		make_input(c);
		cr_assert_eq(convert_to(ends[1], c, &error), HPROF_E_SYS, "%s",
			     c->what);
		cr_assert_eq(error.sys_errno, EPIPE, "%s", c->what);
		cr_assert(nothing_left(), "%s", c->what);
		if (full < 0)
			continue;
		cr_assert_eq(convert_to(full, c, &error), HPROF_E_SYS, "%s",
			     c->what);
		cr_assert_eq(error.sys_errno, ENOSPC, "%s", c->what);
		cr_assert(nothing_left(), "%s", c->what);
	}
	close(ends[1]);
	/* A descriptor that is closed. */
	make_input(&conversions[0]);
	cr_assert_eq(convert_to(ends[1], &conversions[0], &error), HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, EBADF);
	cr_assert(!memory_was_lost());
}
