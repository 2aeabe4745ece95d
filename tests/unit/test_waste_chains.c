/* SPDX-License-Identifier: MIT */
/*
 * test_waste_chains.c - who holds what is in long chains of nodes: of so many
 * objects that what is noted of the chains becomes files if memory is limited.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"
#include "waste/waste.h"

enum {
	LISTS = 2,
	NODES = 200000, /* of each list; there are three objects a node */
	CLASSES = 0x1000,
	FIRST = 0x100000
};

enum class { OBJECT, INTEGER, LINKED_LIST, NODE, OWNER, ALL = OWNER + LISTS };

static uint64_t class_id(unsigned class)
{
	return CLASSES + 0x10 * (uint64_t) class;
}

/* Nodes of the lists take turns, so the chains go to and fro. */
enum what { A_NODE, A_BOX, AN_OBJECT, A_LIST = 8, AN_OWNER };

static uint64_t id_of(uint64_t list, uint64_t node, enum what what)
{
	return FIRST + 0x100 * (LISTS * node + list) + 0x10 * (uint64_t)what;
}

static void make_classes(struct maker *m)
{
	static const char *const names[ALL] = { "java/lang/Object",
						"java/lang/Integer",
						"java/util/LinkedList",
						"java/util/LinkedList$Node",
						"acme/Even",
						"acme/Odd" };
	static const char *const fields[ALL] = {
		"", "I", "LLI", "LLL", "L", "L"
	};
	static const uint32_t sizes[ALL] = { 0, 4, 20, 24, 8, 8 };
	static const char *const field_names[] = { "value", "first", "last",
						   "size",  "item",  "next",
						   "prev",  "things" };
	/* Which of these is the name of the first field. */
	static const unsigned first[ALL] = { 0, 0, 1, 4, 7, 7 };
	uint64_t ids[8];

	for (unsigned i = 0; i < 8; i++)
		ids[i] = maker_string(m, field_names[i]);
	for (unsigned i = 0; i < ALL; i++)
		maker_load(m, class_id(i), names[i]);
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < ALL; i++) {
		struct maker_class class = {
			class_id(i), i ? class_id(OBJECT) : 0,
			sizes[i],    fields[i],
			NULL,	     ids[first[i]]
		};
		maker_class(m, &class);
	}
}

static void make_node(struct maker *m, uint64_t list, uint64_t node)
{
	uint8_t fields[24] = { 0 };
	/* Every other item is a box; so the rest is no waste. */
	const enum what item = node % 2 ? AN_OBJECT : A_BOX;

	maker_id(fields, id_of(list, node, item));
	if (node + 1 < NODES)
		maker_id(fields + 8, id_of(list, node + 1, A_NODE));
	if (node)
		maker_id(fields + 16, id_of(list, node - 1, A_NODE));
	maker_fields(m, id_of(list, node, A_NODE), class_id(NODE), fields, 24);
	maker_instance(m, id_of(list, node, A_BOX), class_id(INTEGER), 4);
	maker_instance(m, id_of(list, node, AN_OBJECT), class_id(OBJECT), 0);
}

static void make_list(struct maker *m, uint64_t list)
{
	uint8_t fields[20] = { 0 };

	maker_id(fields, id_of(list, 0, A_NODE));
	maker_id(fields + 8, id_of(list, NODES - 1, A_NODE));
	for (unsigned i = 0; i < 4; i++)
		fields[16 + i] = (uint8_t)(NODES >> 8 * (3 - i));
	maker_fields(m, id_of(list, 0, A_LIST), class_id(LINKED_LIST), fields,
		     20);
	maker_id(fields, id_of(list, 0, A_LIST));
	maker_fields(m, id_of(list, 0, AN_OWNER),
		     class_id(OWNER + (unsigned)list), fields, 8);
	maker_root(m, id_of(list, 0, AN_OWNER));
}

static void make_dump(struct maker *m)
{
	*m = maker_begin(8);
	make_classes(m);
	for (uint64_t node = 0; node < NODES; node++)
		for (uint64_t list = 0; list < LISTS; list++)
			make_node(m, list, node);
	for (uint64_t list = 0; list < LISTS; list++)
		make_list(m, list);
	maker_heap_end(m);
}

static void check_boxes(const struct hprof_summary *summary,
			const struct hprof_waste_table *table)
{
	unsigned seen = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct hprof_waste_row *row = &table->rows[i];

		if (row->kind != HPROF_WASTE_BOXES)
			continue;
		cr_assert_lt(row->holder.class_row, summary->class_count);
		cr_expect_str_eq(row->holder.field, "things");
		cr_expect_eq(row->sum.objects, NODES / 2);
		seen |= 1U << (strcmp(summary->class_rows[row->holder.class_row]
					      .name,
				      "acme.Odd") == 0);
	}
	cr_expect_eq(seen, 3, "not both owners");
	cr_expect_eq(table->kinds[HPROF_WASTE_BOXES].objects,
		     LISTS * NODES / 2);
}

Test(waste_chains, whose_memory_is_limited)
{
	static const uint64_t limits[] = { 0, 1 };
	struct maker m;
	struct opened o;

	make_dump(&m);
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 2));
	for (unsigned i = 0; i < 2; i++) {
		const struct hprof_waste_options how = { .size = sizeof how,
							 .memory = limits[i] };
		struct hprof_waste_table *table = NULL;

		cr_assert(hprof_waste_read(o.graph, &how, &table, NULL) ==
			  HPROF_OK);
		cr_expect_eq(((struct hp_waste *)table->impl)->tables.spill,
			     limits[i] != 0);
		check_boxes(hprof_heap_summary(o.heap), table);
		hprof_waste_table_free(table);
	}
	close_opened(&o);
	buffer_free(&m.out);
}
