/* SPDX-License-Identifier: MIT */
/*
 * test_bounded_bfs.c - searches of objects near at hand find the same ways, and
 * the same origins, as a graph with all references. Heaps are made at random.
 */
#include <criterion/criterion.h>

#include <hprof.h>

#include "base/mem.h"
#include "report/bounded_bfs.h"
#include "leaks/leak_origins.h"
#include "heaps.h"
#include "maker.h"

enum { HEAPS = 60, FIELDS = 3, OBJECTS_MOST = 400, ID = 0x10000 };

struct made {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
	struct hprof_shortest_paths *ways;
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
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = 0x100 });
	maker_class(&m, &(struct maker_class){ .class_id = 0x200,
					       .super_id = 0x100,
					       .instance_size = 8 * FIELDS,
					       .fields = "LLL" });
	for (uint64_t i = 0; i < count; i++)
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
	cr_assert_eq(hp_root_paths_init(&o.paths, o.graph, &o.arena, NULL),
		     HPROF_OK);
	return o;
}

static void close_heap(struct made *o)
{
	hp_root_paths_done(&o->paths);
	hp_arena_done(&o->arena);
	hprof_shortest_paths_free(o->ways);
	hprof_graph_free(o->graph);
	hprof_heap_close(o->heap);
}

static bool expand_frontier(struct hp_bounded_bfs *search, uint64_t object,
			    const struct hp_step *from)
{
	(void)search;
	(void)object;
	(void)from;
	return true;
}

static uint64_t before(const struct hp_step *step)
{
	return step->before ? step->before->object : HPROF_NO_OBJECT;
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
			const struct hp_step *step = hp_bounded_bfs_get(&s, i);

			cr_assert_eq(step != NULL,
				     hprof_graph_is_reachable(o.graph, i));
			if (!step)
				continue;
			cr_assert_eq(before(step),
				     hprof_shortest_paths_parent(o.ways, i));
			compared++;
		}
		hp_bounded_bfs_end(&s);
		close_heap(&o);
	}
	cr_expect_gt(compared, 1000, "%zu", compared);
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

static size_t compare_origins(struct made *o, uint32_t above)
{
	struct hp_members members = members_below(o, above);
	uint64_t by_ways = 0, near = 0;
	bool known = false;
	size_t found = 0;

	if (members.count > 1) {
		cr_assert_eq(hp_leak_origin_by_paths(o->ways, &members,
						     &by_ways, NULL),
			     HPROF_OK);
		cr_assert_eq(hp_leak_origin_near(&o->paths, &members, &near,
						 &known, NULL),
			     HPROF_OK);
		cr_assert(known);
		cr_assert_eq(near, by_ways, "%llx for %llx",
			     (unsigned long long)near,
			     (unsigned long long)by_ways);
		found = near != HPROF_NO_OBJECT;
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
	uint64_t origin;
	bool known = true;

	o.paths.search_most = 2;
	cr_assert_gt(members.count, 3);
	cr_assert_eq(
		hp_leak_origin_near(&o.paths, &members, &origin, &known, NULL),
		HPROF_OK);
	cr_expect_not(known);
	cr_expect_eq(o.paths.search_most, 1, "not halved");
	hp_free(members.nodes);
	close_heap(&o);
}
