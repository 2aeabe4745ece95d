/* SPDX-License-Identifier: MIT */
/*
 * test_bounded_bfs.c - searches of objects near at hand find the same ways as a
 * graph with all references. Heaps are made at random.
 */
#include <criterion/criterion.h>

#include <string.h>

#include <hprof.h>

#include "report/bounded_bfs.h"
#include "heaps.h"
#include "maker.h"
#include "ways_heap.h"

static bool expand_frontier(struct hp_bounded_bfs *search, uint64_t object,
			    uint64_t from)
{
	(void)search;
	(void)object;
	(void)from;
	return true;
}

Test(bounded_bfs, finds_all_that_can_be_reached_by_the_same_ways)
{
	size_t compared = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);
		struct hp_bounded_bfs s = { .look = &o.paths.look,
					    .meets = expand_frontier,
					    .limit = UINT64_MAX };

		cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
		hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
		cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
		for (uint64_t i = 0; i < hprof_heap_count(o.heap); i++) {
			bool found = hp_bounded_bfs_has(&s, i);

			cr_assert_eq(found,
				     hprof_graph_is_reachable(o.graph, i));
			if (!found)
				continue;
			cr_assert_eq(hp_bounded_bfs_before(&s, i),
				     hprof_shortest_paths_parent(o.ways, i));
			compared++;
		}
		hp_bounded_bfs_end(&s);
		close_heap(&o);
	}
	cr_expect_gt(compared, 1000, "%zu", compared);
}

/* Some roots, but no classes: a graph leaves out what refers to those that are roots. */
static void choose_passing(const struct made *o, uint64_t *bits)
{
	memset(bits, 0, (WAYS_OBJECTS_MOST / 64 + 2) * sizeof *bits);
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++)
		if (i % 3 &&
		    !hp_kind_is_class(hp_graph_kind(o->graph, (uint32_t)i)))
			hp_bit_set(bits, i);
}

/* Where some roots are the last that a search begins at, or a tree of paths. */
Test(bounded_bfs, begins_late_at_roots_that_pass)
{
	uint64_t passing[WAYS_OBJECTS_MOST / 64 + 2];
	size_t others = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);
		const struct hp_path_policy policy = { .passing = passing };
		struct hprof_shortest_paths *ways;
		struct hp_bounded_bfs s = { .look = &o.paths.look,
					    .meets = expand_frontier,
					    .passing = passing,
					    .limit = UINT64_MAX };

		choose_passing(&o, passing);
		cr_assert_eq(
			hp_shortest_paths_build(o.graph, &policy, &ways, NULL),
			HPROF_OK);
		cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
		hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
		cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
		for (uint64_t i = 0; i < hprof_heap_count(o.heap); i++) {
			uint64_t before = hp_bounded_bfs_before(&s, i);
			bool found = hp_bounded_bfs_has(&s, i);

			cr_assert_eq(found,
				     hprof_graph_is_reachable(o.graph, i));
			if (!found)
				continue;
			cr_assert_eq(before,
				     hprof_shortest_paths_parent(ways, i));
			others += before !=
				  hprof_shortest_paths_parent(o.ways, i);
		}
		hp_bounded_bfs_end(&s);
		hprof_shortest_paths_free(ways);
		close_heap(&o);
	}
	cr_expect_gt(others, 100, "%zu", others);
}

/* The first object with another way in the packed references. */
static uint64_t first_other_way(const struct made *o,
				const struct hp_bounded_bfs *s)
{
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++)
		if (hprof_graph_is_reachable(o->graph, i) &&
		    hp_bounded_bfs_before(s, i) !=
			    hprof_shortest_paths_parent(o->ways, i))
			return i;
	return HPROF_NO_OBJECT;
}

Test(bounded_bfs, finds_the_same_ways_by_packed_references)
{
	size_t left_out = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);
		struct hp_look look = { o.heap, o.packed, o.paths.look.cursor };
		struct hp_bounded_bfs s = { .look = &look,
					    .meets = expand_frontier,
					    .limit = UINT64_MAX };

		cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
		hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
		cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
		cr_expect_eq(first_other_way(&o, &s), HPROF_NO_OBJECT,
			     "in heap %u", (unsigned)seed);
		for (uint64_t i = 0; i < hprof_heap_count(o.heap); i++)
			left_out += hprof_graph_is_reachable(o.graph, i) &&
				    !hp_bounded_bfs_has(&s, i);
		hp_bounded_bfs_end(&s);
		close_heap(&o);
	}
	cr_expect_gt(left_out, 20, "%zu", left_out);
}

/* The path to OBJECT is the one in ALL if nothing else is wanted. */
static void compare_wanted(const struct made *o, struct hp_path_policy policy,
			   const struct hprof_shortest_paths *all,
			   uint64_t object)
{
	uint64_t wanted[WAYS_OBJECTS_MOST / 64 + 2] = { 0 }, at = object;
	struct hprof_shortest_paths *one;

	hp_bit_set(wanted, object);
	policy.wanted = wanted;
	cr_assert_eq(hp_shortest_paths_build(o->graph, &policy, &one, NULL),
		     HPROF_OK);
	while (at != HPROF_NO_OBJECT) {
		uint64_t before = hprof_shortest_paths_parent(one, at);

		cr_assert_eq(before, hprof_shortest_paths_parent(all, at));
		at = before;
	}
	hprof_shortest_paths_free(one);
}

/* With objects that are followed last, and other beginnings than the roots. */
static void compare_policies(const struct made *o,
			     const struct hp_path_policy *policy)
{
	struct hprof_shortest_paths *full, *packed;

	cr_assert_eq(hp_shortest_paths_build(o->graph, policy, &full, NULL),
		     HPROF_OK);
	cr_assert_eq(hp_shortest_paths_build(o->packed, policy, &packed, NULL),
		     HPROF_OK);
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++) {
		if (!hprof_graph_is_reachable(o->graph, i))
			continue;
		cr_assert_eq(hprof_shortest_paths_parent(full, i),
			     hprof_shortest_paths_parent(packed, i));
		cr_assert_eq(hprof_shortest_paths_depth(full, i),
			     hprof_shortest_paths_depth(packed, i));
		if (i % 5 == 0)
			compare_wanted(o, *policy, full, i);
	}
	hprof_shortest_paths_free(full);
	hprof_shortest_paths_free(packed);
}

Test(bounded_bfs, all_shortest_paths_by_packed_references)
{
	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);
		const struct hprof_summary *summary =
			hprof_heap_summary(o.heap);
		bool late[64] = { false };
		uint64_t starts[WAYS_OBJECTS_MOST / 64 + 2];
		uint64_t passing[WAYS_OBJECTS_MOST / 64 + 2];

		cr_assert_lt(hp_kind_count(summary->class_count), 64);
		memset(starts, 0, sizeof starts);
		compare_policies(&o, &(struct hp_path_policy){ 0 });
		for (size_t row = 0; row < summary->class_count; row++) {
			uint64_t object = hprof_heap_find(
				o.heap, summary->class_rows[row].class_id);

			late[hp_kind_of_instances(row)] = row % 2 == seed % 2;
			if (hprof_graph_is_reachable(o.graph, object))
				hp_bit_set(starts, object);
		}
		compare_policies(&o, &(struct hp_path_policy){ .starts = starts,
							       .late = late });
		choose_passing(&o, passing);
		compare_policies(
			&o, &(struct hp_path_policy){ .passing = passing });
		compare_policies(
			&o, &(struct hp_path_policy){ .starts = starts,
						      .late = late,
						      .passing = passing });
		close_heap(&o);
	}
}

Test(bounded_bfs, comes_no_further_than_its_limit)
{
	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);
		struct hp_bounded_bfs s = { .look = &o.paths.look,
					    .meets = expand_frontier,
					    .limit = 5 };

		cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
		hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
		cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
		cr_expect_leq(s.objects, 5);
		hp_bounded_bfs_end(&s);
		close_heap(&o);
	}
}

/*
 * The same with MISSING, none of which are met: PART is the search without that. True: a
 * level was not begun.
 */
static bool check_missing(const struct made *o,
			  const struct hp_bounded_bfs *part, size_t missing)
{
	struct hp_bounded_bfs s = { .look = &o->paths.look,
				    .meets = expand_frontier,
				    .limit = part->limit,
				    .missing = &missing };
	bool ended;
	size_t left;

	cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
	hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
	cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
	cr_expect_leq(s.objects, part->objects);
	ended = s.objects < part->objects;
	left = s.limit - s.objects;
	if (s.refused)
		cr_expect_gt(s.next.count / 2, left);
	else if (ended)
		cr_expect_gt((s.next.count - left) * missing, 8 * s.next.count);
	hp_bounded_bfs_end(&s);
	return ended;
}

Test(bounded_bfs, begins_no_level_of_which_too_much_would_be_left)
{
	size_t most = 0, some = 0, compared = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);

		for (uint64_t limit = 1; limit < 400; limit += 13) {
			struct hp_bounded_bfs s = { .look = &o.paths.look,
						    .meets = expand_frontier,
						    .limit = limit };

			cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
			hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
			cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
			cr_expect(!s.refused);
			most += check_missing(&o, &s, 0);
			some += check_missing(&o, &s, 100);
			compared++;
			hp_bounded_bfs_end(&s);
		}
		close_heap(&o);
	}
	cr_expect_gt(most, 20, "%zu", most);
	cr_expect_gt(some, most + 20, "%zu, %zu", some, most);
	cr_expect_lt(some, compared - 20, "%zu of %zu", some, compared);
}

/* Levels of a thousand objects and more are sorted in another way than small ones. */
Test(bounded_bfs, visits_large_levels_by_number)
{
	enum { WIDE = 3000 };
	struct maker m = maker_begin(8);
	struct made o = { 0 };
	struct hprof_graph_options options = { .size = sizeof options,
					       .threads = 1,
					       .edges = true };
	uint8_t ids[8 * WIDE];
	struct hp_bounded_bfs s = { .look = &o.paths.look,
				    .meets = expand_frontier,
				    .limit = UINT64_MAX };

	maker_load(&m, 0x200, "app/Node");
	maker_load(&m, 0x300, "[Lapp/Node;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .instance_size = 8 * WAYS_FIELDS,
					       .fields = "LLL" });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300 });
	/* The first half, last one first; each leads anywhere. */
	for (uint64_t k = 0; k < WIDE; k++)
		maker_id(ids + 8 * k, WAYS_ID + 16 * (WIDE - k));
	maker_elements(&m, WAYS_ID, 0x300, ids, WIDE);
	for (uint64_t i = 1; i < (uint64_t)2 * WIDE; i++)
		put_object(&m, i, (uint64_t)2 * WIDE, false);
	maker_root(&m, WAYS_ID);
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &o.heap),
		     HPROF_OK);
	buffer_free(&m.out);
	cr_assert_eq(hprof_graph_build(o.heap, &options, &o.graph, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_shortest_paths_build(o.graph, &o.ways, NULL),
		     HPROF_OK);
	cr_assert_eq(hp_root_paths_init(&o.paths, o.graph, &o.arena, NULL),
		     HPROF_OK);
	cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
	hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
	cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
	cr_expect_gt(s.seen_count, WIDE);
	cr_expect_eq(first_other_way(&o, &s), HPROF_NO_OBJECT);
	hp_bounded_bfs_end(&s);
	close_heap(&o);
}
