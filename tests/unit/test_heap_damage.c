/* SPDX-License-Identifier: MIT */
/*
 * test_heap_damage.c - the heap of any file agrees with itself, and is the
 * same for any number of threads: of all fixtures, of good ones cut anywhere
 * and with any byte changed, of large ones, of those that claim too much.
 */
#include "heaps.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "heap/heap.h"
#include "base/mem.h"
#include "../inputs.h"
#include "maker.h"

static const char *const good[] = { "heap_odd",	   "heap_strings",
				    "minimal",	   "shop_id4",
				    "shark_pairs", "two_dumps_segments" };
enum { GOOD = sizeof good / sizeof *good, FLIPPED = 3 };

Test(heap_damage, all_fixtures)
{
	unsigned heaps = 0;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		heaps += heap_agrees(*name, 0, f.bytes, f.size);
		fixture_free(&f);
	}
	cr_expect(heaps > 50);
}

/* Cut before each record and sub-record, and in its tag. */
static unsigned cut_at_records(const struct fixture *f)
{
	struct hprof_reader_options how = { .size = sizeof how };
	struct hprof_reader *reader = NULL;
	struct hprof_record r;
	unsigned cuts = 0;

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(f->bytes, f->size), &how,
				       &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		size_t n = (size_t)r.offset;
		cr_assert_lt(n, f->size);
		heap_agrees(f->name, n, f->bytes, n);
		heap_agrees(f->name, n + 1, f->bytes, n + 1);
		cuts++;
	}
	hprof_reader_close(reader);
	return cuts;
}

Test(heap_damage, cut_anywhere)
{
	for (unsigned i = 0; i < GOOD; i++) {
		struct fixture f = fixture_load(good[i]);
		size_t step = sweep_step(f.size > 10000 ? 97 : 1, 13);
		for (size_t n = 0; n < f.size; n += step)
			heap_agrees(f.name, n, f.bytes, n);
		cr_expect(cut_at_records(&f) > 3, "%s", f.name);
		fixture_free(&f);
	}
}

static void flip(unsigned mask)
{
	for (unsigned i = 0; i < FLIPPED; i++) {
		struct fixture f = fixture_load(good[i]);
		size_t step = sweep_step(f.size > 10000 ? 41 : 1, 13);
		for (size_t at = 0; at < f.size; at += step) {
			f.bytes[at] ^= (uint8_t)mask;
			heap_agrees(f.name, at, f.bytes, f.size);
			f.bytes[at] ^= (uint8_t)mask;
		}
		fixture_free(&f);
	}
}

Test(heap_damage, every_byte_inverted)
{
	flip(0xff);
}

Test(heap_damage, every_low_bit)
{
	flip(0x01);
}

Test(heap_damage, every_high_bit)
{
	flip(0x80);
}

/* ---- large dumps --------------------------------------------------------- */

enum { MIB = 1 << 20, OBJECT = 0x600000, ARRAY = 0x600100 };

/*
 * SIZE bytes of objects in segments of SEGMENT bytes, 0: in one record. Ids
 * ascend but for one in DESCENTS; some are there twice.
 */
static struct maker large(size_t size, size_t segment, unsigned descents)
{
	struct maker m = maker_begin(8);
	struct maker_class object = { OBJECT, 0, 0, "LIL", "", 1 };
	struct maker_class array = { ARRAY, OBJECT, 0, "", "", 1 };
	uint64_t id = 0x10000000;

	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, ARRAY, "[Ljava/lang/Object;");
	maker_heap(&m, segment ? HPROF_HEAP_DUMP_SEGMENT : HPROF_HEAP_DUMP);
	maker_class(&m, &object);
	maker_class(&m, &array);
	while (m.out.size < size) {
		uint64_t kind = maker_random(&m, 20);
		if (segment && m.out.size - m.heap_at > segment)
			maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		id += 8 * (1 + maker_random(&m, 8));
		if (descents && maker_random(&m, descents) == 0)
			id -= 8 * maker_random(&m, 1000);
		if (kind < 12)
			maker_instance(&m, id, OBJECT, 20);
		else if (kind < 16)
			maker_objects(&m, id, ARRAY,
				      (uint32_t)maker_random(&m, 300));
		else
			maker_prims(&m, id, 4 + (unsigned)kind % 8,
				    (uint32_t)maker_random(&m, 2000));
		if (maker_random(&m, 2000) == 0)
			maker_put(&m, &(struct hprof_record){
					      .tag = HPROF_ROOT_MONITOR_USED,
					      .u.root = { .object_id = id } });
	}
	maker_prims(&m, id + 8, HPROF_TYPE_LONG, MIB / 2);
	maker_heap_end(&m);
	return m;
}

static void check_large(size_t segment, unsigned descents)
{
	struct maker m = large(24 * MIB, segment, descents);

	cr_assert(heap_agrees("large", segment, m.out.bytes, m.out.size));
	buffer_free(&m.out);
}

Test(heap_damage, large_segments)
{
	check_large(MIB, 0);
}

Test(heap_damage, large_segments_with_repeated_ids)
{
	check_large(MIB, 500);
}

Test(heap_damage, large_record)
{
	check_large(0, 0);
}

Test(heap_damage, large_cut)
{
	struct maker m = large(24 * MIB, MIB, 5000);

	cr_assert(heap_agrees("cut", 0, m.out.bytes, m.out.size - 3 * MIB));
	memset(m.out.bytes + 11 * MIB, 0xee, 1000);
	cr_assert(heap_agrees("garbage", 0, m.out.bytes, m.out.size));
	buffer_free(&m.out);
}

/* ---- claims -------------------------------------------------------------- */

/* Scattered ids: no table may grow with their range. */
Test(heap_damage, wild_ids)
{
	enum { OBJECTS = 20000 };
	struct maker m = maker_begin(8);
	struct hprof_heap *heap = NULL;

	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned i = 0; i < OBJECTS; i++) {
		uint64_t high = maker_random(&m, 1 << 30);
		maker_prims(&m, high << 34 | maker_random(&m, 1 << 30),
			    HPROF_TYPE_BYTE, i % 5);
	}
	maker_heap_end(&m);
	cr_assert(heap_agrees("wild", 0, m.out.bytes, m.out.size));
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) == HPROF_OK);
	cr_expect(heap->rank.sorted != NULL);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

/*
 * The same where the reading of objects stops and begins anew all the time,
 * at classes between them: no object is expected more than once.
 */
Test(heap_damage, wild_ids_among_classes)
{
	enum { OBJECTS = 1000 };
	struct maker m = maker_begin(8);
	struct hprof_heap *heap = NULL;

	for (unsigned i = 1; i <= OBJECTS; i++)
		maker_load(&m, 8 * i, "C");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (unsigned i = 1; i <= OBJECTS; i++) {
		struct maker_class c = { 8 * i, 0, 0, "", "", 1 };
		maker_class(&m, &c);
		maker_instance(&m, (uint64_t)i << 20, 8 * i, 0);
	}
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) == HPROF_OK);
	cr_expect_eq(hprof_heap_count(heap), 2u * OBJECTS);
	cr_expect(heap->rank.sorted != NULL);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

/* One id for all, then all with the id of a class. */
Test(heap_damage, always_the_same_id)
{
	for (unsigned round = 0; round < 2; round++) {
		struct maker m = maker_begin(4);
		struct maker_class object = { OBJECT, 0, 0, "", "", 1 };
		struct hprof_heap *heap = NULL;
		maker_load(&m, OBJECT, "java/lang/Object");
		maker_heap(&m, HPROF_HEAP_DUMP);
		maker_class(&m, &object);
		for (unsigned i = 0; i < 3000; i++)
			maker_prims(&m, round ? OBJECT : 0x99, HPROF_TYPE_BYTE,
				    i % 7);
		maker_heap_end(&m);
		cr_assert(heap_agrees("same", round, m.out.bytes, m.out.size));
		cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) ==
			  HPROF_OK);
		cr_expect_eq(hprof_heap_count(heap), 2 - round);
		hprof_heap_close(heap);
		buffer_free(&m.out);
	}
}

/* More objects than there are numbers: said before anything is done. */
Test(heap_damage, too_many_objects)
{
	struct hp_extent extent = { .offset = 0, .end = UINT64_MAX / 2 };
	struct hprof_heap heap = {
		.threads = 1,
		.extents = { .items = &extent, .count = 1 },
		.class_object_count = 3,
	};
	const struct hprof_input input = hprof_input_path("none");
	struct hprof_error error;

	extent.count = UINT32_MAX - 3;
	cr_expect_eq(hp_heap_index(&heap, &input, &error), HPROF_E_LIMIT);
	cr_expect(strstr(error.text, "4294967295 objects") != NULL, "%s",
		  error.text);
	hp_free(heap.arenas);
	extent.count = (uint64_t)1 << 62;
	cr_expect_eq(hp_heap_index(&heap, &input, &error), HPROF_E_LIMIT);
	hp_free(heap.arenas);
}
