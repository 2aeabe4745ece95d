/* SPDX-License-Identifier: MIT */
/*
 * test_class_kin.c - classes of a name and their subclasses, also where several have
 * the name or are above each other in a circle.
 */
#include <criterion/criterion.h>
#include <hprof.h>

#include "heaps.h"
#include "maker.h"
#include "tools/query/class_kin.h"

enum { OBJECT = 0x10 };

static const struct {
	uint64_t id, super;
	const char *name;
	bool is_kin; /* of "A" */
} classes[] = {
	{ OBJECT, 0, "Object", false }, { 0x18, OBJECT, "A", true },
	{ 0x20, 0x18, "B", true },	{ 0x28, OBJECT, "A", true },
	{ 0x30, 0x28, "C", true },	{ 0x38, OBJECT, "D", false },
	{ 0x40, 0x48, "Ring", false },	{ 0x48, 0x40, "Ring", false },
	{ 0x50, 0x58, "E", true },	{ 0x58, 0x50, "A", true },
	{ 0x60, 0x9999, "F", false },
};

enum { COUNT = sizeof classes / sizeof classes[0] };

static struct maker make_dump(void)
{
	struct maker m = maker_begin(8);

	for (unsigned i = 0; i < COUNT; i++)
		maker_load(&m, classes[i].id, classes[i].name);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < COUNT; i++) {
		const struct maker_class c = { .class_id = classes[i].id,
					       .super_id = classes[i].super };

		maker_class(&m, &c);
	}
	maker_heap_end(&m);
	return m;
}

/* In both directions, since what is found out first is used later. */
Test(class_kin, names_supers_and_rings)
{
	struct maker m = make_dump();
	struct hprof_heap *heap;

	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	for (unsigned way = 0; way < 2; way++) {
		struct class_kin *kin = class_kin_new(heap, "A");

		cr_assert_not_null(kin);
		for (unsigned n = 0; n < COUNT; n++) {
			unsigned i = way ? COUNT - 1 - n : n;
			size_t row = hprof_heap_class(heap, classes[i].id);

			for (unsigned again = 0; again < 2; again++)
				cr_expect_eq(class_kin_has(kin, row),
					     classes[i].is_kin, "%u %s", way,
					     classes[i].name);
		}
		cr_expect_not(class_kin_has(kin, SIZE_MAX));
		class_kin_free(kin);
	}
	hprof_heap_close(heap);
	buffer_free(&m.out);
}
