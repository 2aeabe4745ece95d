/* SPDX-License-Identifier: MIT */
/*
 * test_writer_sync.c - a file is on the disk before it gets its name. The
 * whole program gets an fsync() that only counts.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* Other suites write in several threads. */
static _Atomic unsigned syncs;
static int sync_fails; /* errno */
static atomic_bool whole_when_synced, named_when_synced;

/* Replaces that of the C library, as a test cannot cut the power. */
int fsync(int fd)
{
	struct stat info;

	syncs++;
	whole_when_synced = fstat(fd, &info) == 0 && info.st_size == 31;
	named_when_synced = exists("a");
	errno = sync_fails;
	return sync_fails ? -1 : 0;
}

static enum hprof_status write_synced(bool no_sync, int fails)
{
	struct hprof_writer_options o = { .size = sizeof o,
					  .no_sync = no_sync };
	struct hprof_writer *w;

	syncs = 0;
	sync_fails = fails;
	unlink("a");
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	enum hprof_status status = hprof_writer_finish(w);
	if (status != HPROF_OK)
		cr_expect_eq(hprof_writer_error(w)->sys_errno, fails);
	hprof_writer_free(w);
	cr_expect(!exists("a.part"));
	cr_expect_eq(exists("a"), status == HPROF_OK);
	return status;
}

/* Everything is on the disk before the file gets its name. */
Test(writer_sync, synced)
{
	enter_directory();
	cr_expect_eq(write_synced(false, 0), HPROF_OK);
	cr_expect(syncs == 1 && whole_when_synced && !named_when_synced);
	cr_expect_eq(write_synced(true, EIO), HPROF_OK);
	cr_expect_eq(syncs, 0u);
	cr_expect_eq(write_synced(false, EIO), HPROF_E_SYS);
	/* Some file systems do not support it. */
	cr_expect_eq(write_synced(false, EINVAL), HPROF_OK);
}

/* Pipes, and files that stay cut short, have nothing to wait for. */
Test(writer_sync, not_synced)
{
	struct hprof_writer_options o = { .size = sizeof o, .keep_part = true };
	struct hprof_writer *w;

	enter_directory();
	cr_assert_eq(write_small("/dev/null", NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	hprof_writer_free(w);
	cr_expect(exists("a.part") && syncs == 0);
}
