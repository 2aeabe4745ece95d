/*
 * test_writer.c - what the writer makes of records: exact copies, segments of
 * its own, long bodies; and options that are refused.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t zeros[1 << 20];

/* Takes a dump in any form to plain bytes, by the reader. */
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

/* What the reader takes without an error is copied to the same bytes. */
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
			/* Refused by the reader, or it has complained. */
			struct hprof_reader *r;
			struct hprof_record record;
			struct hprof_reader_options o = { .size = sizeof o,
							  .exact = true };
			if (hprof_reader_open_memory(f.bytes, f.size, &o, &r,
						     NULL) == HPROF_OK) {
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
		      { HPROF_XZ, 0, "\xfd" "7zX" },
		      { HPROF_XZ, 1, "\xfd" "7zX" } };
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
			cr_expect(memcmp(packed.bytes, kinds[j].magic, 4) ==
				  0);
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

	cr_assert_eq(hprof_writer_open_callback(count_bytes, count, &o, &w,
						NULL),
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

/* ---- segments of the writer's own making --------------------------------- */

struct layout {
	unsigned segments, ends, heap_dumps;
	size_t largest;
};

/* How many sub-records but HEAP_DUMP_INFO are in a segment? */
static unsigned count_subs(const uint8_t *p, size_t size, unsigned id_size)
{
	struct hprof_record record;
	unsigned count = 0;
	size_t used;

	for (; size > 0; p += used, size -= used) {
		cr_assert_eq(hprof_sub_decode(p, size, id_size, &record,
					      &used),
			     HPROF_OK);
		count += record.tag != HPROF_HEAP_DUMP_INFO;
	}
	return count;
}

/* Walks over the records by their lengths, without the reader. */
static struct layout look_at(const struct buffer *dump)
{
	struct layout layout = { 0 };
	struct hprof_header header;
	size_t at, used;

	cr_assert_eq(hprof_header_decode(dump->bytes, dump->size, &header,
					 &at),
		     HPROF_OK);
	cr_assert_str_neq(header.version, "JAVA PROFILE 1.0.1");
	for (; at < dump->size; at += used) {
		const uint8_t *p = dump->bytes + at;
		struct hprof_record r;
		cr_assert_eq(hprof_record_decode(p, dump->size - at,
						 header.id_size, &r, &used),
			     HPROF_OK);
		layout.heap_dumps += r.tag == HPROF_HEAP_DUMP;
		layout.ends += r.tag == HPROF_HEAP_DUMP_END;
		if (r.tag != HPROF_HEAP_DUMP_SEGMENT)
			continue;
		layout.segments++;
		cr_assert_neq(r.length, 0u);
		unsigned subs =
			count_subs(p + HPROF_RECORD_HEADER, r.length,
				   header.id_size);
		cr_assert(used <= 1 << 20 || subs == 1);
		if (used > layout.largest)
			layout.largest = used;
	}
	return layout;
}

/* All good fixtures, all dumps in them: the same records and dumps. */
Test(writer, own_segments)
{
	unsigned good = 0;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct buffer copy = { 0 }, again = { 0 };
		struct hprof_reader_info info = { 0 }, after;
		if (copy_dump(f.bytes, f.size, NULL, false, &copy, &info) ==
			    HPROF_OK &&
		    info.errors == 0) {
			struct layout layout = look_at(&copy);
			struct buffer was = record_stream(f.bytes, f.size);
			struct buffer is =
				record_stream(copy.bytes, copy.size);
			good++;
			cr_expect_eq(layout.heap_dumps, 0u);
			cr_expect_leq(layout.ends, 1u, "%s", *name);
			cr_expect_eq(layout.ends, layout.segments > 0, "%s",
				     *name);
			cr_expect(same(&was, &is), "%s", *name);
			/* Once more changes nothing. */
			cr_expect_eq(copy_dump(copy.bytes, copy.size, NULL,
					       false, &again, &after),
				     HPROF_OK);
			cr_expect(same(&copy, &again), "%s", *name);
			cr_expect_eq(after.errors, 0u, "%s", *name);
			cr_expect_leq(after.warnings, info.warnings, "%s",
				      *name);
			buffer_free(&was);
			buffer_free(&is);
		}
		buffer_free(&copy);
		buffer_free(&again);
		fixture_free(&f);
	}
	cr_assert_geq(good, 30u);
}

/* Every dump of a file with several stays one dump. */
Test(writer, own_segments_of_several_dumps)
{
	static const struct {
		const char *name;
		unsigned dumps;
	} files[] = { { "two_dumps_segments", 2 },
		      { "two_dumps_plain", 2 },
		      { "shark_pairs", 1 },
		      { "standard_id4", 1 } };
	struct hprof_reader_options in = { .size = sizeof in, .exact = true };
	struct hprof_record record;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct fixture f = fixture_load(files[i].name);
		struct buffer copy = { 0 };
		struct hprof_reader *r;
		struct hprof_writer *w;
		struct hprof_reader_info info;
		cr_assert_eq(hprof_reader_open_memory(f.bytes, f.size, &in, &r,
						      NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_open_callback(buffer_add, &copy,
							NULL, &w, NULL),
			     HPROF_OK);
		cr_assert_eq(copy_records(r, w), HPROF_OK);
		cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
		hprof_writer_free(w);
		hprof_reader_close(r);

		cr_expect_eq(look_at(&copy).ends, files[i].dumps, "%s",
			     files[i].name);
		cr_assert_eq(hprof_reader_open_memory(copy.bytes, copy.size,
						      NULL, &r, NULL),
			     HPROF_OK);
		while (hprof_reader_next(r, &record) == HPROF_OK)
			continue;
		hprof_reader_get_info(r, &info);
		cr_expect_eq(info.dump_count, files[i].dumps, "%s",
			     files[i].name);
		cr_expect(info.complete);
		hprof_reader_close(r);
		buffer_free(&copy);
		fixture_free(&f);
	}
}

/* What put_large_dump puts, without segments in between. */
static struct buffer large_stream(size_t size)
{
	struct buffer one = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &one, NULL, &w,
						NULL),
		     HPROF_OK);
	cr_assert_eq(put_large_dump(w, size), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert_eq(hprof_writer_size(w), one.size);
	hprof_writer_free(w);
	return one;
}

Test(writer, large_segments)
{
	struct buffer large = large_stream(30 << 20);
	struct layout layout = look_at(&large);
	struct buffer stream = record_stream(large.bytes, large.size);
	struct buffer copy = { 0 };
	size_t arrays = 0, at = 9 + 4 + 3;

	cr_expect_eq(layout.ends, 1u);
	cr_expect_eq(layout.largest, (size_t)9 + 9 + (5 << 19) + 3);
	/* Each with its heap: the one that the last INFO named. */
	for (uint32_t heap = 0; at < stream.size; arrays++) {
		uint32_t got, number = (uint32_t)arrays + 1;
		struct hprof_record array;
		size_t used;
		if (number % 3 == 0)
			heap = number;
		memcpy(&got, stream.bytes + at, sizeof got);
		cr_assert_eq(got, heap, "array %u", number);
		at += sizeof got + sizeof(uint64_t);
		cr_assert_eq(hprof_sub_decode(stream.bytes + at,
					      stream.size - at, 4, &array,
					      &used),
			     HPROF_OK);
		cr_assert_eq(array.u.prim_array_dump.object_id, number);
		at += used;
	}
	cr_expect_gt(arrays, 50u);
	/* Bodies that were loaded and those that came later are alike. */
	cr_assert_eq(copy_dump(large.bytes, large.size, NULL, false, &copy,
			       NULL),
		     HPROF_OK);
	cr_expect(same(&copy, &large));
	buffer_free(&copy);
	cr_assert_eq(copy_dump(large.bytes, large.size, NULL, true, &copy,
			       NULL),
		     HPROF_OK);
	cr_expect(same(&copy, &large));
	buffer_free(&copy);
	buffer_free(&stream);
	buffer_free(&large);
}

/* "1.0.1" cannot have segments, others stay what they are. */
Test(writer, versions)
{
	static const char *const versions[][2] = {
		{ "JAVA PROFILE 1.0.1", "JAVA PROFILE 1.0.2" },
		{ "JAVA PROFILE 1.0.2", "JAVA PROFILE 1.0.2" },
		{ "JAVA PROFILE 1.0.3", "JAVA PROFILE 1.0.3" },
		{ "JAVA PROFILE 1.0.10", "JAVA PROFILE 1.0.10" }
	};

	for (size_t i = 0; i < 4; i++) {
		for (int exact = 0; exact < 2; exact++) {
			struct hprof_writer_options o = { .size = sizeof o,
							  .exact = exact };
			struct hprof_header header = { .id_size = 4 };
			struct buffer out = { 0 };
			struct hprof_writer *w;
			strncpy(header.version, versions[i][0],
				sizeof header.version - 1);
			cr_assert_eq(hprof_writer_open_callback(
					     buffer_add, &out, &o, &w, NULL),
				     HPROF_OK);
			cr_assert_eq(hprof_writer_header(w, &header),
				     HPROF_OK);
			cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
			cr_assert_str_eq((char *)out.bytes,
					 versions[i][exact ? 0 : 1]);
			hprof_writer_free(w);
			buffer_free(&out);
		}
	}
}

/* ---- opening ------------------------------------------------------------- */

Test(writer, bad_options)
{
	static const struct hprof_writer_options bad[] = {
		{ .size = 0 },
		{ .size = sizeof bad[0] + 1 },
		{ .size = sizeof bad[0], .compression = HPROF_XZ + 1 },
		{ .size = sizeof bad[0],
		  .compression = (enum hprof_compression)-1 },
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
	cr_expect_eq(hprof_writer_create(NULL, NULL, &w, NULL),
		     HPROF_E_USAGE);
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

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, &o, &w,
						NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	/* not exact */
	cr_assert_eq(hprof_writer_raw(w, "x", 1), HPROF_E_USAGE);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert_eq(out.bytes[0], 0x1f);
	hprof_writer_free(w);
	buffer_free(&out);
}
