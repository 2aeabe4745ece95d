/* SPDX-License-Identifier: MIT */
/*
 * test_agent_output.c - where the agent's dumps go: names, numbers, what is
 * never overwritten.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/common/output.h"
#include "agent/common/stage.h"
#include "base/mem.h"
#include "io/sink.h"

/* Makes a new directory for this test and enters it. */
static void enter_directory(void)
{
	static char name[] = "output-XXXXXX";

	cr_assert_not_null(mkdtemp(name));
	cr_assert_eq(chdir(name), 0);
	umask(0);
}

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

static long size_of(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static unsigned mode_of(const char *path)
{
	struct stat info;

	cr_assert_eq(stat(path, &info), 0);
	return info.st_mode & 0777;
}

static void touch(const char *path)
{
	FILE *file = fopen(path, "w");

	cr_assert_not_null(file);
	cr_assert_eq(fputs("precious", file) < 0, 0);
	cr_assert_eq(fclose(file), 0);
}

static void put_header(struct hprof_writer *writer)
{
	const struct hprof_header header = { "JAVA PROFILE 1.0.2", 8, 0 };

	cr_assert_eq(hprof_writer_header(writer, &header), HPROF_OK);
}

/* Takes a dump to FILE; it must be at PATH afterwards. */
static void take(const char *file, bool force, unsigned number,
		 const char *path)
{
	struct ag_output out;
	struct hprof_error error = { 0 };

	cr_assert_eq(ag_output_open(file, force, number, &out, &error),
		     HPROF_OK, "%s", error.text);
	cr_assert_str_eq(out.path, path);
	put_header(out.writer);
	cr_assert_eq(hprof_writer_finish(out.writer), HPROF_OK);
	ag_output_close(&out);
	cr_assert_null(out.path);
	cr_assert_eq(size_of(path), 31);
}

/* Must fail for PATH with ERRNO. */
static void refuse(const char *file, bool force, int number, const char *path)
{
	struct ag_output out;
	struct hprof_error error = { 0 };

	cr_assert_eq(ag_output_open(file, force, 0, &out, &error), HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, number, "%s", error.text);
	cr_assert_str_eq(out.path, path);
	cr_assert_null(out.writer);
	ag_output_close(&out);
}

Test(agent_output, default_name)
{
	char wanted[80];

	enter_directory();
	snprintf(wanted, sizeof wanted, "java_pid%ld.hprof", (long)getpid());
	take(NULL, false, 0, wanted);
	cr_assert_eq(mode_of(wanted), 0600);
	cr_assert_eq(mkdir("dumps", 0777), 0);
	snprintf(wanted, sizeof wanted, "dumps/java_pid%ld.hprof",
		 (long)getpid());
	take("dumps", false, 0, wanted);
}

Test(agent_output, process_number_in_the_name)
{
	char wanted[80];

	enter_directory();
	snprintf(wanted, sizeof wanted, "a%ld-%ld%%p%%x%%", (long)getpid(),
		 (long)getpid());
	take("a%p-%p%%p%x%", false, 0, wanted);
}

Test(agent_output, numbers)
{
	enter_directory();
	take("x", false, 0, "x");
	take("x", false, 1, "x.1");
	take("x", false, 2, "x.2");
	cr_assert_eq(mode_of("x.2"), 0600);
	/* Another agent, or the next run, takes the first free name. */
	take("x", false, 0, "x.3");
	take("x", false, 2, "x.4");
	cr_assert_eq(unlink("x.1"), 0);
	take("x", false, 0, "x.1");
}

Test(agent_output, nothing_is_overwritten)
{
	enter_directory();
	touch("x");
	cr_assert_eq(symlink("nowhere", "x.1"), 0);
	cr_assert_eq(mkfifo("x.2", 0600), 0);
	cr_assert_eq(mkdir("x.3", 0700), 0);
	take("x", false, 0, "x.4");
	cr_assert_eq(size_of("x"), 8);
	cr_assert_not(exists("nowhere"));
}

/* In a directory that all may write to, others may create part files. */
Test(agent_output, parts_that_are_none)
{
	enter_directory();
	cr_assert_eq(symlink("nowhere", "x.part"), 0);
	cr_assert_eq(mkdir("x.1.part", 0700), 0);
	cr_assert_eq(mkfifo("x.2.part", 0600), 0);
	take("x", false, 0, "x.3");
	refuse("x", true, ELOOP, "x");
	cr_assert(exists("x.part"));
	cr_assert_not(exists("nowhere"));
}

/* The file is created while the dump is being written. */
Test(agent_output, nothing_is_overwritten_at_the_end_either)
{
	struct ag_output out;

	enter_directory();
	cr_assert_eq(ag_output_open("x", false, 0, &out, NULL), HPROF_OK);
	put_header(out.writer);
	touch("x");
	cr_assert_eq(hprof_writer_finish(out.writer), HPROF_E_SYS);
	ag_output_close(&out);
	cr_assert_eq(size_of("x"), 8);
	cr_assert_not(exists("x.part"));
}

Test(agent_output, force_replaces)
{
	enter_directory();
	touch("x");
	touch("x.1");
	take("x", true, 0, "x");
	take("x", true, 1, "x.1");
	take("x", true, 0, "x");
	cr_assert_not(exists("x.2"));
}

/* A pipe or device takes each dump; it cannot be numbered. */
Test(agent_output, force_writes_to_a_device)
{
	struct ag_output out;

	enter_directory();
	cr_assert_eq(ag_output_open("/dev/null", true, 3, &out, NULL),
		     HPROF_OK);
	cr_assert_str_eq(out.path, "/dev/null");
	put_header(out.writer);
	cr_assert_eq(hprof_writer_finish(out.writer), HPROF_OK);
	ag_output_close(&out);
}

/* Without force= it is refused: no file comes to lie beside it. */
Test(agent_output, devices_are_not_numbered)
{
	struct hprof_error error = { 0 };
	struct ag_output out;

	cr_assert_eq(ag_output_open("/dev/null", false, 0, &out, &error),
		     HPROF_E_SYS);
	cr_assert_str_eq(out.path, "/dev/null");
	cr_assert_not_null(strstr(error.text, "force=y"));
	ag_output_close(&out);
	cr_assert_not(exists("/dev/null.1"));
}

Test(agent_output, part_is_private_and_goes_away)
{
	struct ag_output out;

	enter_directory();
	cr_assert_eq(ag_output_open("x", false, 0, &out, NULL), HPROF_OK);
	cr_assert_eq(mode_of("x.part"), 0600);
	cr_assert_not(exists("x"));
	put_header(out.writer);
	ag_output_close(&out);
	cr_assert_not(exists("x.part"));
	cr_assert_not(exists("x"));
}

/* Another agent writes it. With force there is only this one name. */
Test(agent_output, part_of_another)
{
	struct ag_output out;

	enter_directory();
	cr_assert_eq(ag_output_open("x", false, 0, &out, NULL), HPROF_OK);
	take("x", false, 0, "x.1");
	refuse("x", true, EWOULDBLOCK, "x");
	ag_output_close(&out);
}

/* Claims FILE, and what another wrote into the directory d is its dump. */
static void fill(const char *file, bool force, const char *path)
{
	struct hprof_error error = { 0 };
	struct ag_output out;
	int directory;

	cr_assert_eq(ag_output_claim(file, force, 0, &out, &error), HPROF_OK);
	cr_assert_str_eq(out.path, path);
	cr_assert_eq(mkdir("d", 0700), 0);
	touch("d/heap");
	directory = open("d", O_RDONLY | O_DIRECTORY);
	cr_assert_geq(directory, 0);
	cr_assert_eq(hp_sink_path_adopt(out.claim, directory, "heap"),
		     HPROF_OK);
	/* It is locked, like a part file that is being written. */
	refuse(path, true, EWOULDBLOCK, path);
	cr_assert_eq(out.claim->ops->finish(out.claim), HPROF_OK);
	ag_output_close(&out);
	close(directory);
	cr_assert_eq(rmdir("d"), 0);
	cr_assert_eq(size_of(path), 8);
}

Test(agent_output, a_claim_gets_a_file)
{
	enter_directory();
	fill("x", false, "x");
	cr_assert_eq(mode_of("x"), 0600);
	fill("x", false, "x.1");
	cr_assert_eq(chmod("x", 0640), 0);
	cr_assert_eq(symlink("x", "link"), 0);
	fill("link", true, "link");
	cr_assert_eq(mode_of("x"), 0640);
	cr_assert_not(exists("x.part"));
}

Test(agent_output, a_claim_without_a_file)
{
	struct ag_output out;

	enter_directory();
	cr_assert_eq(ag_output_claim("x", false, 0, &out, NULL), HPROF_OK);
	cr_assert_str_eq(hp_sink_path_part(out.claim), "x.part");
	cr_assert_eq(hp_sink_path_adopt(out.claim, AT_FDCWD, "none"),
		     HPROF_E_SYS);
	cr_assert_eq(symlink("x.part", "link"), 0);
	cr_assert_eq(hp_sink_path_adopt(out.claim, AT_FDCWD, "link"),
		     HPROF_E_SYS);
	cr_assert_eq(out.claim->error.sys_errno, ELOOP);
	ag_output_close(&out);
	cr_assert_not(exists("x"));
	cr_assert_not(exists("x.part"));
}

Test(agent_output, what_is_a_file)
{
	enter_directory();
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	touch("x");
	cr_assert(ag_output_is_file(NULL));
	cr_assert(ag_output_is_file("none"));
	cr_assert(ag_output_is_file("."));
	cr_assert(ag_output_is_file("x"));
	cr_assert_not(ag_output_is_file("pipe"));
	cr_assert_not(ag_output_is_file("/dev/null"));
}

/* ---- the directory beside it ----------------------------------------------- */

Test(agent_output, a_stage_is_new_and_goes_away)
{
	int fd;

	enter_directory();
	fd = ag_stage_open("x.part");
	cr_assert_geq(fd, 0);
	cr_assert_eq(mode_of("x.part.d"), 0700);
	cr_assert_eq(ag_stage_open("x.part"), -1);
	close(fd);
	touch("x.part.d/heap");
	touch("x.part.d/heap.p0");
	ag_stage_remove("x.part");
	cr_assert_not(exists("x.part.d"));
	ag_stage_remove("x.part");
}

/* What others have put there stays. */
Test(agent_output, a_stage_that_is_none)
{
	enter_directory();
	cr_assert_eq(mkdir("x.part.d", 0700), 0);
	touch("x.part.d/heaps");
	ag_stage_remove("x.part");
	cr_assert(exists("x.part.d/heaps"));
	cr_assert_eq(mkdir("y.part.d", 0770), 0);
	touch("y.part.d/heap");
	ag_stage_remove("y.part");
	cr_assert(exists("y.part.d/heap"));
	cr_assert_eq(symlink("x.part.d", "z.part.d"), 0);
	cr_assert_eq(ag_stage_open("z.part"), -1);
}

Test(agent_output, what_cannot_be_made)
{
	char name[2 * PATH_MAX];
	struct ag_output out;
	struct hprof_error error = { 0 };

	enter_directory();
	refuse("no/such/directory", false, ENOENT, "no/such/directory");
	touch("file");
	refuse("file/x", false, ENOTDIR, "file/x");
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	cr_assert_eq(ag_output_open(name, false, 0, &out, &error), HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, ENAMETOOLONG);
	cr_assert_null(out.path);
	ag_output_close(&out);
	/* The name alone is not too long, but a numbered one is. */
	name[PATH_MAX - 1] = '\0';
	cr_assert_eq(ag_output_open(name, false, 1, &out, &error), HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, ENAMETOOLONG);
	ag_output_close(&out);
}

Test(agent_output, no_memory)
{
	struct ag_output out;
	struct hprof_error error;
	int64_t n = 0;

	enter_directory();
	for (enum hprof_status status = HPROF_E_NOMEM; status; n++) {
		hp_mem_fail_after(n);
		status = ag_output_open("x", false, 0, &out, &error);
		hp_mem_fail_after(-1);
		cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM);
		ag_output_close(&out);
		cr_assert_not(exists("x.part"));
	}
	cr_assert_gt(n, 3);
}
