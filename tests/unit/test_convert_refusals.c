/* SPDX-License-Identifier: MIT */
/*
 * test_convert_refusals.c - what hprof_convert does not take: misuse, input
 * and output that are none, records that do not fit the result, what a pipe
 * does not allow.
 */
#include "converting.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../inputs.h"
#include "checking.h"
#include "maker.h"

/* Must fail with STATUS, and write or report nothing. */
static void refused(enum hprof_status status, const char *in, const char *out,
		    const struct hprof_writer_options *output,
		    const struct hprof_convert_options *options)
{
	struct hprof_convert_result result, was;
	struct hprof_error error = { 0 };
	enum hprof_status got;

	memset(&result, 0xa5, sizeof result);
	result.size = sizeof result;
	was = result;
	got = hprof_convert(INPUT_PATH(in), out, -1, output, options, &result,
			    &error);
	cr_assert_eq(got, status, "%d: %s", got, error.text);
	cr_assert_eq(error.status, status);
	cr_assert(error.text[0] != '\0');
	cr_assert_eq(memcmp(&result, &was, sizeof was), 0);
	cr_assert(!exists("out") && !exists("out.part"));
	/* The same without a callback for diagnostics. */
	cr_assert_eq(hprof_convert(INPUT_PATH(in), out, -1, output, options,
				   NULL, NULL),
		     status);
}

static void misused(struct hprof_convert_options o)
{
	refused(HPROF_E_USAGE, "in", "out", NULL, &o);
}

Test(convert, misuse)
{
	static const char *const keep[] = { "A" };
	const struct hprof_convert_options good = OPTIONS;
	struct hprof_writer_options output = { .size = sizeof output };
	struct hprof_convert_options o = good;

	enter_directory();
	put_input("minimal");
	refused(HPROF_E_USAGE, NULL, "out", NULL, NULL);
	refused(HPROF_E_USAGE, "in", NULL, NULL, NULL); /* descriptor -1 */
	o.size = 0;
	misused(o);
	/* A longer struct whose new member is set. */
	struct {
		struct hprof_convert_options known;
		uint64_t unknown;
	} newer = { .known = good, .unknown = 1 };
	newer.known.size = sizeof newer;
	refused(HPROF_E_USAGE, "in", "out", NULL, &newer.known);
	static const unsigned sizes[] = { 1, 2, 3, 5, 16, UINT32_MAX };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		o = good;
		o.id_size = sizes[i];
		misused(o);
	}
	o = good;
	o.format = (enum hprof_format)(HPROF_FORMAT_102 + 1);
	misused(o);
	o = good;
	o.redact = 4;
	misused(o);
	o = good;
	o.omit = HPROF_OMIT_CONTENTS + 1;
	misused(o);
	o = good;
	o.keep = keep;
	o.keep_count = 1; /* of nothing that would be blanked */
	misused(o);
	o = good;
	o.redact = HPROF_REDACT_STRINGS;
	o.keep_count = 1; /* of no list */
	misused(o);
	output.size = 1;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
	output.size = sizeof output;
	output.level = 10;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
	output.level = 0;
	output.mode = 01000;
	refused(HPROF_E_USAGE, "in", "out", &output, NULL);
}

/* Members missing in an older, shorter struct count as 0. */
Test(convert, shorter_options)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	put_input("shop_id8");
	o.repair = true; /* behind the end of those that count */
	o.size = offsetof(struct hprof_convert_options, live);
	cr_assert(converted(&o).exact);
}

Test(convert, no_input)
{
	struct fixture f = fixture_load("minimal");
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	refused(HPROF_E_SYS, "none", "out", NULL, NULL);
	maker_file("text", "no dump at all, but long enough to be one", 41);
	refused(HPROF_E_FORMAT, "text", "out", NULL, NULL);
	maker_file("in", f.bytes, f.size);
	o.deobfuscate = "none";
	refused(HPROF_E_SYS, "in", "out", NULL, &o);
	fixture_free(&f);
}

Test(convert, no_output)
{
	struct hprof_writer_options output = { .size = sizeof output,
					       .new_only = true };
	struct hprof_convert_options o = OPTIONS;
	struct hprof_error error;

	enter_directory();
	put_input("minimal");
	refused(HPROF_E_SYS, "in", "none/out", NULL, NULL);
	maker_file("there", "x", 1);
	cr_assert_eq(hprof_convert(INPUT_PATH("in"), "there", -1, &output, NULL,
				   NULL, &error),
		     HPROF_E_SYS);
	cr_assert_eq(error.sys_errno, EEXIST);
	o.obfuscate = "there";
	refused(HPROF_E_SYS, "in", "out", NULL, &o);
	cr_assert(exists("there"));
	/* A dump of the name that the part file would have. */
	cr_assert_eq(rename("in", "out.part"), 0);
	cr_assert_eq(hprof_convert(INPUT_PATH("out.part"), "out", -1, NULL,
				   NULL, NULL, NULL),
		     HPROF_E_USAGE);
	cr_assert(exists("out.part") && !exists("out"));
}

Test(convert, too_wide)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	put_input("high_ids_id8");
	o.id_size = 4;
	refused(HPROF_E_LIMIT, "in", "out", NULL, &o);
}

/*
 * Writes HEAD, the head of a record, at AT, and LENGTH in its bytes 5 to 8. A
 * hole of BODY bytes follows. Returns where that ends.
 */
static off_t put_hole(int fd, off_t at, const uint8_t *head, size_t size,
		      uint32_t body)
{
	uint8_t bytes[64];
	uint32_t length = (uint32_t)(size - HPROF_RECORD_HEADER) + body;

	memcpy(bytes, head, size);
	for (unsigned i = 0; i < 4; i++)
		bytes[5 + i] = (uint8_t)(length >> (24 - 8 * i));
	cr_assert_eq(pwrite(fd, bytes, size, at), (ssize_t)size);
	cr_assert_eq(ftruncate(fd, at + (off_t)size + body), 0);
	return at + (off_t)size + body;
}

/*
 * "in", with identifiers of 4 bytes: a stack trace and two arrays that have
 * 2 GiB of them each (the second array is one of primitives, which is damage),
 * and an array behind these.
 */
static void put_huge(void)
{
	static const uint8_t trace[] = {
		0x05, 0, 0, 0, 0, 0, 0, 0, 0, /* STACK_TRACE */
		0,    0, 0, 1, 0, 0, 0, 1,    /* serials */
		0x20, 0, 0, 0,		      /* number of frames */
	};
	static const uint8_t objects[] = {
		0x1c, 0, 0, 0, 0, 0, 0, 0, 0, /* HEAP_DUMP_SEGMENT */
		0x22, 0, 0, 2, 0, 0, 0, 0, 0, /* OBJ_ARRAY_DUMP 0x200 */
		0x20, 0, 0, 0, 0, 0, 1, 0,    /* number, class */
	};
	static const uint8_t primitives[] = {
		0x1c, 0, 0, 0, 0, 0, 0, 0, 0, /* HEAP_DUMP_SEGMENT */
		0x23, 0, 0, 3, 0, 0, 0, 0, 0, /* PRIM_ARRAY_DUMP 0x300 */
		0x20, 0, 0, 0, 2,	      /* number, type: object */
	};
	static const uint8_t bytes[] = {
		0x1c, 0, 0, 0, 0, 0, 0, 0, 0, /* HEAP_DUMP_SEGMENT */
		0x23, 0, 0, 4, 0, 0, 0, 0, 0, /* PRIM_ARRAY_DUMP 0x400 */
		0,    0, 0, 5, 8,	      /* number, type: byte */
	};
	struct maker m = maker_begin(4);
	off_t at = (off_t)m.out.size;
	int fd;

	maker_file("in", m.out.bytes, m.out.size);
	buffer_free(&m.out);
	fd = open("in", O_RDWR | O_CLOEXEC);
	at = put_hole(fd, at, trace, sizeof trace, 1U << 31);
	at = put_hole(fd, at, objects, sizeof objects, 1U << 31);
	at = put_hole(fd, at, primitives, sizeof primitives, 1U << 31);
	put_hole(fd, at, bytes, sizeof bytes, 5);
	close(fd);
}

/*
 * With wider identifiers they would have 4 GiB, which no record can have. They
 * are left out, and the rest of the dump is converted.
 */
Test(convert, too_long)
{
	static const unsigned redact[] = { 0, HPROF_REDACT_STRINGS |
						      HPROF_REDACT_PRIMITIVES };
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	put_huge();
	o.id_size = 8;
	for (size_t i = 0; i < sizeof redact / sizeof *redact; i++) {
		struct hprof_convert_result result = RESULT;
		struct hprof_check_result *left;

		o.redact = redact[i];
		result = converted(&o);
		cr_expect_eq(result.lost, 3, "%zu: %" PRIu64, i, result.lost);
		left = check_path("out", 0);
		cr_expect_eq(left->objects, 1, "%zu: %" PRIu64, i,
			     left->objects);
		hprof_check_result_free(left);
	}
}

/* Standard input that cannot be read again, with the dump in it. */
static void fill_pipe(void)
{
	struct buffer in = read_file("in");
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], in.bytes, in.size), (ssize_t)in.size);
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	buffer_free(&in);
}

/* Standard input, which must not be copied. */
#define PIPE INPUT(.path = "-", .no_copy = true)

static void refused_from_pipe(struct hprof_convert_options o)
{
	struct hprof_error error;

	fill_pipe();
	cr_assert_eq(hprof_convert(PIPE, "out", -1, NULL, &o, NULL, &error),
		     HPROF_E_UNSUPPORTED);
	cr_assert_eq(error.status, HPROF_E_UNSUPPORTED);
	cr_assert(!exists("out") && !exists("out.part") && !exists("map") &&
		  !exists("map.part"));
}

Test(convert, pipes)
{
	static const char *const keep[] = { "A" };
	const struct hprof_convert_options good = OPTIONS;
	struct hprof_convert_options o = good;
	struct hprof_convert_result result = RESULT;

	enter_directory();
	put_input("shop_id8");
	fill_pipe();
	cr_assert_eq(hprof_convert(PIPE, "out", -1, NULL, NULL, &result, NULL),
		     HPROF_OK);
	cr_assert(!result.exact && result.errors == 0);
	unlink("out");
	o.redact = HPROF_REDACT_STRINGS;
	o.id_size = 4;
	fill_pipe();
	cr_assert_eq(hprof_convert(PIPE, "out", -1, NULL, &o, NULL, NULL),
		     HPROF_OK);
	cr_assert_eq(header_of("out").id_size, 4);
	unlink("out");
	o.keep = keep;
	o.keep_count = 1;
	refused_from_pipe(o);
	o = good;
	o.obfuscate = "map";
	refused_from_pipe(o);
	o = good;
	o.live = true;
	refused_from_pipe(o);
	o = good;
	o.repair = true;
	refused_from_pipe(o);
	o = good;
	o.format = HPROF_FORMAT_101;
	refused_from_pipe(o);
}

/* It would be copied to a temporary file as it is. */
Test(convert, alive_redacted_compressed)
{
	struct hprof_convert_options o = OPTIONS;

	enter_directory();
	put_input("shop_id8");
	cr_assert_eq(hprof_convert(INPUT_PATH("in"), "in.gz", -1, &forms[1],
				   NULL, NULL, NULL),
		     HPROF_OK);
	o.live = true;
	o.redact = HPROF_REDACT_STRINGS;
	refused(HPROF_E_UNSUPPORTED, "in.gz", "out", NULL, &o);
	converted(&o); /* as a file */
}
