/* SPDX-License-Identifier: MIT */
/*
 * test_writer_files.c - files that appear whole or not at all: their parts,
 * modes, links, and what the options say of them.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers ------------------------------------------------------------- */

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "wb");

	cr_assert_not_null(file);
	fputs(text, file);
	fclose(file);
	cr_assert_eq(chmod(path, mode), 0);
}

static bool holds(const char *path, const char *text)
{
	struct buffer bytes = read_file(path);
	bool same = bytes.size == strlen(text) &&
		    memcmp(bytes.bytes, text, bytes.size) == 0;

	buffer_free(&bytes);
	return same;
}

static unsigned mode_of(const char *path)
{
	struct stat info;

	cr_assert_eq(lstat(path, &info), 0, "%s", path);
	return info.st_mode & 07777;
}

static bool is_small_dump(const char *path)
{
	struct buffer bytes = read_file(path);
	bool good = bytes.size == 31 &&
		    memcmp(bytes.bytes, small_header.version, 19) == 0;

	buffer_free(&bytes);
	return good;
}

/* ---- files --------------------------------------------------------------- */

Test(writer_files, appears_when_finished)
{
	struct hprof_writer *w;

	enter_directory();
	cr_assert_eq(hprof_writer_create("a", NULL, &w, NULL), HPROF_OK);
	cr_assert(exists("a.part") && !exists("a"));
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert(!exists("a.part") && is_small_dump("a"));
	cr_assert_eq(mode_of("a"), 0644u);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a"));
}

Test(writer_files, freed_unfinished)
{
	struct hprof_writer *w;

	enter_directory();
	write_file("old", "what was there", 0600);
	for (size_t i = 0; i < FORMS; i++) {
		cr_assert_eq(hprof_writer_create("a", &forms[i], &w, NULL),
			     HPROF_OK);
		cr_assert_eq(put_large_dump(w, 2 << 20), HPROF_OK);
		hprof_writer_free(w);
		cr_assert(!exists("a") && !exists("a.part"));

		/* The file that it would have replaced stays. */
		cr_assert_eq(hprof_writer_create("old", &forms[i], &w, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
		hprof_writer_free(w);
		cr_assert(holds("old", "what was there"));
		cr_assert(!exists("old.part"));
	}
	/* Refused because something is unfinished, then given up. */
	cr_assert_eq(hprof_writer_create("a", NULL, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_E_USAGE);
	hprof_writer_free(w);
	cr_assert(!exists("a") && !exists("a.part"));
}

Test(writer_files, keeps_mode)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0400 };
	struct hprof_writer *w;

	enter_directory();
	for (size_t i = 0; i < 4; i++) {
		write_file("a", "secret", 0600);
		cr_assert_eq(chmod("a", modes[i]), 0);
		cr_assert_eq(hprof_writer_create("a", NULL, &w, NULL),
			     HPROF_OK);
		cr_expect_eq(mode_of("a.part"), modes[i]);
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
		cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
		hprof_writer_free(w);
		cr_expect_eq(mode_of("a"), modes[i]);
		cr_expect(is_small_dump("a"));
		cr_assert_eq(unlink("a"), 0);
	}
	umask(077);
	cr_assert_eq(write_small("b", NULL), HPROF_OK);
	cr_expect_eq(mode_of("b"), 0600u);
}

/* A part left by a killed process is removed, and its mode is not used. */
Test(writer_files, part_left_over)
{
	enter_directory();
	write_file("a.part", "far more than what is going to be written", 0666);
	umask(077);
	cr_assert_eq(write_small("a", NULL), HPROF_OK);
	cr_assert(is_small_dump("a") && !exists("a.part"));
	cr_assert_eq(mode_of("a"), 0600u);
}

/* Another name of the old part keeps its content. */
Test(writer_files, part_linked)
{
	enter_directory();
	write_file("victim", "precious", 0644);
	cr_assert_eq(link("victim", "a.part"), 0);
	cr_assert_eq(write_small("a", NULL), HPROF_OK);
	cr_assert(is_small_dump("a") && holds("victim", "precious"));

	cr_assert_eq(symlink("victim", "b.part"), 0);
	cr_assert_eq(write_small("b", NULL), HPROF_E_SYS);
	cr_assert(!exists("b") && exists("b.part"));
	cr_assert(holds("victim", "precious"));

	cr_assert_eq(mkfifo("c.part", 0600), 0);
	cr_assert_eq(write_small("c", NULL), HPROF_E_SYS);
	cr_assert(!exists("c") && exists("c.part"));
}

Test(writer_files, part_locked)
{
	struct hprof_writer *first, *second;
	struct hprof_error error;

	enter_directory();
	cr_assert_eq(hprof_writer_create("a", NULL, &first, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_create("a", NULL, &second, &error),
		     HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, EWOULDBLOCK);
	cr_assert_not_null(strstr(error.text, "another process"));
	cr_assert(exists("a.part"));
	cr_assert_eq(hprof_writer_header(first, &small_header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(first), HPROF_OK);
	/* There is no part now, whether the first writer is freed or not. */
	cr_assert_eq(hprof_writer_create("a", NULL, &second, &error), HPROF_OK);
	hprof_writer_free(first);
	cr_assert(is_small_dump("a") && exists("a.part"));
	hprof_writer_free(second);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

struct writers {
	unsigned finished, other;
	pthread_mutex_t lock;
};

enum { WRITERS = 4, FILES_EACH = 75 };

/*
 * Until its files are written, however long another holds the part: a fixed
 * number of tries is used up while the holder waits for a core.
 */
static void *write_often(void *arg)
{
	struct writers *writers = arg;

	for (unsigned written = 0; written < FILES_EACH;) {
		struct hprof_error error;
		enum hprof_status status = write_small("a", &error);
		bool refused =
			status != HPROF_OK && error.sys_errno == EWOULDBLOCK;
		if (refused) {
			sched_yield();
			continue;
		}
		written++;
		pthread_mutex_lock(&writers->lock);
		writers->finished += status == HPROF_OK;
		writers->other += status != HPROF_OK;
		pthread_mutex_unlock(&writers->lock);
	}
	return NULL;
}

/* Many at once: each finishes with a complete file or is refused. */
Test(writer_files, race)
{
	struct writers writers = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[WRITERS];

	enter_directory();
	for (unsigned i = 0; i < WRITERS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, write_often,
					    &writers),
			     0);
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(writers.other, 0u);
	cr_assert_eq(writers.finished, (unsigned)WRITERS * FILES_EACH);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

Test(writer_files, refused)
{
	static const struct {
		const char *path;
		int sys_errno;
	} paths[] = { { "directory", EISDIR }, { "directory/", EISDIR },
		      { "none/a", ENOENT },    { "", ENOENT },
		      { "file/a", ENOTDIR },   { "loop", ELOOP } };
	struct hprof_error error;

	enter_directory();
	cr_assert_eq(mkdir("directory", 0755), 0);
	cr_assert_eq(symlink("loop", "loop"), 0);
	write_file("file", "", 0644);
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		cr_expect_eq(write_small(paths[i].path, &error), HPROF_E_SYS,
			     "%s", paths[i].path);
		cr_expect_eq(error.sys_errno, paths[i].sys_errno, "%s: %s",
			     paths[i].path, error.text);
	}
	cr_expect(!exists("directory.part") && !exists(".part"));
}

/* The file at its end is replaced, the link stays. */
Test(writer_files, symbolic_link)
{
	struct stat info;

	enter_directory();
	cr_assert_eq(mkdir("far", 0755), 0);
	write_file("far/file", "old", 0600);
	cr_assert_eq(symlink("far/file", "near"), 0);
	cr_assert_eq(symlink("near", "link"), 0);
	cr_assert_eq(write_small("link", NULL), HPROF_OK);
	cr_assert(lstat("link", &info) == 0 && S_ISLNK(info.st_mode));
	cr_assert(lstat("far/file", &info) == 0 && S_ISREG(info.st_mode));
	cr_assert(is_small_dump("far/file"));
	cr_assert_eq(mode_of("far/file"), 0600u);

	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	cr_assert_eq(write_small("dangling", NULL), HPROF_E_SYS);
	cr_assert(exists("dangling") && !exists("nowhere"));
	cr_assert(!exists("dangling.part") && !exists("nowhere.part"));
}

/* ---- options of files ---------------------------------------------------- */

/* Exactly these bits, from the start; a replaced file still has its own. */
Test(writer_files, mode)
{
	static const unsigned modes[] = { 0600, 0640, 0666, 0400 };

	enter_directory();
	umask(027);
	for (size_t i = 0; i < 4; i++) {
		struct hprof_writer_options o = { .size = sizeof o,
						  .mode = modes[i] };
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
		cr_expect_eq(mode_of("a.part"), modes[i]);
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
		cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
		hprof_writer_free(w);
		cr_expect_eq(mode_of("a"), modes[i]);
		cr_assert_eq(unlink("a"), 0);
	}
	struct hprof_writer_options own = { .size = sizeof own, .mode = 0600 };
	struct hprof_writer *w;
	write_file("old", "", 0644);
	cr_assert_eq(hprof_writer_create("old", &own, &w, NULL), HPROF_OK);
	cr_expect_eq(mode_of("old.part"), 0644u);
	hprof_writer_free(w);

	own.mode = 04755;
	cr_assert_eq(hprof_writer_create("a", &own, &w, NULL), HPROF_E_USAGE);
	cr_assert(!exists("a.part"));
}

/* A program that was built before there were these has a shorter struct. */
Test(writer_files, options_of_old)
{
	struct hprof_writer_options o = {
		.size = offsetof(struct hprof_writer_options, mode),
		.mode = 0400,
		.new_only = true,
		.keep_part = true
	};
	struct hprof_writer *w;

	enter_directory();
	write_file("a", "", 0644);
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(exists("a") && !exists("a.part"));
}

Test(writer_files, new_only)
{
	static const char *const taken[] = { "file", "directory", "pipe",
					     "dangling", "link" };
	struct hprof_writer_options o = { .size = sizeof o, .new_only = true };
	struct hprof_writer *w;
	struct hprof_error error;

	enter_directory();
	write_file("file", "precious", 0644);
	cr_assert_eq(mkdir("directory", 0755), 0);
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	cr_assert_eq(symlink("file", "link"), 0);
	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
		cr_expect_eq(hprof_writer_create(taken[i], &o, &w, &error),
			     HPROF_E_SYS, "%s", taken[i]);
		cr_expect_eq(error.sys_errno, EEXIST, "%s", taken[i]);
	}
	cr_assert(holds("file", "precious") && !exists("file.part"));

	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

/* The file did not exist at first, but does now. */
Test(writer_files, new_only_race)
{
	struct hprof_writer_options o = { .size = sizeof o, .new_only = true };

	enter_directory();
	for (int keep = 0; keep < 2; keep++) {
		struct hprof_writer *w;
		o.keep_part = keep;
		cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
		write_file("a", "precious", 0644);
		cr_expect_eq(hprof_writer_finish(w), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_error(w)->sys_errno, EEXIST);
		hprof_writer_free(w);
		cr_assert(holds("a", "precious"));
		cr_expect_eq(exists("a.part"), (bool)keep);
		cr_assert_eq(unlink("a"), 0);
	}
	cr_assert(is_small_dump("a.part"));
}

static struct buffer part_of(const struct hprof_writer_options *options)
{
	struct hprof_writer_options o = *options;
	struct buffer out = { 0 };
	struct hprof_reader_info info;
	struct hprof_writer *w;

	o.keep_part = true;
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(put_large_dump(w, 2 << 20), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(!exists("a") && exists("a.part"));
	struct buffer part = read_file("a.part");
	cr_assert_eq(copy_dump(part.bytes, part.size, NULL, false, &out, &info),
		     HPROF_OK);
	buffer_free(&part);
	cr_expect(!info.complete, "no dump that is whole");
	return out;
}

/* A writer freed unfinished keeps all that was put, compressed or not. */
Test(writer_files, keep_part)
{
	struct buffer whole = large_dump(NULL, 2 << 20);

	enter_directory();
	for (size_t i = 0; i < FORMS; i++) {
		struct buffer part = part_of(&forms[i]);
		/* Copying it added the missing end. */
		cr_expect_eq(part.size, whole.size, "form %zu", i);
		cr_expect(part.size == whole.size &&
				  memcmp(part.bytes, whole.bytes, part.size) ==
					  0,
			  "form %zu", i);
		buffer_free(&part);
	}
	/* It does not disturb the next writer. */
	cr_assert_eq(write_small("a", NULL), HPROF_OK);
	cr_assert(is_small_dump("a") && !exists("a.part"));
	buffer_free(&whole);
	cr_assert(!memory_was_lost());
}

/* Nothing was put, or it was finished: no part stays. */
Test(writer_files, keep_part_of_nothing)
{
	struct hprof_writer_options o = { .size = sizeof o, .keep_part = true };
	struct hprof_writer *w;

	enter_directory();
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(!exists("a") && !exists("a.part"));

	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

/* The disk is full: what was written before stays. */
Test(writer_files, keep_part_no_room)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };

	enter_directory();
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (size_t i = 0; i < FORMS; i++) {
		struct hprof_writer_options o = forms[i];
		struct hprof_writer *w;
		struct stat info;
		o.keep_part = true;
		cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
		enum hprof_status status = put_large_dump(w, 3 << 20);
		if (status == HPROF_OK)
			status = hprof_writer_finish(w);
		cr_expect_eq(status, HPROF_E_SYS, "%zu", i);
		hprof_writer_free(w);
		cr_expect(!exists("a"));
		cr_expect(lstat("a.part", &info) == 0 && info.st_size > 1000,
			  "%zu", i);
	}
}
