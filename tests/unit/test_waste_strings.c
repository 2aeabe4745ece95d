/* SPDX-License-Identifier: MIT */
/*
 * test_waste_strings.c - which strings are wide: those whose coder is 1, of whatever
 * type it is and wherever; of others the bytes of their arrays are no halves.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"

enum { OBJECT = 0x10, STRING = 0x20, FIRST = 0x100, CODERS = 3 };

/* Where String has its array and its coder. */
struct layout {
	const char *fields;
	unsigned value_at, coder_at, coder_size, size;
};

static uint64_t id_of(unsigned string, unsigned what)
{
	return FIRST + 0x20 * string + 0x10 * what;
}

/* A string of SIZE bytes, which may end before its coder, and its array. */
static void make_string(struct maker *m, const struct layout *layout,
			unsigned string, uint8_t coder, uint32_t size)
{
	uint8_t fields[16] = { 0 };
	/* Characters of two bytes, the second of which is 0 */
	uint8_t bytes[32] = { 0 };
	const struct hprof_record array = {
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.u.prim_array_dump = { .object_id = id_of(string, 1),
				       .count = sizeof bytes,
				       .type = HPROF_TYPE_BYTE,
				       .elements = { bytes, sizeof bytes } },
	};

	for (unsigned i = 0; i < sizeof bytes; i += 2)
		bytes[i] = (uint8_t)('a' + string);
	maker_id(fields + layout->value_at, id_of(string, 1));
	fields[layout->coder_at + layout->coder_size - 1] = coder;
	maker_fields(m, id_of(string, 0), STRING, fields, size);
	maker_put(m, &array);
	maker_root(m, id_of(string, 0));
}

static struct maker make_dump(const struct layout *layout)
{
	struct maker m = maker_begin(8);
	const bool coder_first = layout->coder_at == 0;
	const uint64_t names =
		maker_string(&m, coder_first ? "coder" : "value");
	const struct maker_class object = { .class_id = OBJECT };
	const struct maker_class string = { STRING,	  OBJECT,
					    layout->size, layout->fields,
					    NULL,	  names };

	maker_string(&m, coder_first ? "value" : "coder");
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, STRING, "java/lang/String");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &object);
	maker_class(&m, &string);
	for (uint8_t coder = 0; coder < CODERS; coder++)
		make_string(&m, layout, coder, coder, layout->size);
	if (!coder_first)
		make_string(&m, layout, CODERS, 1, layout->coder_at);
	maker_heap_end(&m);
	return m;
}

Test(waste_strings, whose_coder_is_anything)
{
	static const struct layout layouts[] = {
		{ "LB", 0, 8, 1, 9 },
		{ "BL", 1, 0, 1, 9 },
		{ "LZ", 0, 8, 1, 9 },
		{ "LI", 0, 8, 4, 12 },
	};

	for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
		struct maker m = make_dump(&layouts[i]);
		struct hprof_waste_table *table = NULL;
		struct opened o;

		cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
		cr_assert(hprof_waste_read(o.graph, NULL, &table, NULL) ==
			  HPROF_OK);
		cr_expect_eq(table->kinds[HPROF_WASTE_HIGH_BYTES].objects, 1,
			     "%s", layouts[i].fields);
		hprof_waste_table_free(table);
		close_opened(&o);
		buffer_free(&m.out);
	}
}
