/*
 * test_check.c - hprof_check: each code is given for what it stands for, at
 * the right place, and none else; sound dumps have no errors; memory fails
 * cleanly and does not grow with what a file claims.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <hprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fixture.h"
#include "lib/idset.h"
#include "lib/mem.h"
#include "maker.h"

#define ALL (HPROF_FOR_JDK | HPROF_FOR_MAT | HPROF_FOR_VISUALVM)
#define NOWHERE UINT64_MAX

/* ---- checking ------------------------------------------------------------ */

/* Tests run beside each other. */
static const char *dump_path(void)
{
	static char path[64];

	snprintf(path, sizeof path, "test_check.%ld.hprof", (long)getpid());
	return path;
}

static struct hprof_check_result *check_path(const char *path, unsigned readers)
{
	struct hprof_check_options options = { .size = sizeof options,
					       .readers = readers,
					       .threads = 1 };
	struct hprof_check_result *result = NULL;
	struct hprof_error error = { 0 };

	hprof_check(path, &options, &result, &error);
	return result;
}

static struct hprof_check_result *check_bytes(const void *bytes, size_t size,
					      unsigned readers)
{
	struct hprof_check_result *result;

	maker_file(dump_path(), bytes, size);
	result = check_path(dump_path(), readers);
	unlink(dump_path());
	return result;
}

/* NULL for what is no dump at all. */
static struct hprof_check_result *check_fixture(const char *name,
						unsigned readers)
{
	struct fixture f = fixture_load(name);
	struct hprof_check_result *result =
		check_bytes(f.bytes, f.size, readers);

	fixture_free(&f);
	return result;
}

/* The same through a pipe, for not more bytes than that takes. */
static struct hprof_check_result *check_piped(const void *bytes, size_t size,
					      unsigned readers)
{
	struct hprof_check_result *result;
	char path[64];
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], bytes, size) == (ssize_t)size);
	close(ends[1]);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	result = check_path(path, readers);
	close(ends[0]);
	return result;
}

struct search {
	const char *code;
	enum hprof_severity severity;
	uint64_t offset;
	unsigned hits;
	const char *text;
	bool in_text;
};

static void search(void *user, const struct hprof_diagnostic *d)
{
	struct search *s = user;

	if (strcmp(d->code, s->code) != 0)
		return;
	s->in_text = s->in_text || (s->text && strstr(d->text, s->text));
	s->hits += d->severity == s->severity && d->offset == s->offset;
}

static uint64_t count_of(const struct hprof_check_result *result,
			 const char *code)
{
	for (size_t i = 0; i < result->code_count; i++)
		if (strcmp(result->codes[i].code, code) == 0)
			return result->codes[i].count;
	return 0;
}

static const struct hprof_check_code *code_named(const char *name)
{
	const struct hprof_check_code *code;

	for (unsigned i = 0; (code = hprof_check_code(i)); i++)
		if (strcmp(code->code, name) == 0)
			return code;
	return NULL;
}

/* ---- each code ----------------------------------------------------------- */

/* BYTE is what stands at the offset: the tag of the record at fault. */
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
	{ "header_only", "no-heap", HPROF_NOTE, 0x1f, 0x100, 1 },
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
	struct search s = { .code = e->code,
			    .severity = e->severity,
			    .offset = e->offset };
	struct fixture f = fixture_load(e->fixture);
	struct hprof_check_result *result = check_bytes(f.bytes, f.size, ALL);

	cr_assert(result != NULL && code != NULL, "%s", e->fixture);
	hprof_check_result_list(result, search, &s);
	cr_expect(s.hits > 0, "%s: %s at 0x%llx", e->fixture, e->code,
		  (unsigned long long)e->offset);
	cr_expect_eq(count_of(result, e->code), e->count, "%s: %s: %llu times",
		     e->fixture, e->code,
		     (unsigned long long)count_of(result, e->code));
	cr_expect(e->severity <= code->severity, "%s", e->code);
	if (e->byte < 0x100)
		cr_expect(e->offset < f.size && f.bytes[e->offset] == e->byte,
			  "%s: %s: another byte", e->fixture, e->code);
	hprof_check_result_free(result);
	fixture_free(&f);
}

Test(check, codes)
{
	for (size_t i = 0; i < EXPECTED; i++)
		expect_code(&expected[i]);
}

/* A few that no recipe can make: RESULT has CODE there, once. */
static void expect_one(struct hprof_check_result *result, const char *code,
		       enum hprof_severity severity, uint64_t offset)
{
	struct search s = { .code = code,
			    .severity = severity,
			    .offset = offset };

	cr_assert(result != NULL, "%s", code);
	hprof_check_result_list(result, search, &s);
	cr_expect_eq(s.hits, 1, "%s", code);
	cr_expect_eq(count_of(result, code), 1, "%s", code);
	hprof_check_result_free(result);
}

static const char *const made_here[] = { "bad-compression", "trailing-garbage",
					 "several-members", "length-wrapped",
					 "part-files" };

/* Every code is in a test, and every severity is met. */
Test(check, codes_are_complete)
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

Test(check, compression)
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

Test(check, members)
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

Test(check, part_files)
{
	struct fixture f = fixture_load("no_end");
	char part[80];

	snprintf(part, sizeof part, "%s.p0", dump_path());
	maker_file(part, "x", 1);
	expect_one(check_bytes(f.bytes, f.size, 0), "part-files", HPROF_ERROR,
		   NOWHERE);
	unlink(part);
	fixture_free(&f);
}

/* Classes, and then nothing: the rest is lost. */
Test(check, no_heap)
{
	struct maker m = maker_begin(4);

	maker_load(&m, 0x1000, "java/lang/Object");
	expect_one(check_bytes(m.out.bytes, m.out.size, 0), "no-heap",
		   HPROF_ERROR, m.out.size);
	buffer_free(&m.out);
}

/* A byte[] of nearly 4 GiB in a file with a hole, and something behind it. */
Test(check, length_wrapped)
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
	fd = open(dump_path(), O_RDWR | O_CREAT | O_TRUNC, 0600);
	cr_assert(write(fd, m.out.bytes, m.out.size) == (ssize_t)m.out.size);
	m.out.size = 0;
	maker_prims(&m, 0x3000, HPROF_TYPE_BYTE, 64);
	if (lseek(fd, (off_t)large, SEEK_CUR) < 0 ||
	    write(fd, m.out.bytes, m.out.size) != (ssize_t)m.out.size) {
		unlink(dump_path());
		cr_skip_test("no room for a file with a hole");
	}
	/* length = 14 + large + 78, modulo 2^32 */
	cr_assert(pwrite(fd, "\0\0\0\x4c", 4, (off_t)at + 5) == 4);
	close(fd);
	struct hprof_check_result *result = check_path(dump_path(), ALL);
	cr_assert(result != NULL);
	cr_expect_eq(count_of(result, "jdk-length"), 1);
	cr_expect_eq(count_of(result, "mat-length"), 0);
	cr_expect_eq(result->objects, 2);
	expect_one(result, "length-wrapped", HPROF_WARNING, at);
	unlink(dump_path());
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

/* With each set of readers: only its codes, and no effect on the others. */
Test(check, fixtures)
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

/* ---- sound dumps --------------------------------------------------------- */

Test(check, good)
{
	static const char *const names[] = {
		"minimal",	"shop_id4",	    "shop_id8",
		"segment_each", "high_ids_id4",	    "order_strings_last",
		"no_end",	"no_roots",	    "order_objects_first",
		"agent",	"android",	    "two_dumps_segments",
		"shark_pairs",	"between_segments", "standard_id4",
		"standard_id8",
	};
	struct hprof_check_result *result = check_fixture("check-good", ALL);

	cr_assert(result != NULL);
	cr_expect_eq(result->code_count, 0);
	cr_expect_eq(result->objects, 4);
	cr_expect_eq(result->references, 3);
	hprof_check_result_free(result);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		result = check_fixture(names[i], 0);
		cr_assert(result != NULL, "%s", names[i]);
		cr_expect_eq(result->errors, 0, "%s", names[i]);
		hprof_check_result_free(result);
	}
}

/* The second dump has its own verdict. */
Test(check, second_dump)
{
	struct hprof_check_options options = { .size = sizeof options,
					       .dump = 2 };
	struct fixture f = fixture_load("stat-two-dumps");
	struct hprof_check_result *result = NULL;
	struct hprof_error error;

	maker_file(dump_path(), f.bytes, f.size);
	cr_assert(hprof_check(dump_path(), &options, &result, NULL) ==
		  HPROF_OK);
	cr_expect_eq(result->input.dump, 2);
	hprof_check_result_free(result);
	options.dump = 9;
	result = NULL;
	cr_expect(hprof_check(dump_path(), &options, &result, &error) ==
		  HPROF_E_USAGE);
	cr_expect(result == NULL);
	unlink(dump_path());
	fixture_free(&f);
}

Test(check, arguments)
{
	struct hprof_check_options options = { .size = 1 << 20 };
	struct hprof_check_result *result = NULL;
	struct hprof_error error;

	cr_expect(hprof_check(NULL, NULL, &result, &error) == HPROF_E_USAGE);
	cr_expect(hprof_check("x", NULL, NULL, &error) == HPROF_E_USAGE);
	cr_expect(hprof_check("x", &options, &result, NULL) == HPROF_E_USAGE);
	cr_expect(hprof_check("there is no such file", NULL, &result, &error) ==
		  HPROF_E_SYS);
	cr_expect(result == NULL);
	hprof_check_result_free(NULL);
}

/* ---- what a pipe leaves out ---------------------------------------------- */

Test(check, pipe)
{
	struct fixture f = fixture_load("check-late");
	struct hprof_check_result *result = check_piped(f.bytes, f.size, 0);

	cr_assert(result != NULL);
	/* What comes in order is known, and how much is not. */
	cr_expect_eq(count_of(result, "dangling-reference"), 0);
	cr_expect_eq(count_of(result, "missing-super"), 1);
	struct search s = { .code = "dangling-ids", .text = "1 id is" };
	hprof_check_result_list(result, search, &s);
	cr_expect(s.in_text);
	s = (struct search){ .code = "not-checked", .text = ": 3" };
	hprof_check_result_list(result, search, &s);
	cr_expect(s.in_text);
	hprof_check_result_free(result);
	fixture_free(&f);
}

/* Instances on both sides of their class are counted once. */
Test(check, late)
{
	struct hprof_check_result *result = check_fixture("check-late", 0);

	cr_assert(result != NULL);
	cr_expect_eq(result->objects, 4);
	cr_expect_eq(result->references, 4);
	hprof_check_result_free(result);
}

/* References behind the part of an instance that is held in memory. */
Test(check, long_instance)
{
	enum { FIELDS = 20000, ENTRY = 9 };
	uint8_t *fields = calloc(FIELDS, ENTRY);
	struct maker m = maker_begin(8);
	struct hprof_record class_dump = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 8,
		.u.class_dump = { .class_id = 0x1000,
				  .field_count = FIELDS,
				  .fields = { fields, FIELDS * ENTRY } },
	};

	for (size_t i = 0; i < FIELDS; i++)
		fields[i * ENTRY + 8] = HPROF_TYPE_LONG;
	fields[8] = HPROF_TYPE_BYTE; /* so that one crosses a piece's end */
	fields[1025 * ENTRY + 8] = HPROF_TYPE_OBJECT;
	fields[(FIELDS - 1) * ENTRY + 8] = HPROF_TYPE_OBJECT;
	maker_load(&m, 0x1000, "Large");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_put(&m, &class_dump);
	maker_instance(&m, 0x2000, 0x1000, 1 + 8 * (FIELDS - 1));
	m.out.bytes[m.out.size - 1] = 0x10;
	m.out.bytes[m.out.size - 8 * (FIELDS - 1026) - 1] = 0x20;
	maker_heap_end(&m);
	struct hprof_check_result *result =
		check_bytes(m.out.bytes, m.out.size, 0);
	struct search s = { .code = "dangling-reference",
			    .text = "refers to 0x10," };
	hprof_check_result_list(result, search, &s);
	cr_expect(s.in_text);
	s = (struct search){ .code = "dangling-reference",
			     .text = "refers to 0x20," };
	hprof_check_result_list(result, search, &s);
	cr_expect(s.in_text);
	cr_expect_eq(result->references, 2);
	hprof_check_result_free(result);
	buffer_free(&m.out);
	free(fields);
}

/* ---- torture ------------------------------------------------------------- */

/* The Nth allocation fails: no memory is said, or nothing is missing. */
static void torture(const char *name)
{
	enum { QUIET = 50, MANY = 20000 };
	struct fixture f = fixture_load(name);
	struct hprof_check_result *good, *result;
	unsigned successes = 0, failures = 0;

	good = check_bytes(f.bytes, f.size, ALL);
	maker_file(dump_path(), f.bytes, f.size);
	for (int64_t n = 0; successes < QUIET; n++) {
		struct hprof_check_options options = { .size = sizeof options,
						       .readers = ALL };
		struct hprof_error error = { 0 };
		cr_assert(n < MANY, "%s", name);
		result = NULL;
		hp_mem_fail_after(n);
		enum hprof_status status =
			hprof_check(dump_path(), &options, &result, &error);
		hp_mem_fail_after(-1);
		if (status == HPROF_OK) {
			successes++;
			cr_expect_eq(result->errors, good->errors, "%s", name);
			cr_expect_eq(result->warnings, good->warnings, "%s",
				     name);
			cr_expect_eq(result->notes, good->notes, "%s", name);
			hprof_check_result_free(result);
			continue;
		}
		successes = 0;
		failures++;
		cr_assert_eq(status, HPROF_E_NOMEM, "%s, %d", name, (int)n);
		cr_assert_eq(error.status, HPROF_E_NOMEM, "%s", name);
		cr_assert(result == NULL);
	}
	cr_expect(failures > 50, "%s", name);
	unlink(dump_path());
	hprof_check_result_free(good);
	fixture_free(&f);
}

Test(check, torture)
{
	static const char *const names[] = { "check-late",    "check-many",
					     "roots_threads", "class_missing",
					     "dangling",      "objects_jdk8" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		torture(names[i]);
}

/* ---- the set of ids ------------------------------------------------------ */

/* A trivial model: an array. */
struct model {
	struct model_id {
		uint64_t id;
		bool defined, referred;
	} * ids;
	size_t count, room;
};

static struct model_id *model_id(struct model *m, uint64_t id)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->ids[i].id == id)
			return &m->ids[i];
	if (m->count == m->room) {
		m->room = 2 * m->room + 64;
		m->ids = realloc(m->ids, m->room * sizeof *m->ids);
	}
	/* 0 counts as defined. */
	m->ids[m->count] = (struct model_id){ .id = id, .defined = id == 0 };
	return &m->ids[m->count++];
}

static uint64_t random_wide(struct maker *m)
{
	return maker_random(m, 1 << 30) << 34 ^ maker_random(m, 1 << 30) << 17 ^
	       maker_random(m, 1 << 30);
}

static uint64_t random_id(struct maker *m, unsigned kind)
{
	switch (kind) {
	case 0: /* dense addresses */
		return 0xc0000000 + 8 * maker_random(m, 3000);
	case 1: /* dense numbers */
		return 0x50000001 + maker_random(m, 3000);
	case 2: /* scattered */
		return random_wide(m);
	case 3: /* near the end */
		return UINT64_MAX - maker_random(m, 4000);
	case 4: /* a few in a block */
		return maker_random(m, 50) << 15 | maker_random(m, 80) << 3;
	default: /* small, 0 too */
		return maker_random(m, 200);
	}
}

static void expect_model(struct hp_idset *set, const struct model *m)
{
	uint64_t dangling = 0;

	for (size_t i = 0; i < m->count; i++) {
		dangling += m->ids[i].referred && !m->ids[i].defined;
		cr_assert(hp_idset_is_defined(set, m->ids[i].id) ==
			  m->ids[i].defined);
	}
	cr_assert_eq(hp_idset_dangling(set), dangling);
}

Test(idset, model)
{
	struct maker random = { .random = 1 };

	for (unsigned round = 0; round < 14; round++) {
		static struct hp_idset set;
		struct hp_idrun run = { .base = HP_NO_BASE };
		struct model model = { 0 };
		unsigned kind = round % 7;
		cr_assert(hp_idset_init(&set) == 0);
		for (unsigned i = 0; i < 4000; i++) {
			unsigned k =
				kind < 6 ? kind
					 : (unsigned)maker_random(&random, 6);
			uint64_t id = random_id(&random, k);
			struct model_id *m = model_id(&model, id);
			switch (maker_random(&random, 4)) {
			case 0:
				cr_assert(hp_idset_define(&set, id) ==
					  !m->defined);
				m->defined = true;
				break;
			case 1:
				cr_assert(hp_idset_define_next(&set, &run,
							       id) ==
					  !m->defined);
				m->defined = true;
				break;
			default:
				hp_idset_refer(&set, id);
				m->referred = true;
			}
			if (round >= 7) /* some blocks have bits early */
				hp_idset_allow(&set, maker_random(&random, 50));
			if (i % 1000 == 999)
				expect_model(&set, &model);
		}
		expect_model(&set, &model);
		cr_expect(!set.no_memory);
		hp_idset_done(&set);
		free(model.ids);
	}
}

static uint64_t set_bytes(const struct hp_idset *set)
{
	uint64_t bytes = (set->mask + 1) * sizeof *set->slots +
			 set->block_room * sizeof *set->blocks;

	for (size_t i = 0; i <= set->mask; i++) {
		unsigned kind = (unsigned)(set->slots[i].value >> 56);
		/* Lists are at most 64 items, bits are 2 x 4096. */
		bytes += kind == 8 ? 144 : kind == 9 ? 1040 : 0;
	}
	return bytes;
}

/*
 * Objects as in a heap of common programs, 16 to 100 bytes, some large, all
 * referred to: at most 2 bytes each. Scattered ids: a few dozen bytes.
 */
Test(idset, memory)
{
	static struct hp_idset set;
	struct maker random = { .random = 7 };
	uint64_t id = 0x600000000, count = 1000000;

	cr_assert(hp_idset_init(&set) == 0);
	for (uint64_t i = 0; i < count; i++) {
		id += 16 + 8 * maker_random(&random, 8);
		id += maker_random(&random, 50) ? 0 : 200;
		hp_idset_define(&set, id);
		hp_idset_allow(&set, 1);
		hp_idset_refer(&set, id);
	}
	cr_expect(set_bytes(&set) <= 2 * count, "%llu bytes",
		  (unsigned long long)set_bytes(&set));
	hp_idset_done(&set);

	cr_assert(hp_idset_init(&set) == 0);
	for (uint64_t i = 0; i < count; i++)
		hp_idset_refer(&set, random_wide(&random));
	cr_expect(hp_idset_dangling(&set) > count - 10);
	cr_expect(set_bytes(&set) <= 48 * count, "%llu bytes",
		  (unsigned long long)set_bytes(&set));
	hp_idset_done(&set);
}
