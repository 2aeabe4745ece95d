/* SPDX-License-Identifier: MIT */
/*
 * test_leak_subject.c - what suspects are about, and whose that is: an array that a
 * collection has is no part of it, and a lambda owns nothing if somebody has it.
 */
#include <criterion/criterion.h>

#include "heaps.h"
#include "maker.h"

enum {
	ITEMS = 150,
	ITEM_BYTES = 20000,
	OBJECT = 0x100,
	ARRAYS = 0x200,
	STRINGS = 0x300,
	BYTES = 0x400,
	ARRAY_LIST = 0x500,
	LAMBDA = 0x600,
	APP = 0x700,
	POINT = 0x1000, /* the array that has all items */
	LIST = 0x2000,
	STORAGE = 0x2100, /* of the list */
	CAPTURES = 0x3000 /* an instance of the lambda */
};

/* A list of one array, and a lambda that captures an array; App has OWNED. */
static struct maker begin(uint64_t owned)
{
	struct maker m = maker_begin(8);
	uint64_t names = maker_string(&m, "size");
	uint64_t data = maker_string(&m, "elementData");
	uint64_t captured = maker_string(&m, "arg$1");

	cr_assert_eq(data, names + 1);
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, ARRAYS, "[Ljava/lang/Object;");
	maker_load(&m, STRINGS, "[Ljava/lang/String;");
	maker_load(&m, BYTES, "[B");
	maker_load(&m, ARRAY_LIST, "java/util/ArrayList");
	maker_load(&m, LAMBDA, "App$$Lambda$1/0x1234");
	maker_load(&m, APP, "App");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = OBJECT });
	for (uint64_t id = ARRAYS; id <= BYTES; id += 0x100)
		maker_class(&m, &(struct maker_class){ .class_id = id,
						       .super_id = OBJECT });
	maker_class(&m, &(struct maker_class){ .class_id = ARRAY_LIST,
					       .super_id = OBJECT,
					       .instance_size = 12,
					       .fields = "IL",
					       .names_id = names });
	maker_class(&m, &(struct maker_class){ .class_id = LAMBDA,
					       .super_id = OBJECT,
					       .instance_size = 8,
					       .fields = "L",
					       .names_id = captured });
	maker_owner(&m, APP, OBJECT, 0, owned);
	return m;
}

static void put_array(struct maker *m, uint64_t class_id)
{
	uint8_t ids[8 * ITEMS];

	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t id = 0x10000000 + 0x10000 * (uint64_t)i;

		maker_prims(m, id, HPROF_TYPE_BYTE, ITEM_BYTES);
		maker_id(ids + 8 * i, id);
	}
	maker_elements(m, POINT, class_id, ids, ITEMS);
}

static void put_list(struct maker *m)
{
	uint8_t id[8], fields[12] = { 0, 0, 0, 1 };

	maker_id(id, POINT);
	maker_elements(m, STORAGE, ARRAYS, id, 1);
	maker_id(fields + 4, STORAGE);
	maker_fields(m, LIST, ARRAY_LIST, fields, 12);
}

static void put_lambda(struct maker *m)
{
	uint8_t field[8];

	maker_id(field, POINT);
	maker_fields(m, CAPTURES, LAMBDA, field, 8);
}

/* The only suspect is about SUBJECT, and that is of OWNER. */
static void expect(struct maker *m, uint64_t subject, uint64_t owner)
{
	struct hprof_leak_table *leaks;
	const struct hprof_leak *leak;
	struct opened o;

	maker_heap_end(m);
	cr_assert(open_bytes(&o, m->out.bytes, m->out.size, 2));
	buffer_free(&m->out);
	cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1, "%zu", leaks->count);
	leak = &leaks->leaks[0];
	cr_assert_eq(leak->path_count, 1);
	cr_assert_lt(leak->subject_step, leak->paths[0].count);
	cr_assert_lt(leak->owner_step, leak->subject_step);
	cr_expect_eq(leak->point.id, POINT);
	cr_expect_eq(leak->paths[0].steps[leak->subject_step].held.id, subject);
	cr_expect_eq(leak->paths[0].steps[leak->owner_step].held.id, owner);
	cr_expect_eq(leak->collection.object != HPROF_NO_OBJECT,
		     subject == LIST);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(leak_subject, an_array_of_its_own_type_is_no_part_of_a_list)
{
	struct maker m = begin(LIST);

	put_array(&m, STRINGS);
	put_list(&m);
	expect(&m, POINT, APP);

	/* As the arrays in arrays of some collections are. */
	m = begin(LIST);
	put_array(&m, ARRAYS);
	put_list(&m);
	expect(&m, LIST, APP);
}

Test(leak_subject, a_lambda_is_of_who_has_it)
{
	struct maker m = begin(CAPTURES);

	put_array(&m, STRINGS);
	put_lambda(&m);
	expect(&m, POINT, APP);

	m = begin(0);
	put_array(&m, STRINGS);
	put_lambda(&m);
	maker_root(&m, CAPTURES);
	expect(&m, POINT, CAPTURES);
}
