/* SPDX-License-Identifier: MIT */
/*
 * test_packed_edges.c - references come out of their packed form as they went in:
 * numbers of all lengths, and objects with none, some and many references.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "graph/packed_edges.h"
#include "random_heap.h"

enum { OBJECTS = 300, MOST = 400, ROOM = 8 * OBJECTS * MOST, CLASS = 7 };

/* ---- numbers ------------------------------------------------------------- */

/* From LAST to TO and back; returns how many bytes that took. */
static uint32_t check_number(uint32_t last, uint32_t to, bool wide)
{
	uint8_t bytes[HP_PACKED_AT_ONCE];
	const uint32_t length = hp_packed_store(bytes, to - last, wide);
	struct hp_packed_walk walk = { .at = bytes,
				       .end = bytes + length,
				       .last = last,
				       .of = HP_NONE,
				       .wide = wide };
	uint32_t got = 0;
	bool class;

	cr_assert_leq(length, 5);
	memset(bytes + length, 0xFF, sizeof bytes - length);
	cr_assert(hp_packed_walk_next(&walk, &got, &class));
	cr_assert_eq(got, to, "%u from %u", to, last);
	cr_assert_not(class);
	cr_assert_not(hp_packed_walk_next(&walk, &got, &class));
	return length;
}

Test(packed_edges, numbers_of_all_lengths)
{
	uint32_t lengths[6] = { 0 };

	for (unsigned shift = 0; shift < 32; shift++)
		for (int more = -2; more <= 2; more++) {
			const uint32_t by =
				((uint32_t)1 << shift) + (uint32_t)more;
			lengths[check_number(5, 5 + by, true)]++;
			lengths[check_number(5 + by, 5, true)]++;
			if (by >= 1 << 29)
				continue;
			check_number(5, 5 + by, false);
			check_number(5 + by, 5, false);
		}
	cr_expect(lengths[1] && lengths[2] && lengths[3] && lengths[5]);
	cr_expect_eq(lengths[4], 0);
	cr_expect_eq(check_number(0, (1 << 29) - 1, false), 4);
	cr_expect_eq(check_number((1 << 29) - 1, 0, false), 4);
}

/* ---- objects ------------------------------------------------------------- */

/* Objects, some of which are kept, and their references. */
struct made {
	struct hp_packed_edges packed;
	struct hp_edges edges;
	uint32_t classes[1];
	uint16_t kinds[OBJECTS];
	uint8_t lengths[OBJECTS + 64];
	bool kept[OBJECTS], own[OBJECTS];
	uint32_t count[OBJECTS], to[OBJECTS][MOST];
};

static uint64_t put_object(struct made *made, uint32_t i, uint32_t number,
			   uint8_t *at)
{
	uint32_t last = i;
	uint64_t length = 0;

	made->own[i] = random_below(2);
	made->count[i] =
		random_below(10) ? random_below(5) : random_below(MOST);
	for (uint32_t k = 0; k < made->count[i]; k++) {
		made->to[i][k] = random_below(4) ? i + random_below(40)
						 : random_below(1 << 29);
		length += hp_packed_store(at + length, made->to[i][k] - last,
					  made->packed.wide);
		last = made->to[i][k];
	}
	return hp_packed_edges_note(&made->packed, i, number, made->own[i], at,
				    length);
}

static struct made *make(bool wide)
{
	struct made *made = hp_calloc(1, sizeof *made);
	uint32_t number = 0;
	uint64_t at = 0;

	cr_assert(made);
	made->classes[0] = CLASS;
	for (uint32_t i = 0; i < OBJECTS; i++)
		made->kinds[i] = (uint16_t)hp_kind_of_instances(0);
	made->edges.kinds.at = made->kinds;
	made->packed = (struct hp_packed_edges){ .wide = wide,
						 .classes = made->classes,
						 .class_count = 1 };
	made->packed.blocks =
		hp_calloc(hp_bit_words(OBJECTS), sizeof *made->packed.blocks);
	made->packed.lengths.at = made->lengths;
	made->packed.bytes.at = hp_alloc(ROOM);
	cr_assert(made->packed.blocks && made->packed.bytes.at);
	for (uint32_t i = 0; i < OBJECTS; i++) {
		struct hp_packed_block *block = &made->packed.blocks[i >> 6];
		if (i % 64 == 0) {
			block->start = at;
			block->rank = number;
		}
		made->kept[i] = random_below(3);
		if (!made->kept[i])
			continue;
		block->kept |= (uint64_t)1 << (i & 63);
		at += put_object(made, i, number++,
				 (uint8_t *)made->packed.bytes.at + at);
	}
	return made;
}

static void drop(struct made *made)
{
	hp_free(made->packed.blocks);
	hp_free(made->packed.bytes.at);
	hp_free(made);
}

static void check_object(const struct made *made, uint32_t i)
{
	struct hp_packed_walk walk =
		hp_packed_edges_of(&made->packed, &made->edges, i);
	uint32_t to = 0, count = made->kept[i] ? made->count[i] : 0;
	bool class;

	for (uint32_t k = 0; k < count; k++) {
		cr_assert(hp_packed_walk_next(&walk, &to, &class));
		cr_assert_eq(to, made->to[i][k]);
		cr_assert_not(class);
	}
	if (made->kept[i] && made->own[i]) {
		cr_assert(hp_packed_walk_next(&walk, &to, &class));
		cr_assert_eq(to, CLASS);
		cr_assert(class);
	}
	cr_assert_not(hp_packed_walk_next(&walk, &to, &class));
	cr_assert_not(hp_packed_walk_next(&walk, &to, &class));
}

Test(packed_edges, objects_of_all_lengths)
{
	unsigned irregular = 0, words = 0;

	for (unsigned round = 0; round < 100; round++) {
		struct made *made = make(round % 2);
		for (uint32_t i = 0; i < OBJECTS; i++)
			check_object(made, i);
		for (size_t i = 0; i < hp_bit_words(OBJECTS); i++, words++)
			irregular += made->packed.blocks[i].start >> 63;
		drop(made);
	}
	/* Some blocks have long objects, some have none. */
	cr_expect(irregular > words / 4 && irregular < words);
}
