/* SPDX-License-Identifier: MIT */
/*
 * test_dominators.c - dominators, retained sizes and reachability of thousands of
 * random graphs against the slow reference.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "../slow.h"
#include "made_graph.h"
#include "random_heap.h"

struct recipe {
	int count, edges, roots;
	bool local; /* most edges lead to neighbours */
	bool hubs;  /* half of all nodes refer to each of a few */
};

static struct slow_graph random_graph(const struct recipe *r,
				      struct made_graph *m)
{
	struct slow_graph g = slow_new(r->count);
	uint32_t n = (uint32_t)r->count;

	m->count = n;
	for (int i = 0; i < r->edges; i++) {
		uint32_t from = random_below(n);
		uint32_t to = r->local ? (from + random_below(4)) % n
				       : random_below(n);
		g.edge[from * n + to] = true;
	}
	for (uint32_t k = 0; r->hubs && k < 3; k++) {
		const uint32_t hub = random_below(n);
		for (uint32_t from = 0; from < n; from++)
			g.edge[from * n + hub] |= random_below(2) == 0;
	}
	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = 0; to < n; to++) {
			if (!g.edge[from * n + to])
				continue;
			made_link(m, from, to);
			if (random_below(8) == 0)
				made_link(m, from, to);
			if (random_below(30) == 0)
				made_link(m, from, HP_NONE);
		}
	for (int i = 0; i < r->roots; i++)
		g.root[random_below(n)] = true;
	const bool wide = random_below(8) == 0; /* beyond 32 bits */
	for (uint32_t i = 0; i < n; i++)
		g.size[i] = random_below(20) ? 8 * (1 + random_below(9))
			    : wide	     ? (uint64_t)3 << 33
					     : (uint64_t)1 + random_below(9000);
	return g;
}

static void compare(const struct recipe *r, bool unreachable, bool spill)
{
	struct hp_build build = { .tables.limit = spill,
				  .threads = 1 + random_below(6) };
	struct made_graph m = { 0 };
	struct slow_graph g = random_graph(r, &m);
	struct slow_answer a = slow_find(&g, unreachable);
	struct hp_edges e;
	struct hp_retained_sizes s;

	made_edges(&build, &e, &m, random_below(2) ? 10 : 200);
	for (int i = 0; i < r->count; i++) {
		made_size(&e, (uint32_t)i, g.size[i]);
		if (g.root[i])
			made_root(&e, (uint32_t)i);
	}
	made_find(&build, &e, unreachable, random_below(2), random_below(2),
		  &s);
	for (uint32_t i = 0; i < m.count; i++) {
		cr_assert_eq(hp_edges_shallow(&e, i), g.size[i]);
		cr_assert_eq(hp_bit(s.reachable, i), a.reachable[i],
			     "object %u", i);
		if (!a.reachable[i] && !unreachable)
			continue;
		cr_assert_eq((int)made_dominator(&s, i) - 1, a.dominator[i],
			     "dominator of %u", i);
		cr_assert_eq(hp_retained_sizes_retained(&s, i), a.retained[i],
			     "retained by %u", i);
	}
	hp_retained_sizes_done(&build, &s);
	hp_edges_done(&build, &e);
	cr_assert_eq(build.tables.held, 0);
	hp_mapped_tables_release(&build.tables);
	slow_answer_free(&a);
	slow_free(&g);
	hp_free(m.pairs);
}

Test(dominators, random_graphs)
{
	for (int i = 0; i < 6000; i++) {
		int n = 1 + (int)random_below(30);
		struct recipe r = { n, (int)random_below(3 * (uint32_t)n + 1),
				    (int)random_below(4), random_below(2),
				    false };
		compare(&r, i & 1, false);
	}
}

Test(dominators, larger_random_graphs)
{
	for (int i = 0; i < 60; i++) {
		int n = 100 + (int)random_below(200);
		struct recipe r = { n, n + (int)random_below(2 * (uint32_t)n),
				    1 + (int)random_below(9), random_below(2),
				    false };
		compare(&r, i & 1, i & 2);
	}
}

Test(dominators, hubs_of_several_threads)
{
	for (int i = 0; i < 200; i++) {
		int n = 300 + (int)random_below(100);
		struct recipe r = { n, n + (int)random_below((uint32_t)n),
				    1 + (int)random_below(3), i & 1, true };
		compare(&r, false, false);
	}
}

/* Most objects have one referrer; some are in cycles of such, which are cut. */
Test(dominators, trees_of_several_threads)
{
	for (int i = 0; i < 400; i++) {
		int n = 64 * (1 + (int)random_below(4)) + (int)random_below(2);
		struct recipe r = { n, n + (int)random_below((uint32_t)n / 2),
				    1 + (int)random_below(5), random_below(2),
				    false };
		compare(&r, false, false);
	}
}
