/* SPDX-License-Identifier: MIT */
/*
 * test_source.c - files, pipes and memory, layers of decompressors on them,
 * threads that read ahead, and memory that runs out.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sourcing.h"

/* ---- the bottom ---------------------------------------------------------- */

static int make_file(struct bytes bytes)
{
	char name[] = "test_source.XXXXXX";
	int fd = mkstemp(name);

	cr_assert(fd >= 0 && unlink(name) == 0);
	cr_assert(write(fd, bytes.at, bytes.size) == (ssize_t)bytes.size);
	cr_assert(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

Test(source, plain)
{
	struct bytes dump = make_dump(300000);
	struct bytes nothing = { NULL, 0, 0 };

	check_good(dump, dump, "plain");
	check_good(nothing, nothing, "plain");
	bytes_drop(&dump);
}

Test(source, file)
{
	struct bytes dump = make_dump(5000);
	int fd = make_file(dump);
	struct hprof_error error;
	struct result result = { .status = HPROF_OK };
	struct hp_source *source;
	char middle[100];
	size_t n;

	cr_assert(hp_source_fd(fd, false, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, NULL) == HPROF_OK);
	cr_assert(source->size == 5000 && source->file_size == 5000);
	read_all(source, 999, &result);
	cr_assert(bytes_same(result.bytes, dump));
	cr_assert(hp_source_used(source) == 5000);
	cr_assert(source->ops->pread(source, 4950, middle, 100, &n, &error) ==
		  HPROF_OK);
	cr_assert(n == 50 && memcmp(middle, dump.at + 4950, 50) == 0);
	cr_assert(source->ops->pread(source, 5000, middle, 100, &n, &error) ==
		  HPROF_END);
	cr_assert(source->ops->pread(source, UINT64_MAX, middle, 100, &n,
				     &error) == HPROF_END);
	hp_source_close(source);
	cr_assert(lseek(fd, 0, SEEK_CUR) == 0, "the place was moved");
	close(fd);
	result_drop(&result);
	bytes_drop(&dump);
}

/* Another program has already read the first line of standard input. */
Test(source, file_from_the_middle)
{
	struct bytes dump = make_dump(5000);
	struct bytes all = { NULL, 0, 0 };
	struct result result = { .status = HPROF_OK };
	struct hprof_error error;
	struct hp_source *source;
	int fd;

	bytes_add(&all, "hello\n", 6);
	bytes_add(&all, dump.at, dump.size);
	fd = make_file(all);
	lseek(fd, 6, SEEK_SET);
	cr_assert(hp_source_fd(fd, true, &source, &error) == HPROF_OK);
	cr_assert(source->ops->pread == NULL && source->size == UINT64_MAX);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) == HPROF_OK);
	read_all(source, 999, &result);
	cr_assert(bytes_same(result.bytes, dump));
	hp_source_close(source);
	cr_assert(fcntl(fd, F_GETFD) == -1, "an owned descriptor stays open");
	result_drop(&result);
	bytes_drop(&all);
	bytes_drop(&dump);
}

Test(source, pipe)
{
	struct bytes dump = make_dump(5000);
	struct result result = { .status = HPROF_OK };
	struct hprof_error error;
	struct hp_source *source;
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], dump.at, dump.size) == (ssize_t)dump.size);
	close(ends[1]);
	cr_assert(hp_source_fd(ends[0], true, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) == HPROF_OK);
	cr_assert(source->file_size == 0 && source->ops->pread == NULL);
	read_all(source, 999, &result);
	cr_assert(bytes_same(result.bytes, dump));
	hp_source_close(source);
	result_drop(&result);
	bytes_drop(&dump);
}

Test(source, directory)
{
	struct hprof_error error;
	struct hp_source *source;
	int fd = open("/", O_RDONLY);

	cr_assert(hp_source_fd(fd, true, &source, &error) == HPROF_OK);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) ==
		  HPROF_E_SYS);
	cr_assert(error.sys_errno == EISDIR);
}

static int64_t read_too_much(void *user, void *buffer, size_t room)
{
	(void)user;
	(void)buffer;
	return (int64_t)room + 1;
}

Test(source, callback_failures)
{
	struct bytes dump = make_dump(5000);
	struct bytes packed = make_gzip(dump, 6);
	struct bytes inputs[] = { dump, packed };
	struct hprof_error error;
	struct hp_source *source;

	for (size_t i = 0; i < 2 * WAYS; i++) {
		struct drops drops = { inputs[i % 2], 0, 500, 1, ECONNRESET };
		struct result result = { .status = HPROF_OK };

		hp_source_callback(read_drops, &drops, &source, &error);
		cr_assert(hp_source_open(source, NULL, ways[i / 2].threads,
					 &source, &error) == HPROF_OK);
		read_all(source, ways[i / 2].room, &result);
		cr_assert(bytes_same(result.bytes, dump), "case %zu", i);
		cr_assert(result.status == HPROF_E_SYS, "case %zu", i);
		cr_assert(result.error.sys_errno == ECONNRESET);
		hp_source_close(source);
		result_drop(&result);
	}
	hp_source_callback(read_too_much, NULL, &source, &error);
	cr_assert(hp_source_open(source, NULL, 1, &source, &error) ==
		  HPROF_E_USAGE);
	cr_assert(hp_source_callback(NULL, NULL, &source, NULL) ==
		  HPROF_E_USAGE);
	cr_assert(hp_source_memory(NULL, 1, &source, NULL) == HPROF_E_USAGE);
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* ---- layers -------------------------------------------------------------- */

Test(source, layers)
{
	struct bytes dump = make_dump(50000);
	struct bytes packed = { NULL, 0, 0 };
	static const char *const names[] = { "plain", "gzip", "gzip in gzip",
					     "gzip in gzip in gzip",
					     "gzip in gzip in gzip in gzip" };

	bytes_add(&packed, dump.at, dump.size);
	for (int i = 0; i <= 5; i++) {
		struct result result = check_ways(packed, "layers");
		struct bytes more = make_gzip(packed, 6);

		if (i <= 4) {
			cr_assert(bytes_same(result.bytes, dump));
			cr_assert_str_eq(result.container, names[i]);
		} else {
			cr_assert(result.status == HPROF_E_LIMIT);
		}
		result_drop(&result);
		bytes_drop(&packed);
		packed = more;
	}
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* ---- reading ahead ------------------------------------------------------- */

static int64_t read_for_ever(void *user, void *buffer, size_t room)
{
	(void)user;
	memset(buffer, 'x', room);
	return (int64_t)room;
}

Test(source, ahead_closed_early)
{
	for (int i = 0; i < 50; i++) {
		struct hp_source *source;
		char buffer[100];
		size_t n;

		hp_source_callback(read_for_ever, NULL, &source, NULL);
		cr_assert(hp_read_ahead(source, &source, NULL) == HPROF_OK);
		if (i % 2 == 1)
			source->ops->read(source, buffer, 100, &n);
		hp_source_close(source);
	}
}

Test(source, parallel_closed_early)
{
	struct bytes dump = make_dump(9000000);
	struct bytes packed = make_hotspot(dump, 300000, 0);

	for (int i = 0; i < 30; i++) {
		struct hp_source *source;
		char buffer[100];
		size_t n;

		hp_source_memory(packed.at, packed.size, &source, NULL);
		cr_assert(hp_source_open(source, NULL, 1 + (unsigned)i % 5,
					 &source, NULL) == HPROF_OK);
		if (i % 2 == 1)
			source->ops->read(source, buffer, 100, &n);
		hp_source_close(source);
	}
	bytes_drop(&packed);
	bytes_drop(&dump);
}

/* ---- no memory ----------------------------------------------------------- */

/* The Nth allocation fails, for all N: correct bytes, or E_NOMEM. */
static void check_memory(struct bytes in, struct bytes dump, const char *name)
{
	for (size_t w = 0; w < WAYS; w++) {
		bool failed = true;

		for (int64_t n = 0; failed && n < 200; n++) {
			struct result result;

			hp_mem_fail_after(n);
			result = open_and_read(in, NULL, &ways[w]);
			hp_mem_fail_after(-1);
			failed = result.status != HPROF_END;
			cr_assert(!failed || result.status == HPROF_E_NOMEM,
				  "%s, way %zu, %d: %d %s", name, w, (int)n,
				  result.status, result.error.text);
			cr_assert(bytes_start(result.bytes, dump));
			cr_assert(failed || bytes_same(result.bytes, dump));
			result_drop(&result);
		}
		cr_assert(!failed, "%s", name);
	}
}

Test(source, no_memory, .timeout = 1800)
{
	struct bytes dump = make_dump(2500000);
	struct bytes less = { dump.at, 200000, 0 };
	struct file file = { "a", dump };
	struct bytes packed;

	check_memory(dump, dump, "plain");
	packed = make_hotspot(dump, 500000, 0);
	check_memory(packed, dump, "many");
	bytes_drop(&packed);
	packed = make_archive("zip", NULL, &file, 1);
	check_memory(packed, dump, "zip");
	bytes_drop(&packed);
	for (size_t i = 0; i < COMPRESSORS; i++) {
		packed = pack(less, &compressors[i]);
		if (packed.size > 0)
			check_memory(packed, less, compressors[i].name);
		bytes_drop(&packed);
	}
	bytes_drop(&dump);
}
