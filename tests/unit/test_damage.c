/* SPDX-License-Identifier: MIT */
/*
 * test_damage.c - small good dumps cut anywhere and with any byte changed:
 * the reader comes to an end, a stream and units say the same as memory, and
 * a part never yields more than the whole. Long bodies, cut and whole.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../trace.h"
#include "../inputs.h"
#include "maker.h"

static const char *const good[] = {
	"minimal",     "shop_id8",	     "shop_id4",      "standard_id4",
	"shark_pairs", "two_dumps_segments", "element_class", "unknown_records",
};
enum { GOOD = sizeof good / sizeof *good, FLIPPED = 4 };

/* An exact copy, so that a sanitizer sees one byte too many. */
static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size + (size == 0));

	cr_assert(copy != NULL);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

static struct trace from_memory(const uint8_t *bytes, size_t size, bool say)
{
	struct trace trace = { 0 };
	struct hprof_reader_options options = trace_options(&trace);
	struct hprof_reader *reader;

	if (!say)
		options.diagnostic = NULL;
	trace.status = hprof_reader_open(INPUT_MEMORY(bytes, size), &options,
					 &reader, NULL);
	if (trace.status == HPROF_OK) {
		trace_read(&trace, reader, say, say);
		hprof_reader_close(reader);
	}
	return trace;
}

/* All ways to read BYTES agree. */
static void check_agreement(const char *name, size_t at, const uint8_t *bytes,
			    size_t size)
{
	struct trace memory = from_memory(bytes, size, true);
	struct trace stream = trace_stream(bytes, size, at % 2 ? 1 : 97);
	struct trace units = { 0 };

	cr_assert_eq(trace_difference(&memory, &stream), SIZE_MAX,
		     "%s at %zu: a stream differs", name, at);
	cr_assert(memory.status == stream.status);
	if (trace_units(&units, bytes, size))
		cr_assert_eq(trace_difference(&memory, &units), SIZE_MAX,
			     "%s at %zu: units differ", name, at);
	trace_free(&memory);
	trace_free(&stream);
	trace_free(&units);
}

Test(damage, cut_anywhere)
{
	for (size_t i = 0; i < GOOD; i++) {
		struct fixture f = fixture_load(good[i]);
		struct trace whole = from_memory(f.bytes, f.size, false);

		for (size_t n = 0; n < f.size; n++) {
			uint8_t *part = copy_of(f.bytes, n);
			struct trace trace = from_memory(part, n, false);
			cr_assert(trace.status == HPROF_END || n < 64);
			cr_assert_leq(trace.count, whole.count);
			cr_assert(trace.count == 0 ||
					  memcmp(trace.words, whole.words,
						 trace.count * 8) == 0,
				  "%s, %zu bytes: other records", f.name, n);
			trace_free(&trace);
			check_agreement(f.name, n, part, n);
			free(part);
		}
		trace_free(&whole);
		fixture_free(&f);
	}
}

static void flip(unsigned first, unsigned mask)
{
	struct fixture f = fixture_load(good[first]);

	for (size_t at = 0; at < f.size; at++) {
		f.bytes[at] ^= (uint8_t)mask;
		check_agreement(f.name, at, f.bytes, f.size);
		f.bytes[at] ^= (uint8_t)mask;
	}
	fixture_free(&f);
}

Test(damage, every_byte_inverted)
{
	for (unsigned i = 0; i < FLIPPED; i++)
		flip(i, 0xff);
}

Test(damage, every_low_bit)
{
	for (unsigned i = 0; i < FLIPPED; i++)
		flip(i, 0x01);
}

Test(damage, every_high_bit)
{
	for (unsigned i = 0; i < FLIPPED; i++)
		flip(i, 0x80);
}

/* ---- what fuzzing and review found --------------------------------------- */

/* Bytes in the middle that are not a record, followed by the END record. */
Test(damage, record_behind_garbage)
{
	static const char *const garbage[] = { "\xee", "\x7f\x7f\x7f\x7f",
					       "no record at all" };

	for (unsigned i = 0; i < 4; i++) {
		struct maker m = maker_begin(8);
		uint8_t zeros[40] = { 0 };
		struct hprof_record end = { .tag = HPROF_HEAP_DUMP_END };
		maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		maker_prims(&m, 0x1000, HPROF_TYPE_BYTE, 5);
		maker_heap_end(&m);
		if (i < 3)
			buffer_add(&m.out, garbage[i], strlen(garbage[i]));
		else
			buffer_add(&m.out, zeros, sizeof zeros);
		maker_put(&m, &end);
		struct trace trace = from_memory(m.out.bytes, m.out.size, true);
		cr_expect_eq(trace.records, 3, "%u: END is found", i);
		cr_expect_eq(trace.severe[HPROF_ERROR], 1);
		check_agreement("garbage", i, m.out.bytes, m.out.size);
		trace_free(&trace);
		buffer_free(&m.out);
	}
}

/* A HEAP_DUMP whose last sub-record crosses its end and that of the file. */
Test(damage, crosses_both_ends)
{
	struct maker m = maker_begin(4);

	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_prims(&m, 0x1000, HPROF_TYPE_BYTE, 5);
	buffer_add(&m.out, "\x20\0", 2);
	maker_heap_end(&m);
	buffer_add(&m.out, "\0\0\0\0", 4);
	struct trace trace = from_memory(m.out.bytes, m.out.size, true);
	cr_expect_eq(trace.status, HPROF_END);
	cr_expect_eq(trace.severe[HPROF_ERROR], 2);
	trace_free(&trace);
	check_agreement("both ends", 0, m.out.bytes, m.out.size);
	check_agreement("both ends", 1, m.out.bytes, m.out.size);
	buffer_free(&m.out);
}

/* ---- long bodies --------------------------------------------------------- */

/* A string, an array and an unknown record, all longer than any window. */
static struct maker long_dump(void)
{
	enum { LONG = 5 << 20 };
	struct maker m = maker_begin(8);
	uint8_t *bytes = malloc(LONG);

	cr_assert(bytes != NULL);
	for (size_t i = 0; i < LONG; i++)
		bytes[i] = (uint8_t)maker_random(&m, 256);
	struct hprof_record records[] = {
		{ .tag = HPROF_UTF8, .u.utf8 = { 1, { bytes, LONG } } },
		{ .tag = 0x77, .u.unknown = { { bytes, LONG - 1 } } },
		{ .tag = HPROF_PRIM_ARRAY_DUMP,
		  .u.prim_array_dump = { 0x1000,
					 0,
					 LONG - 2,
					 HPROF_TYPE_BYTE,
					 { bytes, LONG - 2 } } },
		{ .tag = HPROF_OBJ_ARRAY_DUMP,
		  .id_size = 8,
		  .u.obj_array_dump = { 0x2000,
					0,
					LONG / 8,
					0x10,
					{ bytes, LONG } } },
	};
	maker_put(&m, &records[0]);
	maker_put(&m, &records[1]);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_put(&m, &records[2]);
	maker_put(&m, &records[3]);
	maker_prims(&m, 0x3000, HPROF_TYPE_LONG, 3);
	maker_heap_end(&m);
	free(bytes);
	return m;
}

Test(damage, long_bodies)
{
	struct maker m = long_dump();
	struct trace memory = from_memory(m.out.bytes, m.out.size, true);

	cr_expect_eq(memory.records, 6);
	cr_expect(memory.severe[HPROF_ERROR] == 0 &&
		  memory.severe[HPROF_WARNING] == 0);
	for (unsigned i = 0; i < 4; i++) {
		static const size_t most[] = { 9, 1000, 40000, 1 << 30 };
		struct trace stream =
			trace_stream(m.out.bytes, m.out.size, most[i]);
		cr_expect_eq(trace_difference(&memory, &stream), SIZE_MAX);
		trace_free(&stream);
	}
	trace_free(&memory);
	buffer_free(&m.out);
}

/* Cut inside a long body: the record, the rest of its body, the reason. */
Test(damage, long_bodies_cut)
{
	struct maker m = long_dump();
	static const struct {
		size_t size;
		unsigned records;
	} cuts[] = { { 3 << 20, 1 }, { 13 << 20, 4 }, { 18 << 20, 5 } };

	for (unsigned i = 0; i < 3; i++) {
		struct trace memory =
			from_memory(m.out.bytes, cuts[i].size, true);
		struct trace stream =
			trace_stream(m.out.bytes, cuts[i].size, 8191);
		cr_expect_eq(memory.records, cuts[i].records, "%u", i);
		cr_expect_eq(memory.severe[HPROF_ERROR], 1);
		cr_expect_eq(trace_difference(&memory, &stream), SIZE_MAX);
		trace_free(&memory);
		trace_free(&stream);
	}
	buffer_free(&m.out);
}

/* The body can be read in pieces of any size; the rest is skipped. */
Test(damage, body_in_pieces)
{
	struct maker m = long_dump();
	struct hprof_reader *reader;
	struct hprof_record record;
	uint8_t piece[4096];
	size_t got, taken = 0;

	cr_assert(hprof_reader_open(INPUT_MEMORY(m.out.bytes, m.out.size), NULL,
				    &reader, NULL) == HPROF_OK);
	cr_expect_eq(hprof_reader_body(reader, piece, 1, &got), HPROF_E_USAGE);
	cr_assert(hprof_reader_next(reader, &record) == HPROF_OK);
	const uint8_t *text = m.out.bytes + record.offset + 9 + 8;
	cr_expect(record.u.utf8.text.data == NULL);
	for (size_t room = 0; room < sizeof piece; room += 7) {
		cr_assert(hprof_reader_body(reader, piece, room, &got) ==
			  HPROF_OK);
		cr_assert(got <= room);
		cr_assert_eq(memcmp(piece, text + taken, got), 0);
		taken += got;
	}
	cr_assert(hprof_reader_next(reader, &record) == HPROF_OK);
	cr_expect_eq(record.tag, 0x77);
	hprof_reader_close(reader);
	buffer_free(&m.out);
}

/* ---- 4 GiB --------------------------------------------------------------- */

/* The head of a byte array, then a hole in the file. */
static uint64_t put_hole(int fd, uint64_t at, uint32_t count)
{
	struct maker m = maker_begin(8);
	size_t from;

	maker_heap(&m, HPROF_HEAP_DUMP);
	from = m.out.size;
	maker_prims(&m, at, HPROF_TYPE_BYTE, 0);
	for (unsigned i = 0; i < 4; i++)
		m.out.bytes[from + 13 + i] = (uint8_t)(count >> (24 - 8 * i));
	size_t size = m.out.size - from;
	cr_assert(pwrite(fd, m.out.bytes + from, size, (off_t)at) ==
		  (ssize_t)size);
	buffer_free(&m.out);
	return at + size + count;
}

/*
 * A HEAP_DUMP of about GIB GiB whose length has wrapped, and a record behind
 * it; CUT bytes are missing.
 */
static int sparse_dump(unsigned gib, uint64_t cut)
{
	static const uint8_t behind[] = { 0x0b, 0, 0, 0, 0, 0, 0,
					  0,	4, 0, 0, 0, 7 };
	struct maker m = maker_begin(8);
	uint64_t at;
	FILE *file = tmpfile();
	int fd = dup(fileno(file));

	fclose(file);
	maker_heap(&m, HPROF_HEAP_DUMP);
	at = m.out.size;
	for (unsigned i = 0; i < gib; i++)
		at = put_hole(fd, at, (1u << 30) - 100 + i);
	uint32_t length = (uint32_t)(at - m.out.size);
	for (unsigned i = 0; i < 4; i++)
		m.out.bytes[m.heap_at + 5 + i] =
			(uint8_t)(length >> (24 - 8 * i));
	cr_assert(pwrite(fd, m.out.bytes, m.out.size, 0) ==
		  (ssize_t)m.out.size);
	cr_assert(pwrite(fd, behind, sizeof behind, (off_t)at) ==
		  (ssize_t)sizeof behind);
	cr_assert(ftruncate(fd, (off_t)(at + sizeof behind - cut)) == 0);
	cr_assert(lseek(fd, 0, SEEK_SET) == 0);
	buffer_free(&m.out);
	return fd;
}

/* Q2: whether the wrapped end lies inside a sub-record or between two. */
Test(damage, length_wrapped)
{
	for (unsigned gib = 3; gib <= 13; gib += 2) {
		struct trace trace = { 0 };
		struct hprof_reader_options options = trace_options(&trace);
		struct hprof_reader *reader;
		int fd = sparse_dump(gib, 0);
		cr_assert(hprof_reader_open(INPUT_FD(fd), &options, &reader,
					    NULL) == HPROF_OK);
		trace_read(&trace, reader, false, true);
		cr_expect_eq(trace.records, 1 + gib + 1, "%u GiB", gib);
		cr_expect_eq(trace.severe[HPROF_ERROR], 0, "%u GiB", gib);
		cr_expect_eq(trace.severe[HPROF_WARNING], gib > 4, "%u GiB",
			     gib);
		hprof_reader_close(reader);
		trace_free(&trace);
		close(fd);
	}
}
