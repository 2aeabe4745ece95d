/* SPDX-License-Identifier: MIT */
/*
 * test_output.c - bytes that are no dump, to files, descriptors, compressors.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <hprof/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes COUNT known bytes in pieces of many sizes. */
static enum hprof_status put_pieces(struct hprof_output *out, size_t count)
{
	uint8_t *bytes = malloc(count);
	enum hprof_status status = HPROF_OK;
	size_t piece = 1;

	cr_assert_not_null(bytes);
	fill_noise(bytes, count, 7);
	for (size_t at = 0; at < count && status == HPROF_OK; at += piece) {
		piece = piece * 3 + 1;
		if (piece > 600 << 10)
			piece = 1;
		if (piece > count - at)
			piece = count - at;
		status = hprof_output_write(out, bytes + at, piece);
	}
	free(bytes);
	return status;
}

static bool has_pieces(const char *path, size_t count)
{
	struct buffer bytes = read_file(path);
	uint8_t *wanted = malloc(count);
	bool same_bytes;

	cr_assert_not_null(wanted);
	fill_noise(wanted, count, 7);
	same_bytes =
		bytes.size == count && memcmp(bytes.bytes, wanted, count) == 0;
	free(wanted);
	buffer_free(&bytes);
	return same_bytes;
}

Test(output, appears_when_finished)
{
	enum { COUNT = 3000001 };
	struct hprof_output *out;

	enter_directory();
	cr_assert_eq(hprof_output_create("a", NULL, &out, NULL), HPROF_OK);
	cr_assert_eq(put_pieces(out, COUNT), HPROF_OK);
	cr_assert(exists("a.part") && !exists("a"));
	cr_assert_eq(hprof_output_size(out), COUNT);
	cr_assert_eq(hprof_output_finish(out), HPROF_OK);
	cr_assert(!exists("a.part") && has_pieces("a", COUNT));
	cr_assert_eq(hprof_output_write(out, "x", 1), HPROF_E_USAGE);
	cr_assert_eq(hprof_output_finish(out), HPROF_E_USAGE);
	hprof_output_free(out);
	cr_assert(has_pieces("a", COUNT));
}

Test(output, freed_unfinished)
{
	struct hprof_output *out;

	enter_directory();
	cr_assert_eq(hprof_output_create("a", NULL, &out, NULL), HPROF_OK);
	cr_assert_eq(put_pieces(out, 1000000), HPROF_OK);
	hprof_output_free(out);
	cr_assert(!exists("a") && !exists("a.part"));
	hprof_output_free(NULL);
}

/* A compressed output is a file that gzip takes. */
Test(output, compressed)
{
	const struct hprof_writer_options options = { .size = sizeof options,
						      .compression = HPROF_GZIP,
						      .level = 1 };
	struct hprof_output *out;

	enter_directory();
	cr_assert_eq(hprof_output_create("a.gz", &options, &out, NULL),
		     HPROF_OK);
	cr_assert_eq(put_pieces(out, 2500000), HPROF_OK);
	cr_assert_eq(hprof_output_finish(out), HPROF_OK);
	hprof_output_free(out);
	cr_assert_eq(system("gzip -dc a.gz >a"), 0);
	cr_assert(has_pieces("a", 2500000));
}

Test(output, descriptor_that_is_full)
{
	struct hprof_output *out;
	enum hprof_status status;
	int fd = open("/dev/full", O_WRONLY);

	if (fd < 0)
		cr_skip_test("no /dev/full");
	cr_assert_eq(hprof_output_open_fd(fd, NULL, &out, NULL), HPROF_OK);
	/* A small piece stays in the buffer. */
	cr_assert_eq(hprof_output_write(out, "x", 1), HPROF_OK);
	status = put_pieces(out, 1 << 20);
	cr_assert_eq(status, HPROF_E_SYS);
	cr_assert_eq(hprof_output_error(out)->sys_errno, ENOSPC);
	cr_assert_eq(hprof_output_write(out, "x", 1), HPROF_E_SYS);
	cr_assert_eq(hprof_output_finish(out), HPROF_E_SYS);
	hprof_output_free(out);
	cr_assert_eq(close(fd), 0);
}

Test(output, misuse)
{
	struct hprof_writer_options options = { .size = sizeof options };
	struct hprof_output *out;
	struct hprof_error error;

	enter_directory();
	cr_assert_eq(hprof_output_create(NULL, NULL, &out, &error),
		     HPROF_E_USAGE);
	cr_assert_eq(hprof_output_open_fd(-1, NULL, &out, NULL), HPROF_E_USAGE);
	options.exact = true;
	cr_assert_eq(hprof_output_create("a", &options, &out, NULL),
		     HPROF_E_USAGE);
	options = (struct hprof_writer_options){ .size = sizeof options,
						 .level = 10 };
	cr_assert_eq(hprof_output_create("a", &options, &out, NULL),
		     HPROF_E_USAGE);
	cr_assert(!exists("a") && !exists("a.part"));
	cr_assert_eq(hprof_output_create("none/a", NULL, &out, &error),
		     HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, ENOENT);
	cr_assert_eq(hprof_output_write(NULL, "", 0), HPROF_E_USAGE);
	cr_assert_eq(hprof_output_finish(NULL), HPROF_E_USAGE);
}
