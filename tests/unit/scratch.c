/* SPDX-License-Identifier: MIT */
/*
 * scratch.c - the directory in which all unit tests run. It is made below
 * $TMPDIR before the first test and removed after the last one, whatever came
 * of them. Tests are processes of their own, which inherit it as their current
 * directory; so they create files by relative names and may leave them behind.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch[PATH_MAX];
static char before[PATH_MAX];

static void die(const char *what)
{
	perror(what);
	exit(99);
}

/* fixture.c looks there for the recipes. */
static void make_top_srcdir_absolute(void)
{
	const char *top = getenv("top_srcdir");
	char path[PATH_MAX];

	if (!realpath(top ? top : ".", path) ||
	    setenv("top_srcdir", path, 1) != 0)
		die("top_srcdir");
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
	const char *tmp = getenv("TMPDIR");

	(void)tests;
	make_top_srcdir_absolute();
	snprintf(scratch, sizeof scratch, "%s/hprof-unit-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!getcwd(before, sizeof before) || !mkdtemp(scratch) ||
	    chdir(scratch) != 0)
		die(scratch);
}

static int remove_entry(const char *path, const struct stat *info, int type,
			struct FTW *place)
{
	(void)info;
	(void)type;
	(void)place;
	return remove(path);
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
	enum { DESCRIPTORS = 16 };

	(void)stats;
	/* A relative --tap=FILE is opened after this. */
	if (chdir(before) != 0)
		die(before);
	if (nftw(scratch, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) != 0)
		die(scratch);
}
