/* SPDX-License-Identifier: MIT */
/*
 * test_leak_origins.c - searches near at hand find the same origins as a graph with
 * all references, one after the other as well as each by itself.
 */
#include <criterion/criterion.h>

#include <hprof.h>

#include "base/mem.h"
#include "leaks/leak_origins.h"
#include "ways_heap.h"

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

Test(leak_origins, finds_the_same_origins)
{
	size_t found = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
		struct made o = open_heap(seed);

		found += compare_origins(&o, HP_NO_NODE);
		for (uint32_t i = 0; i < hprof_heap_count(o.heap); i++)
			if (hprof_graph_is_reachable(o.graph, i))
				found += compare_origins(&o, i);
		close_heap(&o);
	}
	cr_expect_gt(found, 20, "%zu", found);
}

Test(leak_origins, knows_no_origin_beyond_its_limit)
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

Test(leak_origins, goes_on_with_a_search_as_if_it_were_a_new_one)
{
	size_t from_roots = 0, below = 0;

	for (uint64_t seed = 0; seed < WAYS_HEAPS; seed++) {
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
