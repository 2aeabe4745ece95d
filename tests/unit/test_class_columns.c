/* SPDX-License-Identifier: MIT */
/*
 * test_class_columns.c - the columns of a class table: their names, and where other
 * classes of that name have the fields.
 */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"
#include "tools/query/class_columns.h"

static void expect_places(struct class_columns *columns, uint64_t class_id,
			  const size_t *places, size_t count)
{
	const size_t row = hprof_heap_class(columns->heap, class_id);

	for (size_t i = 0; i < count; i++)
		cr_expect_eq(class_columns_place(columns, row, i), places[i],
			     "0x%llx, %zu: %zu", (unsigned long long)class_id,
			     i, class_columns_place(columns, row, i));
}

/* By the same place from the end, where there is such a field; else by name. */
Test(class_columns, other_classes_of_that_name)
{
	struct maker m = maker_begin(8);
	const uint64_t names = maker_field_names(&m, 5);
	struct hprof_heap *heap = NULL;
	struct class_columns columns;

	for (uint64_t id = 0x100; id <= 0x500; id += 0x100)
		maker_load(&m, id, "A");
	maker_heap(&m, HPROF_HEAP_DUMP);
	/* The table: f0 f1, and f0 f1 of its superclass. */
	maker_class(&m, &(struct maker_class){ 0x100, 0, 8, "II", "", names });
	maker_class(&m,
		    &(struct maker_class){ 0x200, 0x100, 16, "II", "", names });
	/* f0 f1 f2 f3 f4: its only f0 is the first of both. */
	maker_class(&m,
		    &(struct maker_class){ 0x300, 0, 20, "IIIII", "", names });
	/* The same as the table. */
	maker_class(&m, &(struct maker_class){ 0x400, 0, 8, "II", "", names });
	maker_class(&m,
		    &(struct maker_class){ 0x500, 0x400, 16, "II", "", names });
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	cr_assert(class_columns_init(&columns, heap,
				     hprof_heap_class(heap, 0x200)));
	expect_places(&columns, 0x200, (size_t[]){ 0, 1, 2, 3 }, 4);
	expect_places(&columns, 0x300, (size_t[]){ 0, 1, 0, 1 }, 4);
	expect_places(&columns, 0x500, (size_t[]){ 0, 1, 2, 3 }, 4);
	expect_places(&columns, 0x100, (size_t[]){ 0, 1, 0, 1 }, 4);
	class_columns_done(&columns);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

/* Classes 1, 2 ... COUNT times 16, each below the next, of fields of one name. */
static struct hprof_heap *chain_of(unsigned count, bool ring, const char *name)
{
	struct maker m = maker_begin(8);
	const uint64_t class_name = maker_string(&m, "A");
	const uint64_t field_name = maker_string(&m, name);
	struct hprof_heap *heap = NULL;

	for (uint32_t i = 1; i <= count; i++)
		maker_put(&m, &(struct hprof_record){
				      .tag = HPROF_LOAD_CLASS,
				      .u.load_class = { i, i * 16, 0,
							class_name } });
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (uint32_t i = 1; i <= count; i++) {
		const uint64_t last = ring ? 2 * 16 : 0;
		const uint64_t super = i < count ? (i + 1) * 16 : last;

		maker_class(&m,
			    &(struct maker_class){ i * 16, i > 1 ? super : 0, 4,
						   "I", "", field_name });
	}
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	buffer_free(&m.out);
	return heap;
}

/* The first is below none; the layouts of the others would take 32 GB. */
Test(class_columns, many_of_that_name_below_each_other)
{
	enum { COUNT = 40000 };

	for (int ring = 0; ring < 2; ring++) {
		struct hprof_heap *heap = chain_of(COUNT, ring, "f");
		struct class_columns columns;

		cr_assert(class_columns_init(&columns, heap,
					     hprof_heap_class(heap, 16)));
		expect_places(&columns, 16, (size_t[]){ 0 }, 1);
		for (size_t row = 0; row < COUNT; row++)
			cr_assert_neq(class_columns_place(&columns, row, 0),
				      SIZE_MAX);
		class_columns_done(&columns);
		hprof_heap_close(heap);
	}
}

/* A name may be as long as the file; what repeats it may not be that often as long. */
Test(class_columns, long_names)
{
	enum { SIZE = 4000000, FIELDS = 300 };
	char *name = malloc(SIZE + 1), *text;
	struct class_columns columns;
	struct hprof_heap *heap;

	memset(name, 'n', SIZE);
	name[SIZE] = '\0';
	heap = chain_of(FIELDS, false, name);
	cr_assert(class_columns_init(&columns, heap,
				     hprof_heap_class(heap, 2 * 16)));
	cr_assert_eq(columns.count, FIELDS - 1);
	text = class_columns_declare(&columns);
	cr_assert_not_null(text);
	cr_expect_lt(strlen(text), FIELDS * 66000);
	sqlite3_free(text);
	class_columns_done(&columns);
	hprof_heap_close(heap);
	free(name);
}
