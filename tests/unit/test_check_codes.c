/* SPDX-License-Identifier: MIT */
/*
 * test_check_codes.c - hprof_check: each code is given for what it stands for,
 * at the right place, and none else.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "checking.h"
#include "fixture.h"
#include "maker.h"

/* ---- each code ----------------------------------------------------------- */

/* BYTE is the byte at the offset: the tag of the faulty record. */
static const struct expected {
	const char *fixture, *code;
	enum hprof_severity severity;
	uint64_t offset;
	unsigned byte;
	uint64_t count;
} expected[] = {
	{ "length_fixed_short", "bad-length", HPROF_ERROR, 0x40, 2, 11 },
	{ "length_short_far", "bad-record", HPROF_ERROR, 0x60f, 0, 1 },
	{ "class_bad_field", "bad-type", HPROF_ERROR, 0x4d4, 0x20, 2 },
	{ "length_fixed_long", "extra-bytes", HPROF_WARNING, 0x40, 2, 5 },
	{ "check-prefix", "leading-bytes", HPROF_WARNING, 0, 'H', 1 },
	{ "length_zero_to_eof", "length-zero", HPROF_WARNING, 0x2d5, 0xc, 1 },
	{ "no_end", "no-end", HPROF_NOTE, 0x660, 0x100, 1 },
	{ "header_only", "no-heap", HPROF_ERROR, 0x1f, 0x100, 1 },
	{ "header_end", "no-heap", HPROF_NOTE, 0x28, 0x100, 1 },
	{ "two_dumps_plain", "several-dumps", HPROF_NOTE, NOWHERE, 0x100, 1 },
	{ "trailing_few", "stray-bytes", HPROF_WARNING, 0x669, 0xd, 1 },
	{ "huge_obj_array", "sub-record-crosses", HPROF_ERROR, 0x4dd, 0x22, 1 },
	{ "cut_array", "truncated", HPROF_ERROR, 0x4d4, 0x23, 1 },
	{ "unknown_records", "unknown-record", HPROF_NOTE, 0x38, 0x99, 4 },
	{ "unknown_sub", "unknown-sub-record", HPROF_ERROR, 0x501, 0x77, 1 },
	{ "header_version", "unknown-version", HPROF_WARNING, 0, 'J', 1 },
	{ "trailing_zeros", "zero-padding", HPROF_WARNING, 0x669, 0, 1 },

	{ "class_not_loaded", "class-name", HPROF_WARNING, 0x660, 0x20, 1 },
	{ "check-late", "dangling-ids", HPROF_NOTE, NOWHERE, 0x100, 1 },
	{ "check-late", "dangling-reference", HPROF_NOTE, 0xcf, 0x21, 3 },
	{ "check-late", "dangling-reference", HPROF_NOTE, 0x185, 0x21, 3 },
	{ "check-late", "dangling-reference", HPROF_NOTE, 0x19a, 0x21, 3 },
	{ "class_twice", "duplicate-class", HPROF_WARNING, 0x4d4, 0x20, 1 },
	{ "object_twice", "duplicate-id", HPROF_WARNING, 0x501, 0x21, 3 },
	{ "utf8_duplicate", "duplicate-string", HPROF_WARNING, 0x82, 1, 1 },
	{ "element_class", "element-class", HPROF_NOTE, 0x4d4, 0x22, 1 },
	{ "object_zero", "id-zero", HPROF_WARNING, 0x4d4, 0x21, 3 },
	{ "object_zero", "id-zero", HPROF_WARNING, 0x503, 0x20, 3 },
	{ "instance_of_array", "instance-of-array", HPROF_WARNING, 0x4d4, 0x21,
	  1 },
	{ "instance_long", "instance-size", HPROF_WARNING, 0x4d4, 0x21, 1 },
	{ "check-late", "instance-size", HPROF_WARNING, 0xe4, 0x21, 1 },
	{ "traces_twice", "line-number", HPROF_WARNING, 0x302, 4, 1 },
	{ "traces_twice", "missing-class-serial", HPROF_WARNING, 0x302, 4, 1 },
	{ "high_ids_id8", "missing-frame", HPROF_WARNING, 0x58, 5, 1 },
	{ "check-frames", "missing-frame", HPROF_WARNING, 0x130, 3, 1 },
	{ "check-many", "missing-string", HPROF_WARNING, 0x97, 0x20, 11 },
	{ "check-late", "missing-super", HPROF_WARNING, 0x155, 0x20, 1 },
	{ "roots_threads", "missing-thread", HPROF_WARNING, 0x4e5, 3, 1 },
	{ "roots_threads", "missing-trace", HPROF_WARNING, 0x507, 8, 1 },
	{ "class_super_cycle", "not-checked", HPROF_NOTE, NOWHERE, 0x100, 1 },
	{ "class_super_cycle", "super-cycle", HPROF_WARNING, 0x4d4, 0x20, 2 },
	{ "class_missing", "unknown-class", HPROF_WARNING, 0x2de, 0x21, 3 },

	{ "android", "jdk-android", HPROF_ERROR, 0x148, 0x89, 9 },
	{ "check-late", "jdk-class-order", HPROF_ERROR, 0xcf, 0x21, 1 },
	{ "check-segments", "jdk-frame-order", HPROF_ERROR, 0x1f, 5, 1 },
	{ "length_zero_to_eof", "jdk-length", HPROF_ERROR, 0x2d5, 0xc, 1 },
	{ "check-segments", "jdk-name-order", HPROF_WARNING, 0x38, 2, 2 },
	{ "class_not_loaded", "jdk-name-order", HPROF_WARNING, 0x660, 0x20, 1 },
	{ "check-segments", "jdk-segments", HPROF_ERROR, 0x9f, 0x1c, 1 },
	{ "two_dumps_plain", "jdk-several-dumps", HPROF_WARNING, NOWHERE, 0x100,
	  1 },
	{ "check-frames", "jdk-thread-order", HPROF_ERROR, 0x157, 2, 1 },
	{ "check-segments", "jdk-thread-order", HPROF_ERROR, 0xb5, 6, 2 },
	{ "android", "jdk-version", HPROF_ERROR, 0, 'J', 1 },
	{ "android", "mat-android", HPROF_ERROR, 0x148, 0x89, 9 },
	{ "check-late", "mat-class", HPROF_WARNING, NOWHERE, 0x100, 3 },
	{ "length_zero_to_eof", "mat-length", HPROF_ERROR, 0x2d5, 0xc, 1 },
	{ "unknown_records", "mat-unknown-record", HPROF_ERROR, 0x1f, 0x10, 4 },
	{ "header_version", "mat-version", HPROF_ERROR, 0, 'J', 1 },
	{ "check-late", "visualvm-class", HPROF_WARNING, NOWHERE, 0x100, 3 },
	{ "check-many", "visualvm-class", HPROF_ERROR, NOWHERE, 0x100, 4 },
	{ "empty_segments", "visualvm-empty", HPROF_ERROR, 0x2d5, 0x1c, 4 },
	{ "between_segments", "visualvm-gap", HPROF_ERROR, 0x4ec, 0x1c, 2 },
	{ "android", "visualvm-jni-monitor", HPROF_ERROR, 0x161, 0x8e, 1 },
	{ "cut_sub", "visualvm-no-end", HPROF_ERROR, NOWHERE, 0x100, 1 },
	{ "android", "visualvm-nodata", HPROF_ERROR, 0x2a1, 0xc3, 1 },
	{ "unknown_records", "visualvm-unknown-record", HPROF_ERROR, 0x38, 0x99,
	  2 },
	{ "header_version", "visualvm-version", HPROF_ERROR, 0, 'J', 1 },
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void expect_code(const struct expected *e)
{
	const struct hprof_check_code *code = code_named(e->code);
	struct code_search s = { .code = e->code,
				 .severity = e->severity,
				 .offset = e->offset };
	struct fixture f = fixture_load(e->fixture);
	struct hprof_check_result *result = check_bytes(f.bytes, f.size, ALL);

	cr_assert(result != NULL && code != NULL, "%s", e->fixture);
	hprof_check_result_list(result, search_code, &s);
	cr_expect(s.hits > 0, "%s: %s at 0x%llx", e->fixture, e->code,
		  (unsigned long long)e->offset);
	cr_expect_eq(code_count(result, e->code), e->count,
		     "%s: %s: %llu times", e->fixture, e->code,
		     (unsigned long long)code_count(result, e->code));
	cr_expect(e->severity <= code->severity, "%s", e->code);
	if (e->byte < 0x100)
		cr_expect(e->offset < f.size && f.bytes[e->offset] == e->byte,
			  "%s: %s: another byte", e->fixture, e->code);
	hprof_check_result_free(result);
	fixture_free(&f);
}

Test(check_codes, codes)
{
	for (size_t i = 0; i < EXPECTED; i++)
		expect_code(&expected[i]);
}

/* For codes that no recipe can produce: RESULT has CODE there, once. */
static void expect_one(struct hprof_check_result *result, const char *code,
		       enum hprof_severity severity, uint64_t offset)
{
	struct code_search s = { .code = code,
				 .severity = severity,
				 .offset = offset };

	cr_assert(result != NULL, "%s", code);
	hprof_check_result_list(result, search_code, &s);
	cr_expect_eq(s.hits, 1, "%s", code);
	cr_expect_eq(code_count(result, code), 1, "%s", code);
	hprof_check_result_free(result);
}

static const char *const made_here[] = { "bad-compression", "trailing-garbage",
					 "several-members", "length-wrapped",
					 "part-files" };

/* Every code is tested, with its worst severity. */
Test(check_codes, codes_are_complete)
{
	const struct hprof_check_code *code;

	for (unsigned i = 0; (code = hprof_check_code(i)); i++) {
		unsigned met = 0;
		for (size_t k = 0; k < EXPECTED; k++)
			if (strcmp(expected[k].code, code->code) == 0)
				met |= 1U << expected[k].severity;
		for (size_t k = 0; k < sizeof made_here / sizeof *made_here;
		     k++)
			if (strcmp(made_here[k], code->code) == 0)
				met |= 1U << code->severity;
		if (strcmp(code->code, "no-heap") == 0) /* see below */
			met |= 1U << code->severity;
		cr_expect(met >> code->severity & 1, "%s", code->code);
		cr_expect(code->meaning[0] != '\0' && code->readers <= ALL &&
			  (code->readers & (code->readers - 1)) == 0);
	}
}

static struct buffer gzip(const void *bytes, size_t size)
{
	struct buffer b = { .bytes = malloc(size + 1024), .room = size + 1024 };
	z_stream z = { .next_in = (Bytef *)bytes, .avail_in = (uInt)size };

	cr_assert(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0) == Z_OK);
	z.next_out = b.bytes;
	z.avail_out = (uInt)b.room;
	cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	b.size = z.total_out;
	deflateEnd(&z);
	return b;
}

Test(check_codes, compression)
{
	struct fixture f = fixture_load("shop_id8");
	struct buffer b = gzip(f.bytes, f.size);

	buffer_add(&b, "garbage", 7);
	expect_one(check_bytes(b.bytes, b.size, 0), "trailing-garbage",
		   HPROF_WARNING, NOWHERE);
	b.size -= 7;
	b.bytes[b.size - 8] ^= 1; /* the checksum */
	expect_one(check_bytes(b.bytes, b.size, 0), "bad-compression",
		   HPROF_ERROR, f.size);
	buffer_free(&b);
	fixture_free(&f);
}

static void add_member(struct buffer *tar, const char *name,
		       const struct fixture *f)
{
	static const char zeros[512];
	char head[512] = { 0 };
	unsigned sum = 0;

	snprintf(head, 100, "%s", name);
	memcpy(head + 100, "0000644\0000000000\0000000000", 24);
	snprintf(head + 124, 12, "%011o", (unsigned)f->size);
	snprintf(head + 136, 12, "%011o", 0U);
	memset(head + 148, ' ', 8);
	memcpy(head + 156, "0", 1);
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof head; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	buffer_add(tar, head, sizeof head);
	buffer_add(tar, f->bytes, f->size);
	buffer_add(tar, zeros, (size_t)(-f->size % 512));
}

Test(check_codes, members)
{
	static const char zeros[1024];
	struct fixture f = fixture_load("shop_id8");
	struct buffer tar = { 0 };

	add_member(&tar, "a.hprof", &f);
	add_member(&tar, "b.hprof", &f);
	buffer_add(&tar, zeros, sizeof zeros);
	expect_one(check_piped(tar.bytes, tar.size, 0), "several-members",
		   HPROF_WARNING, NOWHERE);
	buffer_free(&tar);
	fixture_free(&f);
}

Test(check_codes, part_files)
{
	struct fixture f = fixture_load("no_end");
	char part[80];

	snprintf(part, sizeof part, "%s.p0", check_dump_path());
	maker_file(part, "x", 1);
	expect_one(check_bytes(f.bytes, f.size, 0), "part-files", HPROF_ERROR,
		   NOWHERE);
	unlink(part);
	fixture_free(&f);
}

/* Classes, and then nothing: the heap is lost. */
Test(check_codes, no_heap)
{
	struct maker m = maker_begin(4);

	maker_load(&m, 0x1000, "java/lang/Object");
	expect_one(check_bytes(m.out.bytes, m.out.size, 0), "no-heap",
		   HPROF_ERROR, m.out.size);
	buffer_free(&m.out);
}

/* A byte[] of nearly 4 GiB in a file with a hole, and something behind it. */
Test(check_codes, length_wrapped)
{
	const uint64_t large = 0xfffffff0;
	struct maker m = maker_begin(4);
	uint64_t at;
	int fd;

	maker_load(&m, 0x1000, "java/lang/Object");
	at = m.out.size;
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_prims(&m, 0x2000, HPROF_TYPE_BYTE, 0);
	memset(m.out.bytes + m.out.size - 5, 0xff, 3); /* the count */
	m.out.bytes[m.out.size - 2] = 0xf0;
	maker_heap_end(&m);
	fd = open(check_dump_path(), O_RDWR | O_CREAT | O_TRUNC, 0600);
	cr_assert(write(fd, m.out.bytes, m.out.size) == (ssize_t)m.out.size);
	m.out.size = 0;
	maker_prims(&m, 0x3000, HPROF_TYPE_BYTE, 64);
	if (lseek(fd, (off_t)large, SEEK_CUR) < 0 ||
	    write(fd, m.out.bytes, m.out.size) != (ssize_t)m.out.size) {
		unlink(check_dump_path());
		cr_skip_test("no room for a file with a hole");
	}
	/* length = 14 + large + 78, modulo 2^32 */
	cr_assert(pwrite(fd, "\0\0\0\x4c", 4, (off_t)at + 5) == 4);
	close(fd);
	struct hprof_check_result *result = check_path(check_dump_path(), ALL);
	cr_assert(result != NULL);
	cr_expect_eq(code_count(result, "jdk-length"), 1);
	cr_expect_eq(code_count(result, "mat-length"), 0);
	cr_expect_eq(result->objects, 2);
	expect_one(result, "length-wrapped", HPROF_WARNING, at);
	unlink(check_dump_path());
	buffer_free(&m.out);
}

/* ---- no other code ------------------------------------------------------- */

static void look_up(void *user, const struct hprof_diagnostic *d)
{
	const struct hprof_check_code *code = code_named(d->code);

	cr_expect(code != NULL, "%s: %s", (const char *)user, d->code);
	cr_expect(code == NULL || d->severity <= code->severity, "%s: %s",
		  (const char *)user, d->code);
}

static void expect_alone(const char *name, unsigned readers,
			 const struct hprof_check_result *result)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < result->code_count; i++) {
		const struct hprof_check_code *code =
			code_named(result->codes[i].code);
		sum += result->codes[i].count;
		cr_expect(code && (!code->readers || code->readers & readers),
			  "%s: %s", name, result->codes[i].code);
	}
	cr_expect_eq(sum, result->errors + result->warnings + result->notes,
		     "%s", name);
}

/* Each set of readers adds only its own codes and changes no others. */
Test(check_codes, fixtures)
{
	for (char **name = fixture_names(); *name; name++) {
		struct hprof_check_result *plain = check_fixture(*name, 0);
		for (unsigned readers = 0; plain && readers <= ALL; readers++) {
			struct hprof_check_result *result =
				check_fixture(*name, readers);
			cr_assert(result != NULL);
			hprof_check_result_list(result, look_up, *name);
			expect_alone(*name, readers, result);
			cr_expect(result->errors >= plain->errors);
			cr_expect_eq(result->notes, plain->notes);
			hprof_check_result_free(result);
		}
		hprof_check_result_free(plain);
	}
}
