/*
 * test_writer_sinks.c - where the writer's bytes go: files that appear whole
 * or not at all, pipes, callbacks, compressors; and what comes of disks that
 * are full, readers that leave, and memory that runs out.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "mem.h"

/* ---- helpers ------------------------------------------------------------- */

/* A new directory, entered: tests of one run have one each. */
static void enter_directory(void)
{
	static char name[] = "writer-XXXXXX";

	cr_assert_not_null(mkdtemp(name));
	cr_assert_eq(chdir(name), 0);
	umask(022);
}

static struct buffer read_file(const char *path)
{
	struct buffer bytes = { 0 };
	char piece[65536];
	size_t n;
	FILE *file = fopen(path, "rb");

	cr_assert_not_null(file, "%s", path);
	while ((n = fread(piece, 1, sizeof piece, file)) > 0)
		buffer_add(&bytes, piece, n);
	fclose(file);
	return bytes;
}

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

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

static unsigned mode_of(const char *path)
{
	struct stat info;

	cr_assert_eq(lstat(path, &info), 0, "%s", path);
	return info.st_mode & 07777;
}

static const struct hprof_header header = { "JAVA PROFILE 1.0.2", 4, 0 };

/* A dump of a header only: 31 bytes. */
static enum hprof_status write_small(const char *path,
				     struct hprof_error *error)
{
	struct hprof_writer *w;
	enum hprof_status status = hprof_writer_create(path, NULL, &w, error);

	if (status != HPROF_OK)
		return status;
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	status = hprof_writer_finish(w);
	if (error)
		*error = *hprof_writer_error(w);
	hprof_writer_free(w);
	return status;
}

static bool is_small_dump(const char *path)
{
	struct buffer bytes = read_file(path);
	bool good = bytes.size == 31 &&
		    memcmp(bytes.bytes, header.version, 19) == 0;

	buffer_free(&bytes);
	return good;
}

static struct buffer large_dump(const struct hprof_writer_options *options,
				size_t size)
{
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, options, &w,
						NULL),
		     HPROF_OK);
	cr_assert_eq(put_large_dump(w, size), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	return out;
}

/* Every form of compression, with and without threads. */
static const struct hprof_writer_options forms[] = {
	{ .size = sizeof forms[0] },
	{ .size = sizeof forms[0], .compression = HPROF_GZIP },
	{ .size = sizeof forms[0], .compression = HPROF_GZIP, .threads = 3 },
	{ .size = sizeof forms[0], .compression = HPROF_ZSTD },
	{ .size = sizeof forms[0], .compression = HPROF_ZSTD, .threads = 2 },
	{ .size = sizeof forms[0], .compression = HPROF_XZ, .level = 1 },
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* ---- files --------------------------------------------------------------- */

Test(writer_sinks, file_appears_when_finished)
{
	struct hprof_writer *w;

	enter_directory();
	cr_assert_eq(hprof_writer_create("a", NULL, &w, NULL), HPROF_OK);
	cr_assert(exists("a.part") && !exists("a"));
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert(!exists("a.part") && is_small_dump("a"));
	cr_assert_eq(mode_of("a"), 0644u);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a"));
}

Test(writer_sinks, file_freed_unfinished)
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

		/* What it would have replaced stays. */
		cr_assert_eq(hprof_writer_create("old", &forms[i], &w, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
		hprof_writer_free(w);
		cr_assert(holds("old", "what was there"));
		cr_assert(!exists("old.part"));
	}
	/* Refused for something unfinished, then given up. */
	cr_assert_eq(hprof_writer_create("a", NULL, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_E_USAGE);
	hprof_writer_free(w);
	cr_assert(!exists("a") && !exists("a.part"));
}

Test(writer_sinks, file_keeps_mode)
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
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
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

/* Left by a process that was killed: gone, and its mode with it. */
Test(writer_sinks, file_part_left_over)
{
	enter_directory();
	write_file("a.part", "far more than what is going to be written", 0666);
	umask(077);
	cr_assert_eq(write_small("a", NULL), HPROF_OK);
	cr_assert(is_small_dump("a") && !exists("a.part"));
	cr_assert_eq(mode_of("a"), 0600u);
}

/* Another name of the old part keeps its content. */
Test(writer_sinks, file_part_linked)
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

Test(writer_sinks, file_part_locked)
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
	cr_assert_eq(hprof_writer_header(first, &header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(first), HPROF_OK);
	/* Now there is no part, whether the first is freed or not. */
	cr_assert_eq(hprof_writer_create("a", NULL, &second, &error),
		     HPROF_OK);
	hprof_writer_free(first);
	cr_assert(is_small_dump("a") && exists("a.part"));
	hprof_writer_free(second);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

struct writers {
	unsigned finished, refused, other;
	pthread_mutex_t lock;
};

static void *write_often(void *arg)
{
	struct writers *writers = arg;

	for (unsigned i = 0; i < 300; i++) {
		struct hprof_error error;
		enum hprof_status status = write_small("a", &error);
		pthread_mutex_lock(&writers->lock);
		if (status == HPROF_OK)
			writers->finished++;
		else if (error.sys_errno == EWOULDBLOCK)
			writers->refused++;
		else
			writers->other++;
		pthread_mutex_unlock(&writers->lock);
	}
	return NULL;
}

/* Many at once: each finishes with a whole file, or is refused. */
Test(writer_sinks, file_race)
{
	struct writers writers = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t threads[4];

	enter_directory();
	for (unsigned i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, write_often,
					    &writers),
			     0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(writers.other, 0u);
	cr_assert_gt(writers.finished, 100u);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

Test(writer_sinks, file_refused)
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
Test(writer_sinks, file_symbolic_link)
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

/* ---- options of files ----------------------------------------------------- */

/* Exactly these bits, from the start; a replaced file still has its own. */
Test(writer_sinks, file_mode)
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
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
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
Test(writer_sinks, options_of_old)
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
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(exists("a") && !exists("a.part"));
}

Test(writer_sinks, file_new_only)
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
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

/* It was not there at first, but is now. */
Test(writer_sinks, file_new_only_race)
{
	struct hprof_writer_options o = { .size = sizeof o, .new_only = true };

	enter_directory();
	for (int keep = 0; keep < 2; keep++) {
		struct hprof_writer *w;
		o.keep_part = keep;
		cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
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
	cr_assert_eq(copy_dump(part.bytes, part.size, NULL, false, &out,
			       &info),
		     HPROF_OK);
	buffer_free(&part);
	cr_expect(!info.complete, "no dump that is whole");
	return out;
}

/* Freed unfinished, all that was put is there, compressed or not. */
Test(writer_sinks, file_keep_part)
{
	struct buffer whole = large_dump(NULL, 2 << 20);

	enter_directory();
	for (size_t i = 0; i < FORMS; i++) {
		struct buffer part = part_of(&forms[i]);
		/* Copying it, the writer made the end that was missing. */
		cr_expect_eq(part.size, whole.size, "form %zu", i);
		cr_expect(part.size == whole.size &&
				  memcmp(part.bytes, whole.bytes,
					 part.size) == 0,
			  "form %zu", i);
		buffer_free(&part);
	}
	/* The next one is not troubled by it. */
	cr_assert_eq(write_small("a", NULL), HPROF_OK);
	cr_assert(is_small_dump("a") && !exists("a.part"));
	buffer_free(&whole);
	cr_assert(!memory_was_lost());
}

/* Nothing was put: nothing stays. Finished: nothing either. */
Test(writer_sinks, file_keep_part_of_nothing)
{
	struct hprof_writer_options o = { .size = sizeof o, .keep_part = true };
	struct hprof_writer *w;

	enter_directory();
	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(!exists("a") && !exists("a.part"));

	cr_assert_eq(hprof_writer_create("a", &o, &w, NULL), HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	cr_assert(is_small_dump("a") && !exists("a.part"));
}

/* No more room: what was written before stays. */
Test(writer_sinks, file_keep_part_no_room)
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

/* ---- what is no file ----------------------------------------------------- */

Test(writer_sinks, device_full)
{
	struct hprof_error error;

	enter_directory();
	cr_assert_eq(write_small("/dev/full", &error), HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, ENOSPC);
	cr_assert(!exists("/dev/full.part"));
	cr_assert_eq(write_small("/dev/null", NULL), HPROF_OK);
}

/* No room on the way: the writer is dead, and there is no file. */
Test(writer_sinks, file_too_large)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	struct hprof_record end = { .tag = HPROF_HEAP_DUMP_END };

	enter_directory();
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (size_t i = 0; i < FORMS; i++) {
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_create("a", &forms[i], &w, NULL),
			     HPROF_OK);
		enum hprof_status status = put_large_dump(w, 3 << 20);
		if (status == HPROF_OK)
			status = hprof_writer_finish(w);
		cr_expect_eq(status, HPROF_E_SYS, "%zu", i);
		cr_expect_eq(hprof_writer_error(w)->sys_errno, EFBIG, "%zu",
			     i);
		cr_expect_eq(hprof_writer_put(w, &end), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_body(w, NULL, 0), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_raw(w, NULL, 0), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_header(w, &header), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_finish(w), HPROF_E_SYS);
		hprof_writer_free(w);
		cr_expect(!exists("a") && !exists("a.part"));
	}
}

static void *read_pipe(void *arg)
{
	struct buffer *bytes = arg;

	*bytes = read_file("pipe");
	return NULL;
}

Test(writer_sinks, named_pipe)
{
	struct buffer got, wanted = large_dump(NULL, 3 << 20);
	struct hprof_writer *w;
	struct stat info;
	pthread_t reader;

	enter_directory();
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	cr_assert_eq(pthread_create(&reader, NULL, read_pipe, &got), 0);
	cr_assert_eq(hprof_writer_create("pipe", NULL, &w, NULL), HPROF_OK);
	cr_assert(!exists("pipe.part"));
	cr_assert_eq(put_large_dump(w, 3 << 20), HPROF_OK);
	/* Its reader sees the end now, not when the writer is freed. */
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	pthread_join(reader, NULL);
	hprof_writer_free(w);
	cr_assert(got.size == wanted.size &&
		  memcmp(got.bytes, wanted.bytes, got.size) == 0);
	cr_assert(lstat("pipe", &info) == 0 && S_ISFIFO(info.st_mode));
	buffer_free(&got);
	buffer_free(&wanted);
}

/* The reader of a pipe leaves early. */
Test(writer_sinks, closed_pipe)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < FORMS; i++) {
		struct hprof_writer *w;
		int ends[2];
		cr_assert_eq(pipe(ends), 0);
		close(ends[0]);
		cr_assert_eq(hprof_writer_open_fd(ends[1], &forms[i], &w,
						  NULL),
			     HPROF_OK);
		enum hprof_status status = put_large_dump(w, 2 << 20);
		if (status == HPROF_OK)
			status = hprof_writer_finish(w);
		cr_expect_eq(status, HPROF_E_SYS);
		cr_expect_eq(hprof_writer_error(w)->sys_errno, EPIPE);
		hprof_writer_free(w);
		cr_expect_eq(close(ends[1]), 0); /* stayed ours */
	}
}

/* ---- callbacks ----------------------------------------------------------- */

struct counting {
	long calls, failing; /* fails at this call, from 0; -1: at none */
	bool failed, called_again;
};

static int fail_at(void *user, const void *bytes, size_t size)
{
	struct counting *c = user;

	(void)bytes;
	cr_assert_gt(size, (size_t)0);
	if (c->failed)
		c->called_again = true;
	if (c->calls++ != c->failing)
		return 0;
	c->failed = true;
	errno = EDQUOT;
	return -1;
}

static enum hprof_status write_counting(const struct hprof_writer_options *o,
					struct counting *counting)
{
	struct hprof_writer *w;
	enum hprof_status status;

	cr_assert_eq(hprof_writer_open_callback(fail_at, counting, o, &w,
						NULL),
		     HPROF_OK);
	status = put_large_dump(w, 3 << 19);
	if (status == HPROF_OK)
		status = hprof_writer_finish(w);
	if (status != HPROF_OK) {
		cr_assert_eq(status, HPROF_E_SYS);
		cr_assert_eq(hprof_writer_error(w)->sys_errno, EDQUOT);
		cr_assert_eq(hprof_writer_finish(w), HPROF_E_SYS);
	}
	hprof_writer_free(w);
	return status;
}

/* It fails at its Nth call: so does the writer, and calls it no more. */
Test(writer_sinks, callback_fails)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct counting all = { .failing = -1 };
		cr_assert_eq(write_counting(&forms[i], &all), HPROF_OK);
		cr_assert_geq(all.calls, 3);
		long step = all.calls > 6 ? all.calls / 3 : 1;
		for (long n = 0; n < all.calls; n += step) {
			struct counting one = { .failing = n };
			cr_expect_eq(write_counting(&forms[i], &one),
				     HPROF_E_SYS, "form %zu, call %ld", i, n);
			cr_expect(!one.called_again, "form %zu, call %ld", i,
				  n);
		}
	}
	cr_assert(!memory_was_lost());
}

/* Given up, nothing makes it look whole: no bytes come any more. */
Test(writer_sinks, callback_given_up)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct counting c = { .failing = -1 };
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_open_callback(fail_at, &c, &forms[i],
							&w, NULL),
			     HPROF_OK);
		cr_assert_eq(put_large_dump(w, 2 << 20), HPROF_OK);
		c.failed = true;
		hprof_writer_free(w);
		cr_expect(!c.called_again, "form %zu", i);
	}
}

/* ---- memory -------------------------------------------------------------- */

static enum hprof_status copy_to_file(const struct buffer *dump,
				      const struct hprof_writer_options *o)
{
	struct hprof_reader *reader = NULL;
	struct hprof_writer *writer = NULL;
	struct hprof_error error = { 0 };
	enum hprof_status status = hprof_reader_open_memory(
		dump->bytes, dump->size, NULL, &reader, &error);

	if (status == HPROF_OK)
		status = hprof_writer_create("a", o, &writer, &error);
	if (status == HPROF_OK)
		status = copy_records(reader, writer);
	if (status == HPROF_OK)
		status = hprof_writer_finish(writer);
	if (!writer && status != HPROF_OK)
		cr_assert_neq(error.text[0], '\0');
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	return status;
}

/* Each allocation fails once: the copy fails, leaving nothing behind. */
Test(writer_sinks, no_memory)
{
	struct buffer dump = large_dump(NULL, 1 << 18);

	enter_directory();
	for (size_t i = 0; i < FORMS; i++) {
		enum hprof_status status;
		int64_t n = 0;
		do {
			hp_mem_fail_after(n);
			status = copy_to_file(&dump, &forms[i]);
			hp_mem_fail_after(-1);
			if (status == HPROF_OK)
				break;
			cr_expect_eq(status, HPROF_E_NOMEM, "form %zu, %ld", i,
				     (long)n);
			cr_expect(!exists("a") && !exists("a.part"));
		} while (++n < 1000);
		cr_expect_eq(status, HPROF_OK);
		cr_expect_geq(n, 5);
		cr_assert_eq(unlink("a"), 0);
	}
	buffer_free(&dump);
	cr_assert(!memory_was_lost());
}

/* A class too large for the buffer needs memory; without, it is over. */
Test(writer_sinks, no_memory_for_class)
{
	enum { COUNT = 65535, ONE_STATIC = 4 + 1 + 8, ONE_FIELD = 4 + 1 };
	static uint8_t statics[ONE_STATIC * COUNT], fields[ONE_FIELD * COUNT];
	struct hprof_record class = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 4,
		.u.class_dump = { .class_id = 1,
				  .static_count = COUNT,
				  .field_count = COUNT,
				  .statics = { statics, sizeof statics },
				  .fields = { fields, sizeof fields } }
	};

	for (size_t i = 0; i < COUNT; i++) {
		statics[ONE_STATIC * i + 4] = HPROF_TYPE_LONG;
		fields[ONE_FIELD * i + 4] = HPROF_TYPE_OBJECT;
	}
	for (int fails = 0; fails < 2; fails++) {
		struct buffer out = { 0 };
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, NULL,
							&w, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
		hp_mem_fail_after(fails ? 0 : -1);
		cr_assert_eq(hprof_writer_put(w, &class),
			     fails ? HPROF_E_NOMEM : HPROF_OK);
		hp_mem_fail_after(-1);
		cr_assert_eq(hprof_writer_finish(w),
			     fails ? HPROF_E_NOMEM : HPROF_OK);
		if (!fails)
			cr_assert_eq(out.size, 31 + 9 + 1 + 36 + 6 +
						       sizeof statics +
						       sizeof fields + 9);
		hprof_writer_free(w);
		buffer_free(&out);
	}
}

/* ---- gzip ---------------------------------------------------------------- */

struct member {
	const uint8_t *at;
	size_t packed, plain;
};

/* Inflates the member at AT, by zlib. */
static struct member next_member(const uint8_t *at, size_t size,
				 struct buffer *plain)
{
	struct member member = { .at = at };
	z_stream z = { .next_in = (Bytef *)(uintptr_t)at,
		       .avail_in = (uInt)size };
	uint8_t piece[65536];
	int result;

	cr_assert_eq(inflateInit2(&z, 31), Z_OK);
	do {
		z.next_out = piece;
		z.avail_out = sizeof piece;
		result = inflate(&z, Z_NO_FLUSH);
		cr_assert(result == Z_OK || result == Z_STREAM_END);
		size_t n = sizeof piece - z.avail_out;
		if (n > 0)
			buffer_add(plain, piece, n);
		member.plain += n;
	} while (result != Z_STREAM_END);
	member.packed = size - z.avail_in;
	inflateEnd(&z);
	return member;
}

/* As HotSpot: XX is 2 for level 9, 4 for level 1, else 0. */
static void check_header(const struct member *member, bool first, int level)
{
	static const char comment[] = "HPROF BLOCKSIZE=1048576";
	uint8_t wanted[10] = { 0x1f, 0x8b, 8, first ? 0x10 : 0, 0, 0, 0, 0,
			       level == 9 ? 2 :
			       level == 1 ? 4 :
					    0,
			       first ? 0 : 3 };

	cr_assert(memcmp(member->at, wanted, sizeof wanted) == 0,
		  "first %d, level %d", first, level);
	if (first)
		cr_assert(memcmp(member->at + 10, comment, sizeof comment) ==
			  0);
}

Test(writer_sinks, gzip_members)
{
	struct buffer wanted = large_dump(NULL, 3 << 20);

	for (int level = 0; level <= 9; level += 3) {
		struct hprof_writer_options o = { .size = sizeof o,
						  .compression = HPROF_GZIP,
						  .level = level };
		struct buffer plain = { 0 }, packed = large_dump(&o, 3 << 20);
		unsigned count = 0;
		for (size_t at = 0; at < packed.size; count++) {
			struct member m = next_member(packed.bytes + at,
						      packed.size - at,
						      &plain);
			check_header(&m, count == 0, level ? level : 1);
			cr_assert_leq(m.plain, (size_t)1 << 20);
			at += m.packed;
		}
		cr_expect_geq(count, 4u);
		cr_expect(plain.size == wanted.size &&
			  memcmp(plain.bytes, wanted.bytes, plain.size) == 0);
		buffer_free(&plain);
		buffer_free(&packed);
	}
	buffer_free(&wanted);
}

Test(writer_sinks, gzip_threads_make_no_difference)
{
	static const unsigned threads[] = { 1, 2, 3, 100 };
	struct hprof_writer_options o = { .size = sizeof o,
					  .compression = HPROF_GZIP };
	struct buffer first = large_dump(&o, 6 << 20);

	for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
		o.threads = threads[i];
		struct buffer other = large_dump(&o, 6 << 20);
		cr_expect(other.size == first.size &&
				  memcmp(other.bytes, first.bytes,
					 first.size) == 0,
			  "%u threads", threads[i]);
		buffer_free(&other);
	}
	buffer_free(&first);
}

/* A dump that is not there is a whole file all the same. */
Test(writer_sinks, gzip_of_little)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct buffer out = { 0 }, again = { 0 };
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_open_callback(buffer_add, &out,
							&forms[i], &w, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
		cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
		hprof_writer_free(w);
		cr_assert_eq(copy_dump(out.bytes, out.size, NULL, true, &again,
				       NULL),
			     HPROF_OK);
		cr_assert_eq(again.size, (size_t)31);
		buffer_free(&out);
		buffer_free(&again);
	}
}
