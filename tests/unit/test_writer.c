/* SPDX-License-Identifier: MIT */
/*
 * test_writer.c - what the writer makes of records: exact copies and very long
 * bodies; and options that are refused.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../inputs.h"

static const uint8_t zeros[1 << 20];

/* Reads a dump of any form into plain bytes. */
static struct buffer inflate_dump(const struct buffer *packed)
{
	struct buffer plain = { 0 };

	cr_assert_eq(copy_dump(packed->bytes, packed->size, NULL, true, &plain,
			       NULL),
		     HPROF_OK);
	return plain;
}

/* ---- exactly as given ---------------------------------------------------- */

/* Bytes in front of the header, of a stream of Android's, are not copied. */
static size_t prefix_size(const struct fixture *f)
{
	const uint8_t *found = memmem(f->bytes, f->size, "JAVA PROFILE ", 13);

	return found ? (size_t)(found - f->bytes) : 0;
}

/* What the reader reads without an error is copied to the same bytes. */
Test(writer, exact_copies)
{
	unsigned good = 0, bad = 0;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct buffer copy = { 0 };
		struct hprof_reader_info info = { 0 };
		enum hprof_status status =
			copy_dump(f.bytes, f.size, NULL, true, &copy, &info);
		if (status == HPROF_OK && info.errors == 0) {
			size_t prefix = prefix_size(&f);
			good++;
			cr_expect(copy.size == f.size - prefix &&
					  memcmp(copy.bytes, f.bytes + prefix,
						 copy.size) == 0,
				  "%s", *name);
		} else {
			bad++;
			/* The reader refused it, or reported an error. */
			struct hprof_reader *r;
			struct hprof_record record;
			struct hprof_reader_options o = { .size = sizeof o,
							  .exact = true };
			if (hprof_reader_open(INPUT_MEMORY(f.bytes, f.size), &o,
					      &r, NULL) == HPROF_OK) {
				while (hprof_reader_next(r, &record) ==
				       HPROF_OK)
					continue;
				hprof_reader_get_info(r, &info);
				cr_expect(info.errors > 0, "%s", *name);
				hprof_reader_close(r);
			}
		}
		buffer_free(&copy);
		fixture_free(&f);
	}
	cr_assert_geq(good, 30u);
	cr_assert_geq(bad, 10u);
}

Test(writer, exact_copies_compressed)
{
	static const struct {
		enum hprof_compression compression;
		int level;
		const char *magic;
	} kinds[] = { { HPROF_PLAIN, 0, "JAVA" },
		      { HPROF_GZIP, 0, "\x1f\x8b\b\x10" },
		      { HPROF_GZIP, 9, "\x1f\x8b\b\x10" },
		      { HPROF_ZSTD, 0, "\x28\xb5\x2f\xfd" },
		      { HPROF_ZSTD, 19, "\x28\xb5\x2f\xfd" },
		      { HPROF_XZ, 0,
			"\xfd"
			"7zX" },
		      { HPROF_XZ, 1,
			"\xfd"
			"7zX" } };
	static const char *const names[] = { "minimal", "standard_id8",
					     "standard_id4", "android",
					     "trailing_garbage" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct fixture f = fixture_load(names[i]);
		for (size_t j = 0; j < sizeof kinds / sizeof kinds[0]; j++) {
			struct hprof_writer_options o = {
				.size = sizeof o,
				.compression = kinds[j].compression,
				.level = kinds[j].level,
				.threads = (unsigned)j
			};
			struct buffer packed = { 0 };
			cr_assert_eq(copy_dump(f.bytes, f.size, &o, true,
					       &packed, NULL),
				     HPROF_OK);
			cr_assert_gt(packed.size, (size_t)4);
			cr_expect(memcmp(packed.bytes, kinds[j].magic, 4) == 0);
			struct buffer plain = inflate_dump(&packed);
			cr_expect(plain.size == f.size &&
					  memcmp(plain.bytes, f.bytes,
						 f.size) == 0,
				  "%s of kind %zu", names[i], j);
			buffer_free(&plain);
			buffer_free(&packed);
		}
		fixture_free(&f);
	}
}

static int count_bytes(void *user, const void *bytes, size_t size)
{
	(void)bytes;
	*(uint64_t *)user += size;
	return 0;
}

static struct hprof_writer *open_counting(bool exact, uint64_t *count)
{
	struct hprof_writer_options o = { .size = sizeof o, .exact = exact };
	struct hprof_header header = { "JAVA PROFILE 1.0.1", 8, 0 };
	struct hprof_writer *w;

	cr_assert_eq(
		hprof_writer_open_callback(count_bytes, count, &o, &w, NULL),
		HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	return w;
}

static struct hprof_record long_array(uint64_t count)
{
	struct hprof_record r = byte_array(1, NULL, 8 * count);

	r.u.prim_array_dump.count = (uint32_t)count;
	r.u.prim_array_dump.type = HPROF_TYPE_LONG;
	return r;
}

static void put_zeros(struct hprof_writer *w, uint64_t size)
{
	while (size > 0) {
		size_t n = size < sizeof zeros ? (size_t)size : sizeof zeros;
		cr_assert_eq(hprof_writer_body(w, zeros, n), HPROF_OK);
		size -= n;
	}
}

/* A HEAP_DUMP of more than 4 GiB has a length that wrapped, as HotSpot's. */
Test(writer, length_wraps)
{
	const uint64_t longs = 700000000, size = 18 + 8 * longs;
	uint64_t count = 0;
	struct hprof_writer *w = open_counting(true, &count);
	struct hprof_record heap =
		heap_record(HPROF_HEAP_DUMP, (2 * size) & UINT32_MAX);
	struct hprof_record array = long_array(longs);
	struct hprof_record end = { .tag = HPROF_HEAP_DUMP_END };

	cr_assert_eq(hprof_writer_put(w, &heap), HPROF_OK);
	cr_assert_eq(hprof_writer_put(w, &array), HPROF_OK);
	put_zeros(w, 8 * longs);
	cr_assert_eq(hprof_writer_put(w, &end), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_finish(w), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_put(w, &array), HPROF_OK);
	put_zeros(w, 8 * longs);
	cr_assert_eq(hprof_writer_put(w, &end), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert_eq(count, 31 + 9 + 2 * size + 9);
	cr_assert_eq(hprof_writer_size(w), count);
	hprof_writer_free(w);
}

/* The largest sub-record that a segment can hold, and one larger. */
Test(writer, four_gib)
{
	uint64_t count = 0;
	struct hprof_writer *w = open_counting(false, &count);
	struct hprof_record array = long_array(UINT32_MAX / 8);
	struct hprof_record most = byte_array(1, NULL, UINT32_MAX - 18);
	struct hprof_record more = byte_array(1, NULL, UINT32_MAX - 17);
	struct hprof_record info = { .tag = HPROF_HEAP_DUMP_INFO };

	cr_assert_eq(hprof_writer_put(w, &array), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_put(w, &more), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_size(w), 31);
	cr_assert_eq(hprof_writer_put(w, &most), HPROF_OK);
	put_zeros(w, UINT32_MAX - 18);
	/* An INFO must be in front of it, and then it does not fit. */
	cr_assert_eq(hprof_writer_put(w, &info), HPROF_OK);
	cr_assert_eq(hprof_writer_put(w, &most), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert_eq(count, 31 + 9 + (uint64_t)UINT32_MAX + 9);
	hprof_writer_free(w);
}

/* ---- opening ------------------------------------------------------------- */

Test(writer, bad_options)
{
	static const struct hprof_writer_options bad[] = {
		{ .size = 0 },
		{ .size = sizeof bad[0] + 1 },
		{ .size = sizeof bad[0], .compression = HPROF_XZ + 1 },
		{ .size = sizeof bad[0],
		  .compression = (enum hprof_compression) - 1 },
		{ .size = sizeof bad[0], .level = -1 },
		{ .size = sizeof bad[0],
		  .compression = HPROF_GZIP,
		  .level = 10 },
		{ .size = sizeof bad[0], .compression = HPROF_XZ, .level = 10 },
		{ .size = sizeof bad[0],
		  .compression = HPROF_ZSTD,
		  .level = 20 },
	};
	struct hprof_error error;
	struct hprof_writer *w = NULL;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct buffer out = { 0 };
		cr_expect_eq(hprof_writer_open_callback(buffer_add, &out,
							&bad[i], &w, &error),
			     HPROF_E_USAGE, "%zu", i);
		cr_expect_eq(error.status, HPROF_E_USAGE);
		cr_expect_eq(hprof_writer_open_fd(1, &bad[i], &w, NULL),
			     HPROF_E_USAGE);
		cr_expect_eq(hprof_writer_create("bad", &bad[i], &w, NULL),
			     HPROF_E_USAGE);
	}
	cr_expect_eq(hprof_writer_create(NULL, NULL, &w, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_writer_open_fd(-1, NULL, &w, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_writer_open_callback(NULL, NULL, NULL, &w, NULL),
		     HPROF_E_USAGE);
	cr_expect_null(w);
	hprof_writer_free(NULL);
}

/* Options of a caller that was built against a shorter struct. */
Test(writer, short_options)
{
	struct hprof_writer_options o = {
		.size = offsetof(struct hprof_writer_options, level),
		.compression = HPROF_GZIP,
		.level = 1000,
		.exact = true
	};
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, &o, &w, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	/* not exact */
	cr_assert_eq(hprof_writer_raw(w, "x", 1), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert_eq(out.bytes[0], 0x1f);
	hprof_writer_free(w);
	buffer_free(&out);
}
