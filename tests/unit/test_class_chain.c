/* SPDX-License-Identifier: MIT */
/*
 * test_class_chain.c - sums and levels of superclasses, in whatever order
 * their CLASS_DUMPs come.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "model/class_chain.h"

/* Dumps class ID with a field for each of INTS and REFS. */
static void dump(struct hp_class_chains *c, uint64_t id, uint64_t super_id,
		 unsigned ints, unsigned refs)
{
	static uint8_t fields[9 * 64];
	struct hprof_record record = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 8,
		.u.class_dump = { .class_id = id,
				  .super_id = super_id,
				  .field_count = (uint16_t)(ints + refs),
				  .fields = { fields, 9 * (ints + refs) } },
	};

	memset(fields, 0, sizeof fields);
	for (unsigned i = 0; i < ints + refs; i++)
		fields[9 * i + 8] =
			i < ints ? HPROF_TYPE_INT : HPROF_TYPE_OBJECT;
	cr_assert(hp_class_chains_dump(c, hp_known_classes_add(c->classes, id),
				       &record, 8) == 0);
}

static void expect_sum(struct hp_class_chains *c, uint64_t id,
		       enum hp_chain_end end, uint64_t bytes, uint64_t refs)
{
	struct hp_field_sum sum;

	cr_expect(hp_class_chain_sum(c, hp_known_classes_get(c->classes, id),
				     &sum) == end,
		  "class %llu", (unsigned long long)id);
	if (end == HP_CHAIN_RING)
		return;
	cr_expect_eq(sum.bytes, bytes, "class %llu", (unsigned long long)id);
	cr_expect_eq(sum.refs, refs, "class %llu", (unsigned long long)id);
}

static uint64_t level_id(struct hp_class_chains *c, uint64_t id)
{
	const struct hp_class_link *level =
		hp_class_chain_level(c, hp_known_classes_get(c->classes, id));

	return level ? level->known.id : 0;
}

static struct hp_known_classes classes;

static void begin(struct hp_class_chains *c)
{
	cr_assert(hp_known_classes_init(&classes, sizeof(struct hp_class_link),
					1) == 0);
	hp_class_chains_init(c, &classes);
}

Test(class_chain, subclasses_first)
{
	struct hp_class_chains c;

	begin(&c);

	dump(&c, 3, 2, 1, 1);
	expect_sum(&c, 3, HP_CHAIN_OPEN, 4, 1);
	cr_expect_eq(level_id(&c, 3), 2, "not known, but there");
	dump(&c, 2, 1, 2, 0);
	expect_sum(&c, 3, HP_CHAIN_OPEN, 12, 1);
	dump(&c, 1, 0, 0, 1);
	expect_sum(&c, 3, HP_CHAIN_WHOLE, 12, 2);
	expect_sum(&c, 2, HP_CHAIN_WHOLE, 8, 1);
	cr_expect_eq(level_id(&c, 3), 2);
	cr_expect_eq(level_id(&c, 2), 1);
	cr_expect_eq(level_id(&c, 1), 0);
	hp_known_classes_done(&classes);
}

Test(class_chain, levels_without_fields)
{
	struct hp_class_chains c;

	begin(&c);

	dump(&c, 1, 0, 1, 0);
	for (uint64_t id = 2; id < 10; id++)
		dump(&c, id, id - 1, 0, 0);
	dump(&c, 10, 9, 0, 1);
	cr_expect_eq(level_id(&c, 10), 1);
	cr_expect_eq(level_id(&c, 5), 1);
	cr_expect_eq(level_id(&c, 1), 0);
	hp_known_classes_done(&classes);
}

Test(class_chain, rings)
{
	struct hp_class_chains c;

	begin(&c);

	dump(&c, 1, 3, 1, 0);
	dump(&c, 2, 1, 0, 0);
	dump(&c, 3, 2, 0, 0);
	dump(&c, 4, 3, 1, 0);
	dump(&c, 5, 5, 0, 0);
	for (uint64_t id = 1; id <= 5; id++)
		expect_sum(&c, id, HP_CHAIN_RING, 0, 0);
	cr_expect_eq(level_id(&c, 4), 1);
	cr_expect_eq(level_id(&c, 5), 0);
	hp_known_classes_done(&classes);
}

/* As many rings as there are, whatever leads into them. */
Test(class_chain, each_ring_once)
{
	static const uint64_t supers[] = { 0, 3, 1, 2, 3, 5, 0, 6, 9 };
	struct hp_class_chains c;
	uint64_t since, found[9] = { 0 };
	size_t count = 0;

	begin(&c);

	for (uint64_t id = 1; id < 9; id++)
		dump(&c, id, supers[id], 0, 0);
	since = hp_class_walk_begin(&c);
	for (uint64_t id = 8; id > 0; id--) {
		const struct hp_class_link *ring = hp_class_chain_new_ring(
			&c, since, hp_known_classes_get(&classes, id));
		if (ring)
			found[count++] = ring->known.id;
	}
	cr_expect_eq(count, 2);
	cr_expect_eq(found[0], 5);
	cr_expect_eq(found[1], 3, "where 4 enters the ring of 1, 2, 3");
	hp_known_classes_done(&classes);
}

/* A class that comes again invalidates what was computed before. */
Test(class_chain, dumped_again)
{
	struct hp_class_chains c;

	begin(&c);

	dump(&c, 1, 0, 1, 0);
	dump(&c, 2, 1, 0, 0);
	dump(&c, 3, 2, 0, 1);
	expect_sum(&c, 3, HP_CHAIN_WHOLE, 4, 1);
	cr_expect_eq(level_id(&c, 3), 1);
	dump(&c, 2, 1, 3, 0);
	expect_sum(&c, 3, HP_CHAIN_WHOLE, 16, 1);
	cr_expect_eq(level_id(&c, 3), 2);
	hp_known_classes_done(&classes);
}

/* Asks for each of many classes; quadratic time would be far too long. */
Test(class_chain, deep, .timeout = 60)
{
	enum { DEEP = 1 << 20 };
	struct hp_class_chains c;

	begin(&c);

	for (uint64_t id = DEEP; id > 0; id--)
		dump(&c, id, id - 1, id == 1, 0);
	for (uint64_t id = DEEP; id > 0; id--) {
		expect_sum(&c, id, HP_CHAIN_WHOLE, 4, 0);
		cr_assert_eq(level_id(&c, id), id > 1);
	}
	hp_known_classes_done(&classes);
}
