/* SPDX-License-Identifier: MIT */
/*
 * test_waste_limits.c - hprof_waste_read with hardly any memory: the lists are
 * files then, and the figures are the same.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "heaps.h"
#include "maker.h"
#include "waste/waste.h"

enum {
	CONTENTS = 20000,
	HOLDERS = 1500, /* more classes than rows that little memory allows */
	OWNERS = 2 * CONTENTS,
	TAIL = 100,
	OBJECT = 0x10,
	STRING = 0x20,
	LIST = 0x30,
	OBJECTS = 0x40, /* Object[] */
	FIRST_HOLDER = 0x1000
};

/* The objects of owner I, 0x100 apart. */
enum { OWNER, NAME, CHARACTERS, SINGLE, UNUSED, ZEROS };

static uint64_t id_of(uint64_t i, unsigned what)
{
	return 0x100000 + 0x100 * i + 0x10 * what;
}

static uint64_t class_id(unsigned holder)
{
	return FIRST_HOLDER + 0x10 * (uint64_t)holder;
}

static void make_classes(struct maker *m)
{
	struct maker_class object = { .class_id = OBJECT };
	struct maker_class string = {
		STRING, OBJECT, 8, "L", NULL, maker_string(m, "value")
	};
	struct maker_class list = { LIST, OBJECT,
				    16,	  "LII",
				    NULL, maker_string(m, "elementData") };
	struct maker_class array = { .class_id = OBJECTS, .super_id = OBJECT };
	uint64_t names;
	char name[32];

	maker_string(m, "size");
	maker_string(m, "modCount");
	names = maker_string(m, "name");
	maker_string(m, "single");
	maker_string(m, "unused");
	maker_string(m, "zeros");
	maker_load(m, OBJECT, "java/lang/Object");
	maker_load(m, STRING, "java/lang/String");
	maker_load(m, LIST, "java/util/ArrayList");
	maker_load(m, OBJECTS, "[Ljava/lang/Object;");
	for (unsigned i = 0; i < HOLDERS; i++) {
		snprintf(name, sizeof name, "acme/Holder%u", i);
		maker_load(m, class_id(i), name);
	}
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(m, &object);
	maker_class(m, &string);
	maker_class(m, &list);
	maker_class(m, &array);
	for (unsigned i = 0; i < HOLDERS; i++) {
		struct maker_class holder = { class_id(i), OBJECT, 32,
					      "LLLL",	   NULL,   names };

		maker_class(m, &holder);
	}
}

/* An array of bytes that begins with NUMBER, the rest is 0. */
static void put_bytes(struct maker *m, uint64_t id, uint32_t number,
		      uint32_t size)
{
	uint8_t bytes[TAIL] = { 0 };
	struct hprof_record record = {
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.u.prim_array_dump = { .object_id = id,
				       .count = size,
				       .type = HPROF_TYPE_BYTE,
				       .elements = { bytes, size } },
	};

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	maker_put(m, &record);
}

/*
 * Two owners each have equal names; all else is different. CROSSED: what the first
 * half of the owners has, the second half refers to as well, from the other end of
 * the file.
 */
static void make_owner(struct maker *m, uint32_t i, bool crossed)
{
	const uint32_t partner =
		crossed && i >= OWNERS / 2 ? OWNERS - 1 - i : i;

	uint8_t fields[32], list[16] = { 0 }, nothing[8] = { 0 };
	static const unsigned parts[] = { NAME, SINGLE, UNUSED, ZEROS };

	for (unsigned k = 0; k < 4; k++)
		maker_id(fields + 8 * k, id_of(k == 0 ? i : partner, parts[k]));
	maker_fields(m, id_of(i, OWNER), class_id(i / 2 % HOLDERS), fields,
		     sizeof fields);
	maker_id(fields, id_of(partner, CHARACTERS));
	maker_fields(m, id_of(i, NAME), STRING, fields, 8);
	put_bytes(m, id_of(i, CHARACTERS), i / 2 + 1, 8);
	maker_elements(m, id_of(i, SINGLE), OBJECTS, nothing, 1);
	maker_fields(m, id_of(i, UNUSED), LIST, list, sizeof list);
	put_bytes(m, id_of(i, ZEROS), i + 1, TAIL);
	maker_root(m, id_of(i, OWNER));
}

static void make_dump(struct maker *m, bool crossed)
{
	*m = maker_begin(8);
	make_classes(m);
	for (uint32_t i = 0; i < OWNERS; i++)
		make_owner(m, i, crossed);
	maker_heap_end(m);
}

static struct hprof_waste_table *waste_with(const struct hprof_graph *graph,
					    uint64_t memory)
{
	const struct hprof_waste_options how = { .size = sizeof how,
						 .memory = memory };
	struct hprof_waste_table *table = NULL;
	struct hprof_error error;

	cr_assert(hprof_waste_read(graph, &how, &table, &error) == HPROF_OK,
		  "%s", error.text);
	return table;
}

static uint64_t sum_of_rows(const struct hprof_waste_table *table)
{
	uint64_t saved = 0;

	for (size_t i = 0; i < table->row_count; i++)
		saved += table->rows[i].sum.saved;
	return saved;
}

static void same_contents(const struct hprof_waste_table *a,
			  const struct hprof_waste_table *b)
{
	cr_assert_eq(a->string_count, b->string_count);
	for (size_t i = 0; i < a->string_count; i++) {
		const struct hprof_waste_content *x = &a->strings[i];
		const struct hprof_waste_content *y = &b->strings[i];

		cr_expect_eq(x->example_id, y->example_id);
		cr_expect_eq(x->objects, y->objects);
		cr_expect_eq(x->holder.class_row, y->holder.class_row);
		cr_expect_eq(x->held, y->held);
	}
}

Test(waste_limits, many_contents_in_hardly_any_memory)
{
	static const struct {
		enum hprof_waste_kind kind;
		uint64_t objects;
	} planted[] = {
		{ HPROF_WASTE_EQUAL_STRINGS, CONTENTS },
		{ HPROF_WASTE_SINGLE_ARRAYS, OWNERS },
		{ HPROF_WASTE_UNUSED_COLLECTIONS, OWNERS },
		{ HPROF_WASTE_ZERO_TAILS, OWNERS },
	};
	enum { PLANTED = sizeof planted / sizeof planted[0] };
	struct hprof_waste_table *all, *little;
	struct maker m;
	struct opened o;

	make_dump(&m, false);
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	all = waste_with(o.graph, 0);
	little = waste_with(o.graph, 1);
	cr_expect(!((struct hp_waste *)all->impl)->tables.spill);
	cr_expect(((struct hp_waste *)little->impl)->tables.spill);
	for (unsigned i = 0; i < PLANTED; i++)
		cr_expect_eq(all->kinds[planted[i].kind].objects,
			     planted[i].objects);
	for (int k = 0; k < HPROF_WASTE_KINDS; k++) {
		cr_expect_eq(little->kinds[k].objects, all->kinds[k].objects);
		cr_expect_eq(little->kinds[k].bytes, all->kinds[k].bytes);
		cr_expect_eq(little->kinds[k].saved, all->kinds[k].saved);
	}
	cr_expect_eq(all->row_count, (size_t)PLANTED * HOLDERS);
	cr_expect_leq(little->row_count, 1024 + PLANTED);
	cr_expect_eq(sum_of_rows(all), all->saved);
	cr_expect_eq(sum_of_rows(little), all->saved);
	same_contents(all, little);
	hprof_waste_table_free(all);
	hprof_waste_table_free(little);
	close_opened(&o);
	buffer_free(&m.out);
}

static void same_rows(const struct hprof_waste_table *a,
		      const struct hprof_waste_table *b)
{
	cr_assert_eq(a->row_count, b->row_count);
	for (size_t i = 0; i < a->row_count; i++) {
		const struct hprof_waste_row *x = &a->rows[i];
		const struct hprof_waste_row *y = &b->rows[i];

		cr_expect_eq(x->kind, y->kind);
		cr_expect_eq(x->class_row, y->class_row);
		cr_expect_eq(x->example, y->example);
		cr_expect_eq(x->holder.class_row, y->holder.class_row);
		cr_expect_eq(x->sum.objects, y->sum.objects);
		cr_expect_eq(x->sum.saved, y->sum.saved);
	}
}

/* Which thread sees the first and which the second half is a matter of chance. */
Test(waste_threads, several_find_what_one_finds)
{
	struct hprof_waste_table *one, *several;
	struct maker m;
	struct opened o, p;

	make_dump(&m, true);
	cr_assert_gt(m.out.size, 8 << 20, "it is read as one piece");
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	cr_assert(open_bytes(&p, m.out.bytes, m.out.size, 4));
	one = waste_with(o.graph, 0);
	for (unsigned i = 0; i < 3; i++) {
		several = waste_with(p.graph, 0);
		cr_expect_eq(several->saved, one->saved);
		same_rows(one, several);
		same_contents(one, several);
		hprof_waste_table_free(several);
	}
	several = waste_with(p.graph, 1);
	cr_expect_eq(several->saved, one->saved);
	hprof_waste_table_free(several);
	/* The array of two strings is saved, but only once. */
	cr_expect_eq(one->kinds[HPROF_WASTE_EQUAL_STRINGS].objects,
		     OWNERS - CONTENTS / 2);
	hprof_waste_table_free(one);
	close_opened(&o);
	close_opened(&p);
	buffer_free(&m.out);
}
