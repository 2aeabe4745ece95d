/* SPDX-License-Identifier: MIT */
/*
 * test_waste_objects.c - boxes of more holders than are counted at a time (boxes.c),
 * which come in turns; and arrays that just have, or have not, enough short ones.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"

enum {
	FIELDS = 150,
	HOLDERS = 7,
	OBJECT = 0x10,
	WIDE = 0x20,
	BOX = 0x30, /* and the following: classes of boxes */
	FIRST = 0x1000
};

static const char *const boxes[] = { "java/lang/Integer", "java/lang/Short",
				     "java/lang/Character" };
enum { BOXES = 3 };

/* Which class of boxes field K of instance I refers to. */
static unsigned box_of(unsigned i, unsigned k)
{
	return (i * i + k) % BOXES;
}

static uint64_t id_of(unsigned i, unsigned k)
{
	return FIRST + 0x10 * (i * (uint64_t)(FIELDS + 1) + k);
}

static void put_classes(struct maker *m)
{
	static char letters[FIELDS + 1];
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class wide = {
		WIDE, OBJECT, 8 * FIELDS, letters, NULL, 0
	};

	memset(letters, 'L', FIELDS);
	wide.names_id = maker_field_names(m, FIELDS);
	maker_load(m, OBJECT, "java/lang/Object");
	maker_load(m, WIDE, "acme/Wide");
	for (unsigned b = 0; b < BOXES; b++)
		maker_load(m, BOX + b, boxes[b]);
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(m, &object);
	maker_class(m, &wide);
	for (unsigned b = 0; b < BOXES; b++) {
		struct maker_class box = { BOX + b, OBJECT, 4, "I", NULL, 1 };

		maker_class(m, &box);
	}
}

static struct maker make_boxes(void)
{
	struct maker m = maker_begin(8);

	put_classes(&m);
	for (unsigned i = 0; i < HOLDERS; i++) {
		uint8_t fields[8 * FIELDS];

		for (unsigned k = 0; k < FIELDS; k++) {
			maker_instance(&m, id_of(i, k), BOX + box_of(i, k), 4);
			maker_id(fields + 8 * k, id_of(i, k));
		}
		maker_fields(&m, id_of(i, FIELDS), WIDE, fields, sizeof fields);
		maker_root(&m, id_of(i, FIELDS));
	}
	maker_heap_end(&m);
	return m;
}

/* Of the box class B and field K: how many, and the id of the first one. */
static unsigned count_boxes(unsigned b, unsigned k, uint64_t *ret_first)
{
	unsigned count = 0;

	for (unsigned i = 0; i < HOLDERS; i++)
		if (box_of(i, k) == b && !count++)
			*ret_first = id_of(i, k);
	return count;
}

static unsigned class_of(const struct opened *o,
			 const struct hprof_waste_row *row)
{
	const struct hprof_summary *all = hprof_heap_summary(o->heap);
	unsigned b = 0;

	while (b < BOXES && all->class_rows[row->class_row].class_id != BOX + b)
		b++;
	return b;
}

static void check_row(const struct opened *o, const struct hprof_waste_row *row)
{
	const unsigned b = class_of(o, row);
	uint64_t first = 0, shallow;
	unsigned k, count;

	cr_assert_lt(b, BOXES);
	cr_assert_not_null(row->holder.field);
	cr_assert_eq(sscanf(row->holder.field, "f%u", &k), 1);
	count = count_boxes(b, k, &first);
	shallow = hprof_graph_shallow(o->graph, row->example);
	cr_expect_eq(row->sum.objects, count, "%u in f%u", b, k);
	cr_expect_eq(row->sum.bytes, count * shallow);
	cr_expect_eq(row->sum.saved, count * shallow);
	cr_expect_eq(row->example_id, first);
}

Test(waste, boxes_of_many_holders)
{
	struct hprof_waste_table *table = NULL;
	struct maker m = make_boxes();
	unsigned found = 0, wanted = 0;
	uint64_t first;
	struct opened o;

	for (unsigned b = 0; b < BOXES; b++)
		for (unsigned k = 0; k < FIELDS; k++)
			wanted += count_boxes(b, k, &first) != 0;
	cr_assert_gt(wanted, 256);
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 2));
	cr_assert_eq(hprof_waste_read(o.graph, NULL, &table, NULL), HPROF_OK);
	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].kind != HPROF_WASTE_BOXES)
			continue;
		check_row(&o, &table->rows[i]);
		found++;
	}
	cr_expect_eq(found, wanted);
	cr_expect_eq(table->kinds[HPROF_WASTE_BOXES].objects, HOLDERS * FIELDS);
	hprof_waste_table_free(table);
	close_opened(&o);
	buffer_free(&m.out);
}

/* ---- short arrays in an array -------------------------------------------- */

/*
 * An array of LENGTH, the first INNERS of which are arrays of different contents, all
 * short, the rest is null; before it one of OTHERS, which are no arrays.
 */
static struct maker make_rows(unsigned length, unsigned inners, unsigned others)
{
	static const unsigned types[] = { HPROF_TYPE_BYTE, HPROF_TYPE_BOOLEAN,
					  HPROF_TYPE_CHAR, HPROF_TYPE_SHORT };
	enum { ROWS = 0x20, MOST = 300 };
	struct maker m = maker_begin(8);
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class rows = { .class_id = ROWS, .super_id = OBJECT };
	uint8_t elements[8 * MOST] = { 0 };
	uint8_t *classes = calloc(others + 1, 8);

	cr_assert(inners <= length && length <= MOST);
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, ROWS, "[Ljava/lang/Object;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &rows);
	for (unsigned i = 0; i < others; i++)
		maker_id(classes + 8 * i, OBJECT);
	maker_elements(&m, 0x700, ROWS, classes, others);
	maker_root(&m, 0x700);
	free(classes);
	for (unsigned i = 0; i < inners; i++) {
		maker_prims(&m, FIRST + 0x100 * i, types[i % 4], 1 + i / 4);
		maker_id(elements + 8 * i, FIRST + 0x100 * i);
	}
	maker_elements(&m, 0x800, ROWS, elements, length);
	maker_root(&m, 0x800);
	maker_heap_end(&m);
	return m;
}

Test(waste, arrays_of_short_arrays)
{
	static const struct {
		unsigned length, inners, noted, others;
	} cases[] = { { 63, 63, 0, 0 },
		      { 64, 63, 0, 0 },
		      { 64, 64, 1, 0 },
		      { 128, 64, 1, 0 },
		      { 129, 64, 1, 0 },
		      { 130, 64, 0, 0 },
		      { 130, 65, 1, 0 },
		      { 300, 64, 0, 0 },
		      { 300, 150, 1, 0 },
		      /* Another array with many elements is before it. */
		      { 64, 64, 1, 1000 },
		      { 64, 64, 1, 100000 },
		      { 64, 63, 0, 100000 } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct maker m = make_rows(cases[i].length, cases[i].inners,
					   cases[i].others);
		struct hprof_waste_table *table = NULL;
		const struct hprof_waste_sum *rows;
		struct opened o;

		cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
		cr_assert_eq(hprof_waste_read(o.graph, NULL, &table, NULL),
			     HPROF_OK);
		rows = &table->kinds[HPROF_WASTE_SHORT_ROWS];
		cr_expect_eq(rows->objects, cases[i].noted, "case %u", i);
		cr_expect_eq(rows->saved != 0, cases[i].noted);
		/* Characters and shorts that are 0, in arrays without headers. */
		cr_expect_eq(table->kinds[HPROF_WASTE_WIDE_ARRAYS].saved == 0,
			     cases[i].noted, "case %u", i);
		hprof_waste_table_free(table);
		close_opened(&o);
		buffer_free(&m.out);
	}
}
