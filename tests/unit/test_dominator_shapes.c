/* SPDX-License-Identifier: MIT */
/*
 * test_dominator_shapes.c - dominators and retained sizes of shapes that a naive
 * algorithm takes for ever on, and of sizes beyond 32 bits.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "made_graph.h"
#include "random_heap.h"

/* ---- shapes -------------------------------------------------------------- */

/* Items 1 to N in a line behind 0; returns how many objects. */
static uint32_t list(struct made_graph *m, uint32_t n, bool in_array)
{
	uint32_t array = n + 1;

	m->count = n + 2;
	for (uint32_t i = 0; i < n; i++)
		made_link(m, i, i + 1);
	for (uint32_t i = 0; in_array && i <= n; i++)
		made_link(m, array, i);
	return m->count;
}

/* A line, the end of which leads to an array of leaves that 0 shares. */
static uint32_t tail(struct made_graph *m, uint32_t n)
{
	m->count = 2 * n + 1;
	for (uint32_t i = 0; i < n; i++) {
		made_link(m, i, i + 1);
		for (uint32_t k = 0; i == 0 && k < n; k++)
			made_link(m, 0, n + 1 + k);
	}
	for (uint32_t k = 0; k < n; k++)
		made_link(m, n, n + 1 + k);
	return m->count;
}

/*
 * Below 0, a line up to N, and behind it an array; each of N items is in the
 * array, and an object of the line refers to it. Only items have two referrers.
 */
static uint32_t line_and_array(struct made_graph *m, uint32_t n)
{
	uint32_t array = 2 * n + 1;

	m->count = 2 * n + 2;
	for (uint32_t i = 0; i <= n; i++) {
		if (i < n)
			made_link(m, i, i + 1);
		if (i > 0)
			made_link(m, i, n + i);
		if (i == 1)
			made_link(m, i, array);
	}
	for (uint32_t i = 1; i <= n; i++)
		made_link(m, array, n + i);
	return m->count;
}

static uint32_t grid(struct made_graph *m, uint32_t side)
{
	m->count = side * side;
	for (uint32_t i = 0; i < m->count; i++) {
		if (i % side + 1 < side)
			made_link(m, i, i + 1);
		if (i + side < m->count)
			made_link(m, i, i + side);
	}
	return m->count;
}

/* Sizes are 8; the roots are 0 and OTHER. */
static void run(struct made_graph *m, uint32_t other,
		struct hp_retained_sizes *ret, struct hp_build *build)
{
	struct hp_edges e;

	made_edges(build, &e, m, 0);
	for (uint32_t i = 0; i < m->count; i++)
		made_size(&e, i, 8);
	made_root(&e, 0);
	made_root(&e, other);
	made_find(build, &e, false, false, false, ret);
	hp_edges_done(build, &e);
	hp_free(m->pairs);
	cr_assert_eq(ret->reachable_count, m->count);
}

static void done(struct hp_build *build, struct hp_retained_sizes *s)
{
	hp_retained_sizes_done(build, s);
	hp_mapped_tables_release(&build->tables);
}

enum { LONG = 1000000 };

/*
 * What is before FIRST dominates all objects behind the line, up to N, which ends at
 * LONG; so the line from FIRST on retains itself alone.
 */
static void check_line(const struct hp_retained_sizes *s, uint32_t first,
		       uint32_t n)
{
	for (uint32_t i = LONG + 1; i < n; i++)
		cr_assert_eq(made_dominator(s, i), first, "object %u", i);
	for (uint32_t i = first; i <= LONG; i++)
		cr_assert_eq(hp_retained_sizes_retained(s, i),
			     8 * (uint64_t)(LONG + 1 - i));
}

Test(dominator_shapes, list)
{
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = list(&m, LONG, false);

	run(&m, n - 1, &s, &build);
	for (uint32_t i = 1; i + 1 < n; i++)
		cr_assert_eq(made_dominator(&s, i), i);
	cr_assert_eq(hp_retained_sizes_retained(&s, 0), 8 * (uint64_t)(n - 1));
	cr_assert_eq(hp_retained_sizes_retained(&s, n - 2), 8);
	done(&build, &s);
}

/* Plain semi-NCA climbs 10^12 steps here. */
Test(dominator_shapes, list_in_array)
{
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = list(&m, LONG, true);

	run(&m, n - 1, &s, &build);
	for (uint32_t i = 0; i < n; i++) {
		cr_assert_eq(made_dominator(&s, i), 0);
		cr_assert_eq(hp_retained_sizes_retained(&s, i), 8);
	}
	done(&build, &s);
}

Test(dominator_shapes, tail)
{
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = tail(&m, LONG);

	run(&m, 0, &s, &build);
	check_line(&s, 1, n);
	done(&build, &s);
}

/* Climbing from the line to where the array hangs takes 10^12 steps here. */
Test(dominator_shapes, line_and_array)
{
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = line_and_array(&m, LONG);

	run(&m, 0, &s, &build);
	check_line(&s, 2, n);
	done(&build, &s);
}

Test(dominator_shapes, grid)
{
	enum { SIDE = 700 };
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = grid(&m, SIDE);

	run(&m, 0, &s, &build);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t x = i % SIDE, y = i / SIDE;
		uint32_t up = y == 0 ? i : x == 0 ? i - SIDE + 1 : 1;
		cr_assert_eq(made_dominator(&s, i), up);
	}
	done(&build, &s);
}

/* Objects of several threads' parts each refer to hundreds before them. */
Test(dominator_shapes, many_back_edges)
{
	enum { N = 1000 };
	struct hp_build build = { .threads = 3 };
	struct made_graph m = { .count = N };
	struct hp_retained_sizes s;

	for (uint32_t i = 0; i < N; i++) {
		if (i + 1 < N)
			made_link(&m, i, i + 1);
		for (uint32_t k = 1; i % 333 == 332 && k < i; k++)
			made_link(&m, i, k);
	}
	run(&m, 0, &s, &build);
	for (uint32_t i = 1; i < N; i++)
		cr_assert_eq(made_dominator(&s, i), i, "object %u", i);
	done(&build, &s);
}

/*
 * A line that may be left for what is next but one, and for one of a few objects near
 * its beginning, and that is entered in many places: nodes with thousands of
 * predecessors, deep below them.
 */
static void line_with_hubs(struct made_graph *m, uint32_t n)
{
	enum { HUBS = 4, HUB_EVERY = 100, ENTRY_EVERY = 700 };

	m->count = n + 2;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t hub = random_below(HUBS) * HUB_EVERY + 1;

		made_link(m, i, i + 1);
		/* Behind a hub nothing but it comes next, so it dominates. */
		if ((i + 2) % HUB_EVERY != 2)
			made_link(m, i, i + 2);
		if (hub < i)
			made_link(m, i, hub);
		for (uint32_t to = ENTRY_EVERY; i == 0 && to < n;
		     to += ENTRY_EVERY)
			made_link(m, 0, to);
	}
}

Test(dominator_shapes, predecessors_of_several_threads)
{
	enum { N = 30000, EACH = 64 };
	struct made_graph m = { 0 };
	struct hp_build build[2] = { { .threads = 4 }, { .threads = 4 } };
	struct hp_retained_sizes s[2];

	line_with_hubs(&m, N);
	for (unsigned k = 0; k < 2; k++) {
		struct hp_edges e;

		made_edges(&build[k], &e, &m, 0);
		for (uint32_t i = 0; i < m.count; i++)
			made_size(&e, i, 24);
		made_root(&e, 0);
		made_find_by(&build[k], &e, false, false, false,
			     k ? EACH : UINT32_MAX, &s[k]);
		hp_edges_done(&build[k], &e);
	}
	for (uint32_t i = 0; i < m.count; i++)
		cr_assert_eq(made_dominator(&s[0], i), made_dominator(&s[1], i),
			     "object %u", i);
	for (unsigned k = 0; k < 2; k++)
		done(&build[k], &s[k]);
	hp_free(m.pairs);
}

/* ---- sizes beyond 32 bits ------------------------------------------------ */

Test(dominator_shapes, wide_sizes)
{
	enum { N = 1000 };
	const uint64_t huge = (uint64_t)3 << 33;
	struct hp_build build = { 0 };
	struct made_graph m = { 0 };
	struct hp_edges e;
	struct hp_retained_sizes s;

	list(&m, N, false);
	made_edges(&build, &e, &m, 0);
	for (uint32_t i = 0; i < m.count; i++)
		made_size(&e, i, i % 100 == 50 ? huge : 24);
	made_root(&e, 0);
	made_find(&build, &e, false, false, false, &s);
	cr_assert(s.wide);
	cr_assert_eq(hp_retained_sizes_retained(&s, 0),
		     10 * huge + (N + 1 - 10) * 24);
	cr_assert_eq(hp_retained_sizes_retained(&s, 950), huge + 50 * 24);
	hp_edges_done(&build, &e);
	done(&build, &s);
	hp_free(m.pairs);
}
