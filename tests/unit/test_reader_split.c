/* SPDX-License-Identifier: MIT */
/*
 * test_reader_split.c - a dump read in parts: the same records as in one go, wrong
 * guesses are noticed, and a summary does not depend on the number of
 * threads, whatever the file is like.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../same.h"
#include "../trace.h"
#include "../inputs.h"
#include "maker.h"

enum { MIB = 1 << 20, CLASSES = 40 };

/* ---- large dumps --------------------------------------------------------- */

static uint64_t class_id(unsigned i)
{
	return 0x700000 + i * 0x100;
}

static void load_classes(struct maker *m)
{
	char name[32];

	maker_load(m, 0x600000, "java/lang/Object");
	for (unsigned i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof name, i % 2 ? "[Lpart/C%u;" : "part/C%u",
			 i);
		maker_load(m, class_id(i), name);
	}
}

static void dump_classes(struct maker *m)
{
	struct maker_class c = { 0x600000, 0, 0, "", "IJ", 1 };

	maker_class(m, &c);
	for (unsigned i = 0; i < CLASSES; i++) {
		c = (struct maker_class){ class_id(i),	       0x600000, 0,
					  i % 2 ? "" : "LIBJ", "",	 1 };
		maker_class(m, &c);
	}
}

/* An object of some kind; ids mostly ascend. */
static void random_object(struct maker *m, uint64_t *id)
{
	unsigned kind = (unsigned)maker_random(m, 20);
	uint32_t n = (uint32_t)maker_random(m, 200);
	uint64_t class = class_id((unsigned)maker_random(m, CLASSES / 2) * 2);

	*id += 8 * (1 + maker_random(m, 8));
	if (maker_random(m, 1000) == 0)
		*id -= 8 * maker_random(m, 10000);
	if (kind < 12)
		maker_instance(m, *id, class, 8 + 4 + 1 + 8);
	else if (kind < 15)
		maker_objects(m, *id, class + 0x100, n);
	else if (kind < 19)
		maker_prims(m, *id, 4 + n % 8, n);
	else
		maker_put(m, &(struct hprof_record){
				     .tag = HPROF_ROOT_MONITOR_USED,
				     .u.root = { .object_id = *id } });
}

/*
 * SIZE bytes of objects in segments of SEGMENT bytes, or, if that is 0, in
 * one HEAP_DUMP with a few long arrays.
 */
static struct maker large_dump(size_t size, size_t segment)
{
	struct maker m = maker_begin(8);
	struct hprof_record end = { .tag = HPROF_HEAP_DUMP_END };
	uint64_t id = 0x10000000;

	load_classes(&m);
	maker_heap(&m, segment ? HPROF_HEAP_DUMP_SEGMENT : HPROF_HEAP_DUMP);
	dump_classes(&m);
	while (m.out.size < size) {
		if (segment && m.out.size - m.heap_at > segment)
			maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		random_object(&m, &id);
		if (segment == 0 && maker_random(&m, 40000) == 0)
			maker_prims(&m, id += 8, HPROF_TYPE_LONG, MIB / 4);
	}
	maker_heap_end(&m);
	if (segment)
		maker_put(&m, &end);
	return m;
}

/*
 * One HEAP_DUMP, in the middle of which, where a part could begin, a byte
 * array holds what looks like sub-records.
 */
static struct maker decoy_dump(void)
{
	struct maker m = maker_begin(8);
	struct maker decoy = maker_begin(8);
	uint64_t id = 0x10000000;

	load_classes(&m);
	for (size_t i = 0; i < 20 * MIB; i = decoy.out.size)
		random_object(&decoy, &id);
	maker_heap(&m, HPROF_HEAP_DUMP);
	dump_classes(&m);
	id = 0x50000000;
	for (unsigned i = 0; i < 1000; i++)
		random_object(&m, &id);
	maker_put(&m, &(struct hprof_record){
			      .tag = HPROF_PRIM_ARRAY_DUMP,
			      .u.prim_array_dump = {
				      id + 8,
				      0,
				      (uint32_t)decoy.out.size,
				      HPROF_TYPE_BYTE,
				      { decoy.out.bytes, decoy.out.size } } });
	maker_prims(&m, id + 0x10000000, HPROF_TYPE_INT, 1);
	maker_heap_end(&m);
	buffer_free(&decoy.out);
	return m;
}

/* ---- records ------------------------------------------------------------- */

static struct trace read_plain(const struct buffer *bytes)
{
	struct trace trace = { 0 };
	struct hprof_reader_options options = { .size = sizeof options,
						.diagnostic = trace_diagnostic,
						.user = &trace };
	struct hprof_reader *reader;

	cr_assert(hprof_reader_open(INPUT_MEMORY(bytes->bytes, bytes->size),
				    &options, &reader, NULL) == HPROF_OK);
	trace_read(&trace, reader, true, true);
	hprof_reader_close(reader);
	return trace;
}

static unsigned count_units(const struct buffer *bytes, bool *ret_proved,
			    struct trace *trace)
{
	struct hprof_reader_options options = { .size = sizeof options,
						.units = true };
	struct hprof_reader *reader;
	struct hprof_record record;
	unsigned units = 0;

	cr_assert(hprof_reader_open(INPUT_MEMORY(bytes->bytes, bytes->size),
				    &options, &reader, NULL) == HPROF_OK);
	while (hprof_reader_next(reader, &record) == HPROF_OK)
		units += record.tag == HPROF_UNIT;
	hprof_reader_close(reader);
	options.diagnostic = trace_diagnostic;
	options.user = trace;
	cr_assert(hprof_reader_open(INPUT_MEMORY(bytes->bytes, bytes->size),
				    &options, &reader, NULL) == HPROF_OK);
	*ret_proved = trace_read_units(trace, reader);
	hprof_reader_close(reader);
	return units;
}

static void check_units(struct maker m, unsigned least_units, bool expected)
{
	struct trace plain = read_plain(&m.out), parts = { 0 };
	bool proved;
	unsigned units = count_units(&m.out, &proved, &parts);

	cr_expect_geq(units, least_units);
	cr_expect_eq(proved, expected);
	if (proved)
		cr_expect_eq(trace_difference(&plain, &parts), SIZE_MAX);
	trace_free(&plain);
	trace_free(&parts);
	buffer_free(&m.out);
}

Test(reader_split, segments)
{
	check_units(large_dump(24 * MIB, MIB), 3, true);
}

Test(reader_split, small_segments)
{
	check_units(large_dump(3 * MIB, 5000), 1, true);
}

Test(reader_split, one_record)
{
	check_units(large_dump(36 * MIB, 0), 3, true);
}

Test(reader_split, large_segments)
{
	check_units(large_dump(50 * MIB, 24 * MIB), 4, true);
}

/* Slightly more than two units: the rest is less than one. */
Test(reader_split, just_over_two)
{
	for (unsigned i = 1; i <= 8; i++) {
		struct maker m = maker_begin(8);
		uint64_t id = 0x10000000;

		m.random = i;
		load_classes(&m);
		maker_heap(&m, HPROF_HEAP_DUMP);
		dump_classes(&m);
		while (m.out.size - m.heap_at <= 16 * MIB)
			random_object(&m, &id);
		maker_heap_end(&m);
		check_units(m, 2, true);
	}
}

Test(reader_split, decoy)
{
	check_units(decoy_dump(), 2, false);
}

Test(reader_split, usage)
{
	struct maker m = large_dump(MIB, 5000);
	struct hprof_reader_options options = { .size = sizeof options,
						.units = true };
	struct pieces pieces = { m.out.bytes, m.out.size, 0, 1000 };
	struct hprof_reader *reader, *part;
	struct hprof_record record;
	struct hprof_unit unit;

	/* A stream has no units: records are returned one by one. */
	cr_assert(hprof_reader_open(INPUT_CALLBACK(pieces_read, &pieces),
				    &options, &reader, NULL) == HPROF_OK);
	while (hprof_reader_next(reader, &record) == HPROF_OK) {
		cr_assert_neq(record.tag, HPROF_UNIT);
		cr_assert_eq(hprof_reader_unit(reader, &unit), HPROF_E_USAGE);
	}
	unit = (struct hprof_unit){ .offset = 31, .end = 100 };
	cr_expect_eq(hprof_reader_open_unit(reader, &unit, NULL, &part, NULL),
		     HPROF_E_USAGE);
	cr_expect(!hprof_reader_unit_proved(reader));
	hprof_reader_close(reader);
	buffer_free(&m.out);
}

/* ---- summaries ----------------------------------------------------------- */

/* Tests run in parallel: a file for each. */
static const char *scratch(void)
{
	static char path[32];

	snprintf(path, sizeof path, "sum.%d", (int)getpid());
	return path;
}

static const char *write_plain(const struct buffer *bytes)
{
	return maker_file(scratch(), bytes->bytes, bytes->size);
}

static enum hprof_status summarise(const char *path, unsigned threads,
				   unsigned dump, struct hprof_summary **ret)
{
	*ret = NULL;
	return hprof_summary_read(
		INPUT(.path = path, .threads = threads, .dump = dump), NULL,
		ret, NULL);
}

static void check_threads(const char *path, const char *what, unsigned dump)
{
	struct hprof_summary *one, *more;
	enum hprof_status status = summarise(path, 1, dump, &one);

	for (unsigned threads = 2; threads <= 3; threads++) {
		cr_expect_eq(summarise(path, threads, dump, &more), status,
			     "%s", what);
		const char *other =
			one && more ? summary_difference(one, more) : NULL;
		cr_expect(other == NULL, "%s, %u threads: another %s", what,
			  threads, other);
		hprof_summary_free(more);
	}
	hprof_summary_free(one);
}

static void write_gzip(const char *path, const void *bytes, size_t size)
{
	gzFile file = gzopen(path, "wb1");

	cr_assert(file != NULL);
	cr_assert(gzwrite(file, bytes, (unsigned)size) == (int)size);
	cr_assert(gzclose(file) == Z_OK);
}

Test(reader_split, summary_of_recipes)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);

		maker_file(scratch(), f.bytes, f.size);
		check_threads(scratch(), *name, 0);
		check_threads(scratch(), *name, 2);
		if (f.size > 0) {
			write_gzip(scratch(), f.bytes, f.size);
			check_threads(scratch(), *name, 0);
		}
		fixture_free(&f);
	}
	unlink(scratch());
}

/* The dump as it is, with bytes changed here and there, and cut. */
static void check_damaged(struct maker m, const char *what)
{
	check_threads(write_plain(&m.out), what, 0);
	for (unsigned i = 0; i < 6; i++) {
		size_t at = 8000 + (size_t)maker_random(&m, m.out.size - 8000);
		uint8_t old = m.out.bytes[at];
		m.out.bytes[at] ^= (uint8_t)(1 + maker_random(&m, 255));
		check_threads(write_plain(&m.out), what, 0);
		m.out.bytes[at] = old;
	}
	maker_file(scratch(), m.out.bytes, m.out.size - 5 * MIB - 7);
	check_threads(scratch(), what, 0);
	unlink(scratch());
	buffer_free(&m.out);
}

Test(reader_split, summary_of_segments)
{
	check_damaged(large_dump(24 * MIB, MIB), "segments");
}

Test(reader_split, summary_of_one_record)
{
	check_damaged(large_dump(36 * MIB, 0), "one record");
}

Test(reader_split, summary_of_decoy)
{
	check_damaged(decoy_dump(), "decoy");
}

/* More objects than are kept as samples, in no order at all. */
Test(reader_split, summary_of_many_samples)
{
	struct maker m = maker_begin(8);

	load_classes(&m);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	dump_classes(&m);
	for (unsigned i = 0; i < 700000; i++) {
		if (i % 20000 == 0)
			maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		maker_instance(&m, 8 * maker_random(&m, 8 * MIB),
			       class_id(2 * (i % 20)), 21);
	}
	maker_heap_end(&m);
	check_threads(write_plain(&m.out), "samples", 0);
	unlink(scratch());
	buffer_free(&m.out);
}

/* Ids that count from 1: all objects in one region of the address space. */
Test(reader_split, summary_of_counted_ids)
{
	struct maker m = maker_begin(4);
	struct hprof_summary *summary;

	maker_load(&m, 0x7000000, "A");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned i = 0; i < 300000; i++)
		maker_instance(&m, 300000 - i, 0x7000000, 0);
	maker_heap_end(&m);
	cr_assert(summarise(write_plain(&m.out), 1, 0, &summary) >= 0);
	cr_expect_eq(summary->instances, 300000);
	cr_expect_eq(summary->descents, 299999);
	hprof_summary_free(summary);
	unlink(scratch());
	buffer_free(&m.out);
}

/* More classes without LOAD_CLASS than are told apart. */
Test(reader_split, summary_of_unknown_classes)
{
	struct maker m = maker_begin(8);

	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < 400000; i++) {
		if (i % 20000 == 0)
			maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		maker_instance(&m, 8 * i, i % 90000, 32);
	}
	maker_heap_end(&m);
	check_threads(write_plain(&m.out), "unknown", 0);
	unlink(scratch());
	buffer_free(&m.out);
}
