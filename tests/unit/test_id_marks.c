/* SPDX-License-Identifier: MIT */
/*
 * test_id_marks.c - the set of ids against a trivial model, and its memory.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/id_marks.h"
#include "maker.h"

/* A trivial model: an array. */
struct model {
	struct model_id {
		uint64_t id;
		bool defined, referred;
	} *ids;
	size_t count, room;
};

static struct model_id *model_id(struct model *m, uint64_t id)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->ids[i].id == id)
			return &m->ids[i];
	if (m->count == m->room) {
		m->room = 2 * m->room + 64;
		m->ids = realloc(m->ids, m->room * sizeof *m->ids);
	}
	/* 0 counts as defined. */
	m->ids[m->count] = (struct model_id){ .id = id, .defined = id == 0 };
	return &m->ids[m->count++];
}

static uint64_t random_wide(struct maker *m)
{
	return maker_random(m, 1 << 30) << 34 ^ maker_random(m, 1 << 30) << 17 ^
	       maker_random(m, 1 << 30);
}

static uint64_t random_id(struct maker *m, unsigned kind)
{
	switch (kind) {
	case 0: /* dense addresses */
		return 0xc0000000 + 8 * maker_random(m, 3000);
	case 1: /* dense numbers */
		return 0x50000001 + maker_random(m, 3000);
	case 2: /* scattered */
		return random_wide(m);
	case 3: /* near the end */
		return UINT64_MAX - maker_random(m, 4000);
	case 4: /* a few in a block */
		return maker_random(m, 50) << 15 | maker_random(m, 80) << 3;
	default: /* small, 0 too */
		return maker_random(m, 200);
	}
}

static void expect_model(struct hp_id_marks *set, const struct model *m)
{
	uint64_t dangling = 0;

	for (size_t i = 0; i < m->count; i++) {
		dangling += m->ids[i].referred && !m->ids[i].defined;
		cr_assert(hp_id_marks_is_defined(set, m->ids[i].id) ==
			  m->ids[i].defined);
	}
	cr_assert_eq(hp_id_marks_dangling(set), dangling);
}

Test(id_marks, model)
{
	struct maker random = { .random = 1 };

	for (unsigned round = 0; round < 14; round++) {
		static struct hp_id_marks set;
		struct hp_id_run run = { .base = HP_NO_BASE };
		struct model model = { 0 };
		unsigned kind = round % 7;
		cr_assert(hp_id_marks_init(&set) == 0);
		for (unsigned i = 0; i < 4000; i++) {
			unsigned k =
				kind < 6 ? kind
					 : (unsigned)maker_random(&random, 6);
			uint64_t id = random_id(&random, k);
			struct model_id *m = model_id(&model, id);
			switch (maker_random(&random, 4)) {
			case 0:
				cr_assert(hp_id_marks_define(&set, id) ==
					  !m->defined);
				m->defined = true;
				break;
			case 1:
				cr_assert(hp_id_marks_define_next(&set, &run,
								  id) ==
					  !m->defined);
				m->defined = true;
				break;
			default:
				hp_id_marks_refer(&set, id);
				m->referred = true;
			}
			if (round >= 7) /* some blocks have bits early */
				hp_id_marks_allow(&set,
						  maker_random(&random, 50));
			if (i % 1000 == 999)
				expect_model(&set, &model);
		}
		expect_model(&set, &model);
		cr_expect(!set.no_memory);
		hp_id_marks_done(&set);
		free(model.ids);
	}
}

static uint64_t set_bytes(const struct hp_id_marks *set)
{
	uint64_t bytes = (set->mask + 1) * sizeof *set->slots +
			 set->block_room * sizeof *set->blocks;

	for (size_t i = 0; i <= set->mask; i++) {
		unsigned kind = (unsigned)(set->slots[i].value >> 56);
		/* Lists are at most 64 items, bits are 2 x 4096. */
		bytes += kind == 8 ? 144 : kind == 9 ? 1040 : 0;
	}
	return bytes;
}

/*
 * Objects as in a heap of common programs, 16 to 100 bytes, some large, all
 * referred to: at most 2 bytes each. Scattered ids: a few dozen bytes.
 */
Test(id_marks, memory)
{
	static struct hp_id_marks set;
	struct maker random = { .random = 7 };
	uint64_t id = 0x600000000, count = 1000000;

	cr_assert(hp_id_marks_init(&set) == 0);
	for (uint64_t i = 0; i < count; i++) {
		id += 16 + 8 * maker_random(&random, 8);
		id += maker_random(&random, 50) ? 0 : 200;
		hp_id_marks_define(&set, id);
		hp_id_marks_allow(&set, 1);
		hp_id_marks_refer(&set, id);
	}
	cr_expect(set_bytes(&set) <= 2 * count, "%llu bytes",
		  (unsigned long long)set_bytes(&set));
	hp_id_marks_done(&set);

	cr_assert(hp_id_marks_init(&set) == 0);
	for (uint64_t i = 0; i < count; i++)
		hp_id_marks_refer(&set, random_wide(&random));
	cr_expect(hp_id_marks_dangling(&set) > count - 10);
	cr_expect(set_bytes(&set) <= 48 * count, "%llu bytes",
		  (unsigned long long)set_bytes(&set));
	hp_id_marks_done(&set);
}
