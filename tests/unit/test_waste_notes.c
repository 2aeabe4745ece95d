/* SPDX-License-Identifier: MIT */
/*
 * test_waste_notes.c - what is noted while references are read: in every way the
 * same, of classes with many references, of arrays that do not look like any; and who
 * frees the notes.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "../same_waste.h"
#include "base/mem.h"
#include "heaps.h"
#include "maker.h"

static struct hprof_waste_table *waste_of(const struct hprof_graph *graph)
{
	struct hprof_waste_table *table = NULL;
	struct hprof_error error = { 0 };

	cr_assert(hprof_waste_read(graph, NULL, &table, &error) == HPROF_OK,
		  "%s", error.text);
	return table;
}

static const struct hprof_waste_row *
row_of_kind(const struct hprof_waste_table *table, enum hprof_waste_kind kind)
{
	const struct hprof_waste_row *found = NULL;

	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].kind != kind)
			continue;
		cr_expect_null(found);
		found = &table->rows[i];
	}
	cr_assert_not_null(found);
	return found;
}

Test(waste_notes, is_the_same_in_all_ways)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct hprof_heap *heap = NULL;
		const char *what = NULL;

		if (heap_of_bytes(f.bytes, f.size, 2, &heap) >= 0)
			for (unsigned hold = 0; !what && hold < 16; hold += 5)
				what = waste_differs(heap, hold);
		cr_expect(!what, "%s: %s", *name, what);
		hprof_heap_close(heap);
		fixture_free(&f);
	}
}

/* ---- a class of many fields ---------------------------------------------- */

enum { MANY = 300, OBJECT = 0x10, WIDE = 0x20, INTS = 0x100 };

/*
 * Two instances of a class with MANY references, of which those numbered in WHICH,
 * which ends with MANY, lead to arrays of zeros.
 */
static struct maker make_many(const unsigned *which)
{
	static char letters[MANY + 1];
	struct maker m = maker_begin(8);
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class wide = { WIDE, OBJECT, 8 * MANY, letters, NULL, 0 };
	uint8_t fields[8 * MANY] = { 0 };

	memset(letters, 'L', MANY);
	wide.names_id = maker_field_names(&m, MANY);
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, WIDE, "acme/Wide");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &wide);
	for (unsigned i = 0; which[i] < MANY; i++) {
		maker_prims(&m, INTS + 0x10 * i, HPROF_TYPE_INT, 1000 + i);
		maker_id(fields + 8 * which[i], INTS + 0x10 * i);
	}
	maker_fields(&m, 0x800, WIDE, fields, sizeof fields);
	maker_fields(&m, 0x810, WIDE, fields, sizeof fields);
	maker_root(&m, 0x800);
	maker_root(&m, 0x810);
	maker_heap_end(&m);
	return m;
}

Test(waste_notes, fields_with_high_numbers)
{
	static const unsigned which[] = { 0, 10, 252, 253, 254, 299, MANY };
	struct maker m = make_many(which);
	const struct hprof_waste_row *row;
	struct hprof_waste_table *table;
	unsigned found = 0, unnamed = 0;
	struct opened o;

	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	table = waste_of(o.graph);
	/* Those behind the first 254 are not told apart, so none is null. */
	row = row_of_kind(table, HPROF_WASTE_NULL_FIELDS);
	cr_expect_eq(row->fields, 254 - 4);
	for (size_t i = 0; i < table->row_count; i++) {
		row = &table->rows[i];
		if (row->kind != HPROF_WASTE_ZERO_ARRAYS)
			continue;
		found += row->sum.objects;
		if (row->holder.field)
			cr_expect_eq(row->holder.field[0], 'f');
		else
			unnamed += row->sum.objects;
		cr_expect_neq(row->holder.class_row, SIZE_MAX);
	}
	cr_expect_eq(found, 6);
	cr_expect_eq(unnamed, 2);
	cr_expect(!waste_differs(o.heap, 0));
	hprof_waste_table_free(table);
	close_opened(&o);
	buffer_free(&m.out);
}

/* A list of four elements in an array of 100, whose reference is behind MANY. */
static struct maker make_many_list(void)
{
	enum { LIST = 0x30, BIG = 0x40, OBJECTS = 0x50 };
	static char letters[MANY + 1];
	uint8_t fields[8 * MANY + 16] = { 0 }, elements[8 * 100] = { 0 };
	struct maker m = maker_begin(8);
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class list = { LIST, OBJECT,
				    16,	  "LII",
				    NULL, maker_string(&m, "elementData") };
	struct maker_class big = { BIG, LIST, 8 * MANY + 16, letters, NULL, 0 };
	struct maker_class array = { .class_id = OBJECTS, .super_id = OBJECT };

	memset(letters, 'L', MANY);
	maker_string(&m, "size");
	maker_string(&m, "modCount");
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, LIST, "java/util/ArrayList");
	maker_load(&m, BIG, "acme/Big");
	maker_load(&m, OBJECTS, "[Ljava/lang/Object;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &list);
	maker_class(&m, &big);
	maker_class(&m, &array);
	for (unsigned i = 0; i < 4; i++)
		maker_id(elements + 8 * i, 0x800);
	maker_id(fields + 8 * MANY, 0x810);
	fields[8 * MANY + 11] = 4; /* size */
	maker_fields(&m, 0x800, BIG, fields, sizeof fields);
	maker_elements(&m, 0x810, OBJECTS, elements, 100);
	maker_root(&m, 0x800);
	maker_heap_end(&m);
	return m;
}

Test(waste_notes, store_with_a_high_number)
{
	struct maker m = make_many_list();
	struct hprof_waste_table *table;
	struct opened o;

	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	table = waste_of(o.graph);
	cr_expect_eq(table->kinds[HPROF_WASTE_SPARSE_COLLECTIONS].objects, 1);
	cr_expect_eq(table->kinds[HPROF_WASTE_NULL_ARRAYS].objects, 0);
	cr_expect(!waste_differs(o.heap, 0));
	hprof_waste_table_free(table);
	close_opened(&o);
	buffer_free(&m.out);
}

/*
 * So many classes are not known that those of arrays are not, either, when these
 * come: only their records say that they are arrays.
 */
Test(waste_notes, arrays_whose_class_comes_late)
{
	enum { UNKNOWN = 66000, LATE = 0x50 };
	struct maker m = maker_begin(8);
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class late = { LATE, OBJECT, 64, "JJJJJJJJ", NULL, 0 };
	struct hprof_waste_table *table;
	uint8_t elements[8];
	struct opened o;

	late.names_id = maker_string(&m, "a");
	for (unsigned i = 1; i < 8; i++)
		maker_string(&m, "b");
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, LATE, "acme/Late");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	for (uint64_t i = 0; i < UNKNOWN; i++)
		maker_instance(&m, 0x10000000 + 0x10 * i, 0x1000 + 0x10 * i, 0);
	maker_prims(&m, 0x910, HPROF_TYPE_INT, 1000);
	maker_id(elements, 0x910);
	for (uint64_t id = 0x920; id < 0x950; id += 0x10)
		maker_elements(&m, id, LATE, elements, 1);
	maker_class(&m, &late);
	for (uint64_t id = 0x920; id < 0x950; id += 0x10)
		maker_root(&m, id);
	maker_heap_end(&m);
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	table = waste_of(o.graph);
	cr_expect_eq(table->kinds[HPROF_WASTE_SINGLE_ARRAYS].objects, 3);
	cr_expect_eq(table->kinds[HPROF_WASTE_ZERO_ARRAYS].objects, 1);
	/* They are no instances, whose numbers would have bytes too many. */
	cr_expect_eq(table->kinds[HPROF_WASTE_WIDE_FIELDS].objects, 0);
	hprof_waste_table_free(table);
	close_opened(&o);
	buffer_free(&m.out);
}

/* ---- many objects -------------------------------------------------------- */

/*
 * Instances of acme.Wide in blocks, an array with a list of references among them: in
 * each run of five one is garbage, and one refers to nothing. The others have an array
 * of zeros by field f0, only garbage has one by f1, and nobody by f2 and f3.
 */
enum { INSTANCES = 500, ELEMENTS = 300, NODES = 0x100000, ZEROS = 0x200000 };

static bool is_garbage(unsigned i)
{
	return i % 5 == 1;
}

static bool is_bare(unsigned i)
{
	return i % 5 == 3;
}

static void put_node(struct maker *m, unsigned i)
{
	uint8_t fields[32] = { 0 };

	if (!is_bare(i)) {
		maker_prims(m, ZEROS + 0x10 * i, HPROF_TYPE_INT, 1000 + i);
		maker_id(fields + (is_garbage(i) ? 8 : 0), ZEROS + 0x10 * i);
	}
	maker_fields(m, NODES + 0x10 * i, WIDE, fields, sizeof fields);
	if (!is_garbage(i))
		maker_root(m, NODES + 0x10 * i);
}

static struct maker make_blocks(void)
{
	enum { OBJECTS = 0x50, LIST = 0x800 };
	struct maker m = maker_begin(8);
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class array = { .class_id = OBJECTS, .super_id = OBJECT };
	struct maker_class wide = { WIDE, OBJECT, 32, "LLLL", NULL, 0 };
	uint8_t elements[8 * ELEMENTS];

	wide.names_id = maker_string(&m, "f0");
	maker_string(&m, "f1");
	maker_string(&m, "f2");
	maker_string(&m, "f3");
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, OBJECTS, "[Ljava/lang/Object;");
	maker_load(&m, WIDE, "acme/Wide");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &array);
	maker_class(&m, &wide);
	for (unsigned k = 0; k < ELEMENTS; k++)
		maker_id(elements + 8 * k, NODES + 0x50 * (k % 100));
	for (unsigned i = 0; i < INSTANCES; i++) {
		if (i == INSTANCES / 2)
			maker_elements(&m, LIST, OBJECTS, elements, ELEMENTS);
		put_node(&m, i);
	}
	maker_root(&m, LIST);
	maker_heap_end(&m);
	return m;
}

Test(waste_notes, blocks_with_garbage_and_lists)
{
	const unsigned live = INSTANCES / 5 * 4, held = INSTANCES / 5 * 3;
	struct maker m = make_blocks();
	const struct hprof_waste_row *row;
	struct hprof_waste_table *table;
	struct opened o;

	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	table = waste_of(o.graph);
	row = row_of_kind(table, HPROF_WASTE_NULL_FIELDS);
	cr_expect_eq(row->fields, 2);
	cr_expect_eq(row->sum.objects, live);
	row = row_of_kind(table, HPROF_WASTE_ZERO_ARRAYS);
	cr_expect_eq(row->sum.objects, held);
	cr_expect_str_eq(row->holder.field, "f0");
	cr_expect(!waste_differs(o.heap, 0));
	hprof_waste_table_free(table);
	close_opened(&o);
	buffer_free(&m.out);
}

/* ---- how they are taken -------------------------------------------------- */

static bool count_call(void *user, const char *phase, uint64_t done,
		       uint64_t total)
{
	unsigned *calls = user;

	(void)done;
	(void)total;
	cr_expect_str_eq(phase, "waste");
	++*calls;
	return true;
}

/* Only reading the dump has a progress. */
Test(waste_notes, save_reading_the_dump_again)
{
	struct hprof_graph_options how = { .size = sizeof how };
	struct hprof_heap *heap = heap_of("waste");
	unsigned calls = 0;
	const struct hprof_waste_options options = { .size = sizeof options,
						     .progress = count_call,
						     .progress_user = &calls };
	struct hprof_waste_table *table;
	struct hprof_graph *graph;

	cr_assert_eq(hprof_waste_notes_new(heap, &how.notes, NULL), HPROF_OK);
	cr_assert_eq(hprof_graph_build(heap, &how, &graph, NULL), HPROF_OK);
	for (unsigned i = 0; i < 2; i++) {
		cr_assert_eq(hprof_waste_read(graph, &options, &table, NULL),
			     HPROF_OK);
		hprof_waste_table_free(table);
		cr_expect_eq(calls > 0, i > 0);
	}
	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

static bool until_dominators(void *user, const char *phase, uint64_t done,
			     uint64_t total)
{
	(void)user;
	(void)done;
	(void)total;
	return strcmp(phase, "dominators") != 0;
}

Test(waste_notes, notes_of_a_graph_that_is_cancelled)
{
	struct hprof_graph_options how = { .size = sizeof how,
					   .dominators = true,
					   .progress = until_dominators };
	struct hprof_heap *heap = heap_of("waste");
	struct hprof_graph *graph = NULL;

	cr_assert_eq(hprof_waste_notes_new(heap, &how.notes, NULL), HPROF_OK);
	cr_expect_eq(hprof_graph_build(heap, &how, &graph, NULL),
		     HPROF_E_CANCELLED);
	cr_expect(!graph);
	hprof_heap_close(heap);
}

Test(waste_notes, notes_of_another_heap)
{
	struct hprof_graph_options how = { .size = sizeof how };
	struct hprof_heap *heap = heap_of("waste"), *other = heap_of("waste");
	struct hprof_graph *graph = NULL;
	struct hprof_error error;

	cr_assert_eq(hprof_waste_notes_new(other, &how.notes, &error),
		     HPROF_OK);
	cr_expect_eq(hprof_graph_build(heap, &how, &graph, &error),
		     HPROF_E_USAGE);
	cr_expect(strncmp(error.text, "argument options.notes: ", 24) == 0);
	cr_expect(!graph);
	cr_assert_eq(hprof_waste_notes_new(heap, &how.notes, NULL), HPROF_OK);
	hprof_waste_notes_free(how.notes);
	hprof_heap_close(other);
	hprof_heap_close(heap);
}

Test(waste_notes, notes_without_memory)
{
	struct hprof_graph_options how = { .size = sizeof how, .threads = 2 };
	struct hprof_heap *heap = heap_of("waste");
	enum hprof_status status = HPROF_E_NOMEM;

	for (int64_t n = 0; status == HPROF_E_NOMEM && n < 10000; n++) {
		struct hprof_waste_table *table = NULL;
		struct hprof_graph *graph = NULL;

		how.notes = NULL;
		hp_mem_fail_after(n);
		status = hprof_waste_notes_new(heap, &how.notes, NULL);
		if (status >= 0)
			status = hprof_graph_build(heap, &how, &graph, NULL);
		if (status >= 0)
			status = hprof_waste_read(graph, NULL, &table, NULL);
		hp_mem_fail_after(-1);
		cr_expect((status == HPROF_OK) == (table != NULL));
		hprof_waste_table_free(table);
		hprof_graph_free(graph);
	}
	cr_expect(status == HPROF_OK);
	hprof_heap_close(heap);
}
