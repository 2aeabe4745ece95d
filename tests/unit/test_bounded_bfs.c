/* SPDX-License-Identifier: MIT */
/*
 * test_bounded_bfs.c - searches of objects near at hand find the same ways, and
 * the same origins, as a graph with all references. Heaps are made at random.
 */
#include <criterion/criterion.h>

#include <string.h>

#include <hprof.h>

#include "base/mem.h"
#include "report/bounded_bfs.h"
#include "leaks/leak_origins.h"
#include "heaps.h"
#include "maker.h"

enum {
	HEAPS = 60,
	FIELDS = 3,
	ELEMENTS = 300,
	OBJECTS_MOST = 400,
	ID = 0x10000
};

struct made {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	struct hprof_graph *packed;	   /* option paths in place of edges */
	struct hprof_shortest_paths *ways; /* of graph */
	struct hp_root_paths paths;
	struct hp_arena arena;
};

/* References lead anywhere, or mostly to neighbouring objects. */
static void put_object(struct maker *m, uint64_t i, uint64_t count, bool near)
{
	uint8_t data[8 * FIELDS] = { 0 };

	for (unsigned k = 0; k < FIELDS; k++) {
		uint64_t to = near && maker_random(m, 8)
				      ? (i + maker_random(m, 9) + 1) % count
				      : maker_random(m, count);

		if (maker_random(m, 3))
			maker_id(data + 8 * k, ID + 16 * to);
	}
	maker_fields(m, ID + 16 * i, 0x200, data, sizeof data);
}

/* One with so many references that their length is stored apart. */
static void put_array(struct maker *m, uint64_t i, uint64_t count)
{
	uint8_t ids[8 * ELEMENTS] = { 0 };

	for (unsigned k = 0; k < ELEMENTS; k++)
		maker_id(ids + 8 * k, ID + 16 * maker_random(m, count));
	maker_elements(m, ID + 16 * i, 0x300, ids, ELEMENTS);
}

static void put_roots(struct maker *m, uint64_t count, unsigned roots)
{
	for (unsigned i = 0; i < roots; i++)
		maker_root(m, ID + 16 * maker_random(m, count));
}

static struct hprof_heap *make_heap(uint64_t seed)
{
	struct maker m = maker_begin(8);
	struct hprof_heap *heap;
	uint64_t count;

	m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	count = 20 + maker_random(&m, OBJECTS_MOST - 20);
	maker_load(&m, 0x100, "java/lang/Object");
	maker_load(&m, 0x200, "app/Node");
	maker_load(&m, 0x300, "[Lapp/Node;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100,
					       .instance_size = 8 * FIELDS,
					       .fields = "LLL" });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300,
					       .super_id = 0x100 });
	for (uint64_t i = 0; i < count; i++)
		if (seed % 3 == 0 && i == count / 2)
			put_array(&m, i, count);
		else
			put_object(&m, i, count, seed % 2);
	put_roots(&m, count, 1 + (unsigned)(seed % 5));
	maker_heap_end(&m);
	cr_assert_eq(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap),
		     HPROF_OK);
	buffer_free(&m.out);
	return heap;
}

static struct made open_heap(uint64_t seed)
{
	struct made o = { .heap = make_heap(seed) };
	struct hprof_graph_options options = { .size = sizeof options,
					       .threads = 1,
					       .dominators = true,
					       .edges = true };

	cr_assert_eq(hprof_graph_build(o.heap, &options, &o.graph, NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_shortest_paths_build(o.graph, &o.ways, NULL),
		     HPROF_OK);
	options.edges = false;
	options.paths = true;
	cr_assert_eq(hprof_graph_build(o.heap, &options, &o.packed, NULL),
		     HPROF_OK);
	cr_assert_eq(hp_root_paths_init(&o.paths, o.graph, &o.arena, NULL),
		     HPROF_OK);
	return o;
}

static void close_heap(struct made *o)
{
	hp_root_paths_done(&o->paths);
	hp_arena_done(&o->arena);
	hprof_shortest_paths_free(o->ways);
	hprof_graph_free(o->packed);
	hprof_graph_free(o->graph);
	hprof_heap_close(o->heap);
}

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

	for (uint64_t seed = 0; seed < HEAPS; seed++) {
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

	for (uint64_t seed = 0; seed < HEAPS; seed++) {
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
	uint64_t wanted[OBJECTS_MOST / 64 + 2] = { 0 }, at = object;
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
	for (uint64_t seed = 0; seed < HEAPS; seed++) {
		struct made o = open_heap(seed);
		const struct hprof_summary *summary =
			hprof_heap_summary(o.heap);
		bool late[64] = { false };
		uint64_t starts[OBJECTS_MOST / 64 + 2];

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
		close_heap(&o);
	}
}

Test(bounded_bfs, comes_no_further_than_its_limit)
{
	for (uint64_t seed = 0; seed < HEAPS; seed++) {
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

/* The same with PICKY: PART is the search without it. True: it was refused. */
static bool check_picky(const struct made *o, const struct hp_bounded_bfs *part)
{
	struct hp_bounded_bfs s = { .look = &o->paths.look,
				    .meets = expand_frontier,
				    .limit = part->limit,
				    .picky = true };

	cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
	hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
	cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
	cr_expect_leq(s.objects, part->objects);
	if (s.refused)
		cr_expect_gt(s.next.count / 2, s.limit - s.objects);
	else
		cr_expect_eq(s.objects, part->objects);
	hp_bounded_bfs_end(&s);
	return s.refused;
}

Test(bounded_bfs, begins_no_level_of_which_most_would_be_left)
{
	size_t refused = 0, compared = 0;

	for (uint64_t seed = 0; seed < HEAPS; seed++) {
		struct made o = open_heap(seed);

		for (uint64_t limit = 1; limit < 400; limit += 13) {
			struct hp_bounded_bfs s = { .look = &o.paths.look,
						    .meets = expand_frontier,
						    .limit = limit };

			cr_assert_eq(hp_bounded_bfs_begin(&s), 0);
			hp_bounded_bfs_add_roots(&s, HPROF_NO_OBJECT);
			cr_assert_eq(hp_bounded_bfs_run(&s, NULL), HPROF_OK);
			cr_expect(!s.refused);
			refused += check_picky(&o, &s);
			compared++;
			hp_bounded_bfs_end(&s);
		}
		close_heap(&o);
	}
	cr_expect_gt(refused, 20, "%zu", refused);
	cr_expect_lt(refused, compared - 20, "%zu of %zu", refused, compared);
}

/* All objects whose immediate dominator is DOMINATOR. */
static struct hp_members members_below(const struct made *o, uint32_t dominator)
{
	struct hp_members members = {
		.nodes = hp_calloc(hprof_heap_count(o->heap) + 1,
				   sizeof *members.nodes),
		.dominator = dominator,
	};
	uint64_t object = dominator == HP_NO_NODE ? HPROF_NO_OBJECT : dominator;

	cr_assert(members.nodes);
	for (uint64_t i = 0; i < hprof_heap_count(o->heap); i++)
		if (hprof_graph_is_reachable(o->graph, i) &&
		    hprof_graph_dominator(o->graph, i) == object)
			members.nodes[members.count++] = (uint32_t)i;
	return members;
}

static void compare_near(struct made *o, const struct hprof_graph *graph,
			 const struct hp_members *members, uint64_t by_ways)
{
	const struct hprof_graph *before = o->paths.look.graph;
	struct hp_origin_search search = { .goes_on = false };
	uint64_t near = 0;
	bool known = false;

	o->paths.look.graph = graph;
	cr_assert_eq(hp_leak_origin_near(&o->paths, &search, members, &near,
					 &known, NULL),
		     HPROF_OK);
	hp_origin_search_end(&search);
	o->paths.look.graph = before;
	cr_assert(known);
	cr_assert_eq(near, by_ways, "%llx for %llx", (unsigned long long)near,
		     (unsigned long long)by_ways);
}

static size_t compare_origins(struct made *o, uint32_t above)
{
	struct hp_members members = members_below(o, above);
	uint64_t by_ways = 0;
	size_t found = 0;

	if (members.count > 1) {
		cr_assert_eq(hp_leak_origin_by_paths(o->ways, &members,
						     &by_ways, NULL),
			     HPROF_OK);
		compare_near(o, o->graph, &members, by_ways);
		compare_near(o, o->packed, &members, by_ways);
		found = by_ways != HPROF_NO_OBJECT;
	}
	hp_free(members.nodes);
	return found;
}

Test(bounded_bfs, finds_the_same_origins)
{
	size_t found = 0;

	for (uint64_t seed = 0; seed < HEAPS; seed++) {
		struct made o = open_heap(seed);

		found += compare_origins(&o, HP_NO_NODE);
		for (uint32_t i = 0; i < hprof_heap_count(o.heap); i++)
			if (hprof_graph_is_reachable(o.graph, i))
				found += compare_origins(&o, i);
		close_heap(&o);
	}
	cr_expect_gt(found, 20, "%zu", found);
}

Test(bounded_bfs, knows_no_origin_beyond_its_limit)
{
	struct made o = open_heap(1);
	struct hp_members members = members_below(&o, HP_NO_NODE);
	struct hp_origin_search search = { .goes_on = false };
	uint64_t origin;
	bool known = true;

	o.paths.search_most = 2;
	cr_assert_gt(members.count, 3);
	cr_assert_eq(hp_leak_origin_near(&o.paths, &search, &members, &origin,
					 &known, NULL),
		     HPROF_OK);
	hp_origin_search_end(&search);
	cr_expect_not(known);
	cr_expect_eq(o.paths.search_most, 1, "not halved");
	hp_free(members.nodes);
	close_heap(&o);
}

/* What a search for MEMBERS, or a part of them, says, and the limit that it leaves. */
struct said {
	uint64_t origin, limit;
	bool known;
};

static struct said search_for(struct made *o, struct hp_origin_search *search,
			      const struct hp_members *members, size_t from,
			      size_t to)
{
	const struct hp_members part = { .nodes = members->nodes + from,
					 .count = to - from,
					 .dominator = members->dominator };
	struct said ret = { 0 };

	cr_assert_eq(hp_leak_origin_near(&o->paths, search, &part, &ret.origin,
					 &ret.known, NULL),
		     HPROF_OK);
	ret.limit = o->paths.search_most;
	if (!ret.known)
		ret.origin = HPROF_NO_OBJECT;
	return ret;
}

/*
 * Searches for some of MEMBERS after the other in one, within LIMIT, and each with one of
 * its own, too. Returns how often the one went on.
 */
static size_t compare_searches(struct made *o, const struct hp_members *members,
			       uint64_t limit)
{
	struct hp_origin_search one = { .goes_on = false }, own = one;
	uint64_t left = limit;
	size_t went_on = 0;

	for (size_t part = 0; part < 4; part++) {
		const size_t from = members->count * part / 4;
		const size_t to = members->count * (part + 1) / 4;
		struct said by_one, by_own;

		went_on += one.goes_on;
		o->paths.search_most = left;
		by_one = search_for(o, &one, members, from, to);
		o->paths.search_most = left;
		by_own = search_for(o, &own, members, from, to);
		hp_origin_search_end(&own);
		left = by_own.limit;
		cr_assert_eq(by_one.known, by_own.known);
		cr_assert_eq(by_one.origin, by_own.origin);
		cr_assert_eq(by_one.limit, by_own.limit);
	}
	hp_origin_search_end(&one);
	return went_on;
}

/* The same of all that ABOVE dominates, in both graphs. */
static size_t compare_groups(struct made *o, uint32_t above)
{
	const struct hprof_graph *before = o->paths.look.graph;
	struct hp_members members = members_below(o, above);
	size_t went_on = 0;

	for (uint64_t limit = 1; members.count && limit < 400; limit += 13) {
		o->paths.look.graph = o->graph;
		went_on += compare_searches(o, &members, limit);
		o->paths.look.graph = o->packed;
		went_on += compare_searches(o, &members, limit);
	}
	o->paths.look.graph = before;
	hp_free(members.nodes);
	return went_on;
}

Test(bounded_bfs, goes_on_with_a_search_as_if_it_were_a_new_one)
{
	size_t from_roots = 0, below = 0;

	for (uint64_t seed = 0; seed < HEAPS; seed++) {
		struct made o = open_heap(seed);

		from_roots += compare_groups(&o, HP_NO_NODE);
		for (uint32_t i = 0; i < hprof_heap_count(o.heap); i++)
			if (hprof_graph_is_reachable(o.graph, i))
				below += compare_groups(&o, i);
		close_heap(&o);
	}
	cr_expect_gt(from_roots, 1000, "%zu", from_roots);
	cr_expect_gt(below, 1000, "%zu", below);
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
					       .instance_size = 8 * FIELDS,
					       .fields = "LLL" });
	maker_class(&m, &(struct maker_class){ .class_id = 0x300 });
	/* The first half, last one first; each leads anywhere. */
	for (uint64_t k = 0; k < WIDE; k++)
		maker_id(ids + 8 * k, ID + 16 * (WIDE - k));
	maker_elements(&m, ID, 0x300, ids, WIDE);
	for (uint64_t i = 1; i < (uint64_t)2 * WIDE; i++)
		put_object(&m, i, (uint64_t)2 * WIDE, false);
	maker_root(&m, ID);
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
