/* SPDX-License-Identifier: MIT */
/*
 * test_retained_groups.c - what sets of objects retain that a caller makes of
 * classes, against what is right by definition.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <hprof.h>

#include "fixture.h"
#include "heaps.h"
#include "base/mem.h"
#include "random_heap.h"

enum { SETS = 3 };

struct sets {
	struct hprof_retained_groups division;
	uint32_t *instances, *class_objects;
	struct hprof_set_sum sums[SETS];
};

/* Numbers up to SETS; SETS itself stands for no set. */
static void divide_at_random(struct sets *sets, size_t rows, uint64_t seed)
{
	sets->instances = calloc(rows + 1, sizeof(uint32_t));
	sets->class_objects = calloc(rows + 1, sizeof(uint32_t));
	for (size_t i = 0; i <= rows; i++) {
		sets->instances[i] =
			(uint32_t)(next_random(&seed) % (SETS + 1));
		sets->class_objects[i] =
			(uint32_t)(next_random(&seed) % (SETS + 1));
	}
	sets->division = (struct hprof_retained_groups){
		.instances = sets->instances,
		.class_objects = sets->class_objects,
		.sums = sets->sums,
		.set_count = SETS,
	};
}

static uint32_t set_of(const struct opened *o, const struct sets *sets,
		       struct hprof_cursor *cursor, uint64_t object)
{
	size_t rows = hprof_heap_summary(o->heap)->class_count;
	struct hprof_object about;
	size_t row;

	cr_assert_eq(hprof_cursor_seek(cursor, object, &about), HPROF_OK);
	row = about.class_row < rows ? about.class_row : rows;
	return about.kind == HPROF_OBJECT_CLASS ? sets->class_objects[row]
						: sets->instances[row];
}

/* By definition: objects of the set that no other one dominates. */
static void check_sums(const char *name, const struct opened *o,
		       const struct sets *sets)
{
	struct hprof_cursor *cursor = cursor_of(o->heap);
	struct hprof_set_sum sums[SETS + 1] = { { 0, 0, 0 } };

	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		uint32_t set;
		uint64_t above = i;

		if (!hprof_graph_is_reachable(o->graph, i))
			continue;
		set = set_of(o, sets, cursor, i);
		sums[set].objects++;
		sums[set].shallow += hprof_graph_shallow(o->graph, i);
		do
			above = hprof_graph_dominator(o->graph, above);
		while (above != HPROF_NO_OBJECT &&
		       set_of(o, sets, cursor, above) != set);
		if (above == HPROF_NO_OBJECT)
			sums[set].retained += hprof_graph_retained(o->graph, i);
	}
	for (uint32_t i = 0; i < SETS; i++) {
		cr_expect_eq(sums[i].objects, sets->sums[i].objects, "%s",
			     name);
		cr_expect_eq(sums[i].shallow, sets->sums[i].shallow, "%s",
			     name);
		cr_expect_eq(sums[i].retained, sets->sums[i].retained, "%s",
			     name);
	}
	hprof_cursor_free(cursor);
}

static void check_division(const char *name, const struct opened *o)
{
	size_t rows = hprof_heap_summary(o->heap)->class_count;

	for (uint64_t seed = 0; seed < 5; seed++) {
		struct sets sets[2];
		struct hprof_retained_groups divisions[2];

		for (unsigned i = 0; i < 2; i++) {
			divide_at_random(&sets[i], rows, 2 * seed + i);
			divisions[i] = sets[i].division;
		}
		cr_assert_eq(
			hprof_retained_by_group(o->graph, divisions, 2, NULL),
			HPROF_OK, "%s", name);
		for (unsigned i = 0; i < 2; i++) {
			check_sums(name, o, &sets[i]);
			free(sets[i].instances);
			free(sets[i].class_objects);
		}
	}
}

Test(retained_groups, every_fixture)
{
	struct opened o;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture fixture = fixture_load(*name);

		if (open_bytes(&o, fixture.bytes, fixture.size, 2)) {
			check_division(*name, &o);
			close_opened(&o);
		}
		fixture_free(&fixture);
	}
	for (uint64_t seed = 0; seed < 20; seed++) {
		open_random(&o, seed * 1000);
		check_division("random", &o);
		close_opened(&o);
	}
}

Test(retained_groups, without_memory)
{
	struct sets sets;
	int64_t after = 0;
	struct opened o;

	open_random(&o, 3);
	divide_at_random(&sets, hprof_heap_summary(o.heap)->class_count, 1);
	for (hp_mem_fail_after(0); !had_memory(hprof_retained_by_group(
		     o.graph, &sets.division, 1, NULL));)
		hp_mem_fail_after(++after);
	cr_expect(after > 3);
	check_sums("random", &o, &sets);
	free(sets.instances);
	free(sets.class_objects);
	close_opened(&o);
}
