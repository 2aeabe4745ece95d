/* SPDX-License-Identifier: MIT */
/*
 * test_writer_sinks.c - where else the writer's bytes go: pipes, callbacks,
 * compressors; and what comes of disks that are full, readers that leave, and
 * memory that runs out.
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

#include "../inputs.h"
#include "base/mem.h"

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

/* The disk gets full: the writer is dead, and there is no file. */
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
		cr_expect_eq(hprof_writer_error(w)->sys_errno, EFBIG, "%zu", i);
		cr_expect_eq(hprof_writer_put(w, &end), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_body(w, NULL, 0), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_raw(w, NULL, 0), HPROF_E_SYS);
		cr_expect_eq(hprof_writer_header(w, &small_header),
			     HPROF_E_SYS);
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
		cr_assert_eq(hprof_writer_open_fd(ends[1], &forms[i], &w, NULL),
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

	cr_assert_eq(hprof_writer_open_callback(fail_at, counting, o, &w, NULL),
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

/* It fails at its Nth call: the writer fails and does not call it again. */
Test(writer_sinks, callback_fails)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct counting all = { .failing = -1 };
		cr_assert_eq(write_counting(&forms[i], &all), HPROF_OK);
		cr_assert_geq(all.calls, 3);
		long step = all.calls > 6 ? all.calls / 3 : 1;
		step = (long)sweep_step((size_t)step, 3);
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

/* A writer that is given up writes nothing that would end the dump. */
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
	enum hprof_status status = hprof_reader_open(
		INPUT_MEMORY(dump->bytes, dump->size), NULL, &reader, &error);

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

/* A class larger than the buffer needs memory; without it, writing fails. */
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
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
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
	uint8_t wanted[10] = { 0x1f,
			       0x8b,
			       8,
			       first ? 0x10 : 0,
			       0,
			       0,
			       0,
			       0,
			       level == 9   ? 2
			       : level == 1 ? 4
					    : 0,
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
						      packed.size - at, &plain);
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

/* An empty dump still gives a complete gzip file. */
Test(writer_sinks, gzip_of_little)
{
	for (size_t i = 0; i < FORMS; i++) {
		struct buffer out = { 0 }, again = { 0 };
		struct hprof_writer *w;
		cr_assert_eq(hprof_writer_open_callback(buffer_add, &out,
							&forms[i], &w, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
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
