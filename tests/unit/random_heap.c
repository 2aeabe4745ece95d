/* SPDX-License-Identifier: MIT */
/*
 * random_heap.c - see random_heap.h.
 */
#include "random_heap.h"

#include <criterion/criterion.h>
#include <stdio.h>

uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 33;
}

uint32_t random_below(uint32_t n)
{
	static uint64_t state = 88172645463325252;

	return (uint32_t)(next_random(&state) % n);
}

static uint64_t id_at(unsigned place)
{
	return 0x10000 + 0x40 * (uint64_t)place;
}

/* An object of three fields, of four classes, refers to others at random. */
static void put_object(struct maker *m, const unsigned *place, unsigned i,
		       uint64_t seed)
{
	uint64_t state = seed + i;
	uint8_t data[24] = { 0 };

	for (unsigned field = 0; field < 3; field++) {
		uint64_t to = next_random(&state) % (2 * RANDOM_OBJECTS);

		if (to < RANDOM_OBJECTS)
			maker_id(data + 8 * field, id_at(place[to]));
	}
	maker_fields(m, id_at(place[i]), 0x200 + 0x100 * (uint64_t)(i % 4),
		     data, sizeof data);
}

void random_heap(struct maker *m, const unsigned *place, uint64_t seed)
{
	unsigned at[RANDOM_OBJECTS];
	uint64_t names;
	char name[16];

	*m = maker_begin(8);
	names = maker_string(m, "left");
	maker_string(m, "right");
	maker_string(m, "other");
	maker_load(m, 0x100, "java/lang/Object");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "app/C%u", i);
		maker_load(m, 0x200 + 0x100 * i, name);
	}
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < 3; i++)
		maker_root(m, id_at(place[i]));
	maker_class(m, &(struct maker_class){ .class_id = 0x100 });
	for (unsigned i = 0; i < 4; i++)
		maker_class(
			m, &(struct maker_class){ .class_id = 0x200 + 0x100 * i,
						  .super_id = 0x100,
						  .instance_size = 24,
						  .fields = "LLL",
						  .names_id = names });
	for (unsigned i = 0; i < RANDOM_OBJECTS; i++)
		at[place[i]] = i;
	for (unsigned i = 0; i < RANDOM_OBJECTS; i++)
		put_object(m, place, at[i], seed);
	maker_heap_end(m);
}

void open_random(struct opened *o, uint64_t seed)
{
	unsigned place[RANDOM_OBJECTS];
	struct maker m;

	for (unsigned i = 0; i < RANDOM_OBJECTS; i++)
		place[i] = RANDOM_OBJECTS - 1 - i;
	random_heap(&m, place, seed);
	cr_assert(open_bytes(o, m.out.bytes, m.out.size, 2));
	buffer_free(&m.out);
}
