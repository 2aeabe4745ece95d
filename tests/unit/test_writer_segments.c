/* SPDX-License-Identifier: MIT */
/*
 * test_writer_segments.c - segments of the writer's own making.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../inputs.h"

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
		cr_assert_eq(hprof_sub_decode(p, size, id_size, &record, &used),
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

	cr_assert_eq(hprof_header_decode(dump->bytes, dump->size, &header, &at),
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
		unsigned subs = count_subs(p + HPROF_RECORD_HEADER, r.length,
					   header.id_size);
		cr_assert(used <= 1 << 20 || subs == 1);
		if (used > layout.largest)
			layout.largest = used;
	}
	return layout;
}

static bool has_end(const struct fixture *f)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	bool found = false;

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(f->bytes, f->size), NULL,
				       &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK)
		found = found || r.tag == HPROF_HEAP_DUMP_END;
	hprof_reader_close(reader);
	return found;
}

/* All good fixtures, all dumps in them: the same records and dumps. */
Test(writer_segments, one_dump)
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
			struct buffer is = record_stream(copy.bytes, copy.size);
			good++;
			cr_expect_eq(layout.heap_dumps, 0u);
			cr_expect_leq(layout.ends, 1u, "%s", *name);
			cr_expect_eq(layout.ends,
				     layout.segments > 0 || has_end(&f), "%s",
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
Test(writer_segments, several_dumps)
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
		cr_assert_eq(hprof_reader_open(INPUT_MEMORY(f.bytes, f.size),
					       &in, &r, NULL),
			     HPROF_OK);
		cr_assert_eq(hprof_writer_open_callback(buffer_add, &copy, NULL,
							&w, NULL),
			     HPROF_OK);
		cr_assert_eq(copy_records(r, w), HPROF_OK);
		cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
		hprof_writer_free(w);
		hprof_reader_close(r);

		cr_expect_eq(look_at(&copy).ends, files[i].dumps, "%s",
			     files[i].name);
		cr_assert_eq(
			hprof_reader_open(INPUT_MEMORY(copy.bytes, copy.size),
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

Test(writer_segments, large)
{
	struct buffer large = large_dump(NULL, 30 << 20);
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
	/* Bodies in memory and bodies written later give the same. */
	cr_assert_eq(
		copy_dump(large.bytes, large.size, NULL, false, &copy, NULL),
		HPROF_OK);
	cr_expect(same(&copy, &large));
	buffer_free(&copy);
	cr_assert_eq(
		copy_dump(large.bytes, large.size, NULL, true, &copy, NULL),
		HPROF_OK);
	cr_expect(same(&copy, &large));
	buffer_free(&copy);
	buffer_free(&stream);
	buffer_free(&large);
}

/* Version 1.0.1 cannot have segments; others are kept. */
Test(writer_segments, versions)
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
			cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
			cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
			cr_assert_str_eq((char *)out.bytes,
					 versions[i][exact ? 0 : 1]);
			hprof_writer_free(w);
			buffer_free(&out);
		}
	}
}
