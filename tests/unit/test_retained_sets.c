/* SPDX-License-Identifier: MIT */
/*
 * test_retained_sets.c - what classes retain where few and where very many different
 * sets of classes are above objects, with one thread and with several.
 *
 * Objects are the numbers below 2^BITS. The one that refers to a number is
 * the same without its highest bit, whose place says what class it is of; the
 * first and the last bit stand for one class. So whatever set of classes there
 * can be is above some object.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "../inputs.h"
#include "maker.h"

enum { BITS_MOST = 17, ID = 0x1000000, ID_STEP = 0x100 };

static unsigned highest(uint32_t number)
{
	unsigned bit = 0;

	while (number >> (bit + 1))
		bit++;
	return bit;
}

static unsigned class_of(uint32_t number, unsigned bits)
{
	return highest(number) % (bits - 1);
}

static uint64_t id_of(uint32_t number)
{
	return ID + (uint64_t)number * ID_STEP;
}

static void put_number(struct maker *m, uint32_t number, unsigned bits)
{
	uint8_t data[8 * BITS_MOST] = { 0 };

	for (unsigned k = highest(number) + 1; k < bits; k++)
		maker_id(data + 8 * k, id_of(number | (uint32_t)1 << k));
	maker_fields(m, id_of(number), 0x1000 + 8 * class_of(number, bits),
		     data, 8 * bits);
}

static void put_top(struct maker *m, unsigned bits)
{
	uint8_t ids[8 * BITS_MOST];

	for (unsigned k = 0; k < bits; k++)
		maker_id(ids + 8 * k, id_of((uint32_t)1 << k));
	maker_elements(m, ID, 0x200, ids, bits);
	maker_root(m, ID);
}

static const char *make_file(unsigned bits)
{
	struct maker m = maker_begin(8);
	const char *path;
	char fields[BITS_MOST + 1] = "";

	memset(fields, 'L', bits);
	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, 0x200, "[Ljava/lang/Object;");
	for (unsigned k = 0; k + 1 < bits; k++) {
		char name[] = "app/A";

		name[4] = (char)('A' + k);
		maker_load(&m, 0x1000 + 8 * k, name);
	}
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100 });
	for (unsigned k = 0; k + 1 < bits; k++)
		maker_class(&m,
			    &(struct maker_class){ .class_id = 0x1000 + 8 * k,
						   .super_id = 0x100,
						   .instance_size = 8 * bits,
						   .fields = fields });
	put_top(&m, bits);
	for (uint32_t i = 1; i < (uint32_t)1 << bits; i++)
		put_number(&m, i, bits);
	maker_heap_end(&m);
	path = maker_file(bits == BITS_MOST ? "many-sets.hprof"
					    : "few-sets.hprof",
			  m.out.bytes, m.out.size);
	buffer_free(&m.out);
	return path;
}

/* True if no number on the way to it is of its class. */
static bool is_uppermost(uint32_t number, unsigned bits)
{
	return highest(number) != bits - 1 || !(number & 1);
}

static void check_classes(const struct hprof_heap *heap,
			  const struct hprof_graph *graph, unsigned bits)
{
	uint64_t objects[BITS_MOST] = { 0 }, retained[BITS_MOST] = { 0 };
	struct hprof_retained_table *t;
	unsigned seen = 0;

	for (uint32_t i = 1; i < (uint32_t)1 << bits; i++) {
		uint64_t at = hprof_heap_find(heap, id_of(i));

		objects[class_of(i, bits)]++;
		if (is_uppermost(i, bits))
			retained[class_of(i, bits)] +=
				hprof_graph_retained(graph, at);
	}
	cr_assert_eq(hprof_retained_read(graph, NULL, &t, NULL), HPROF_OK);
	for (size_t i = 0; i < t->class_count; i++) {
		const struct hprof_set_row *row = &t->classes[i];
		unsigned k = (unsigned)row->name[4] - 'A';

		if (strncmp(row->name, "app.", 4) != 0)
			continue;
		seen++;
		cr_expect_eq(row->objects, objects[k], "%s", row->name);
		cr_expect_eq(row->retained, retained[k], "%s", row->name);
	}
	cr_expect_eq(seen, bits - 1);
	hprof_retained_table_free(t);
}

/* A leak holds exactly what its accumulation point dominates. */
static void check_leak(const struct hprof_heap *heap,
		       const struct hprof_graph *graph, unsigned bits,
		       bool sums)
{
	const struct hprof_leak_options how = { .size = sizeof how,
						.sums = sums };
	uint64_t objects = 0, shallow = 0;
	struct hprof_leak_table *t;
	const struct hprof_leak *leak;

	cr_assert_eq(hprof_leaks_read(graph, &how, &t, NULL), HPROF_OK);
	cr_assert_gt(t->count, 0);
	leak = &t->leaks[0];
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		uint64_t at = i;

		while (at != leak->point.object && at != HPROF_NO_OBJECT)
			at = hprof_graph_dominator(graph, at);
		objects += at == leak->point.object;
	}
	cr_expect_eq(leak->objects, objects);
	for (size_t i = 0; i < leak->class_count; i++)
		shallow += leak->classes[i].shallow;
	cr_expect(shallow <= leak->retained);
	cr_expect(bits > 10 || shallow == leak->retained);
	hprof_leak_table_free(t);
}

/* Each reachable object is in one row, also where there are very many. */
static void check_kinds(const struct hprof_graph *graph)
{
	struct hprof_dominator_kinds *kinds;
	uint64_t objects = 0, shallow = 0;

	cr_assert_eq(hprof_dominator_kinds_read(graph, &kinds, NULL), HPROF_OK);
	for (size_t i = 0; i < kinds->count; i++) {
		objects += kinds->rows[i].objects;
		shallow += kinds->rows[i].shallow;
	}
	cr_expect_eq(objects, hprof_graph_totals(graph)->reachable);
	cr_expect_eq(shallow, hprof_graph_totals(graph)->reachable_shallow);
	hprof_dominator_kinds_free(kinds);
}

static void check_nesting(unsigned bits, unsigned threads, bool leaks)
{
	struct hprof_heap_options how = { .size = sizeof how,
					  .sizes = HPROF_SIZES_DATA };
	struct hprof_graph_options graph_how = { .size = sizeof graph_how,
						 .threads = threads,
						 .dominators = true,
						 .edges = true };
	struct hprof_heap *heap;
	struct hprof_graph *graph;

	cr_assert_eq(hprof_heap_open(
			     INPUT(.path = make_file(bits), .threads = threads),
			     &how, &heap, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_graph_build(heap, &graph_how, &graph, NULL),
		     HPROF_OK);
	check_classes(heap, graph, bits);
	check_kinds(graph);
	check_classes(heap, graph, bits);
	for (int sums = 0; leaks && sums < 2; sums++)
		check_leak(heap, graph, bits, sums);
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

Test(retained_sets, few_sets)
{
	for (unsigned threads = 1; threads <= 4; threads++)
		check_nesting(9, threads, false);
}

Test(retained_sets, too_many_sets_to_keep)
{
	for (unsigned threads = 1; threads <= 4; threads += 3)
		check_nesting(BITS_MOST, threads, true);
}
