/* SPDX-License-Identifier: MIT */
/*
 * test_dominators.c - dominators, retained sizes and reachability of graphs
 * as plain numbers: thousands of random ones against the slow reference, and
 * shapes that a naive algorithm takes for ever on.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/packed_edges.h"
#include "graph/retained_sizes.h"
#include "../slow.h"
#include "random_heap.h"

/* ---- edges from pairs ---------------------------------------------------- */

struct pair {
	uint32_t from, to;
};

/* A graph under construction: pairs in order of FROM. */
struct making {
	uint32_t count;
	struct pair *pairs;
	size_t used, room;
};

static void link_to(struct making *m, uint32_t from, uint32_t to)
{
	cr_assert(hp_grow((void **)&m->pairs, &m->room, m->used,
			  sizeof *m->pairs) == 0);
	m->pairs[m->used++] = (struct pair){ from, to };
}

static void *row(void **array, size_t *count, size_t width)
{
	*array = hp_realloc(*array, ++*count, width);
	cr_assert(*array);
	return (char *)*array + (*count - 1) * width;
}

static void add_list(struct hp_edges *e, uint32_t from, bool apart, uint64_t at,
		     uint64_t count)
{
	struct hp_edge_list *list =
		row((void **)&e->lists, &e->list_count, sizeof *list);

	*list = (struct hp_edge_list){ from, apart, at, count };
	((uint8_t *)e->degree.at)[from] = HP_DEGREE_LIST;
}

/*
 * Once in MIXED objects, or never if that is 0, a new run, a list though it is
 * short, one apart; that must make no difference.
 */
static void fill_edges(struct hp_edges *e, const struct making *m,
		       uint32_t mixed)
{
	uint32_t *target = e->target.at;
	uint64_t at = m->used + 1;
	size_t p = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		size_t first = p;
		while (p < m->used && m->pairs[p].from == i)
			p++;
		size_t n = p - first;
		bool apart = mixed && random_below(mixed) == 0;
		if (i == 0 || (mixed && random_below(mixed) == 0)) {
			struct hp_edge_run *run = row(
				(void **)&e->runs, &e->run_count, sizeof *run);
			at += i ? random_below(5) : 0;
			*run = (struct hp_edge_run){ i, at };
		}
		uint32_t *to = apart ? e->apart + e->apart_count : target + at;
		if (apart || n >= HP_DEGREE_LIST ||
		    (mixed && random_below(2 * mixed) == 0))
			add_list(e, i, apart, apart ? e->apart_count : at, n);
		else
			((uint8_t *)e->degree.at)[i] = (uint8_t)n;
		for (size_t k = 0; k < n; k++) {
			to[k] = m->pairs[first + k].to;
			if (to[k] != HP_NONE)
				hp_edges_refer(e->referrer.at, i, to[k]);
		}
		*(apart ? &e->apart_count : &at) += n;
	}
	e->target_count = at;
}

static void set_size(struct hp_edges *e, uint32_t i, uint64_t size)
{
	e->shallow_total += size;
	e->size_bits |= size;
	if (size % e->unit == 0 && size / e->unit < HP_SHALLOW_LARGE) {
		((uint8_t *)e->shallow.at)[i] = (uint8_t)(size / e->unit);
		return;
	}
	struct hp_large *large =
		row((void **)&e->larges, &e->large_count, sizeof *large);
	*large = (struct hp_large){ i, size };
	((uint8_t *)e->shallow.at)[i] = HP_SHALLOW_LARGE;
}

static void make_edges(struct hp_build *build, struct hp_edges *e,
		       const struct making *m, uint32_t mixed)
{
	uint64_t rows = 2 * m->used + 5 * (uint64_t)m->count + 1 + HP_SPARE;

	*e = (struct hp_edges){ .count = m->count, .unit = 8 };
	cr_assert(hp_build_table(build, &e->referrer, m->count, 4,
				 HP_MAPPED_TABLE_CLEAR) == HPROF_OK);
	cr_assert(hp_build_table(build, &e->degree, m->count, 1,
				 HP_MAPPED_TABLE_CLEAR) == HPROF_OK);
	cr_assert(hp_build_table(build, &e->shallow, m->count, 1,
				 HP_MAPPED_TABLE_CLEAR) == HPROF_OK);
	cr_assert(hp_build_table(build, &e->kinds, m->count, 2,
				 HP_MAPPED_TABLE_CLEAR) == HPROF_OK);
	cr_assert(hp_build_table(build, &e->target, rows, 4,
				 HP_MAPPED_TABLE_CLEAR) == HPROF_OK);
	e->apart = hp_calloc(m->used + 1, 4);
	e->roots = hp_calloc(hp_bit_words(m->count), 8);
	cr_assert(e->apart && e->roots);
	fill_edges(e, m, mixed);
}

static void add_root(struct hp_edges *e, uint32_t i)
{
	hp_bit_set(e->roots, i);
	((uint32_t *)e->referrer.at)[i] = HP_NONE;
}

/* ---- what the library finds ---------------------------------------------- */

/* PACKS: for searches for paths, too. MANY is that of dominators.h. */
static void find_by(struct hp_build *build, struct hp_edges *e,
		    bool unreachable, bool edges_stay, bool packs,
		    uint32_t many, struct hp_retained_sizes *ret)
{
	struct hp_reduction reduction = { 0 };
	struct hp_packed_edges packed = { 0 };
	struct hp_dominators dom = { .skips = random_below(2),
				     .at_once = random_below(3),
				     .many = many };

	memset(ret, 0, sizeof *ret);
	cr_assert_eq(hp_reduction_graph(build, e, unreachable, edges_stay,
					&reduction, packs ? &packed : NULL,
					&dom),
		     HPROF_OK);
	hp_packed_edges_done(build, &packed);
	cr_assert_eq(hp_dominators_find(build, &dom), HPROF_OK);
	cr_assert_eq(hp_retained_sizes_find(build, e, &reduction, &dom, ret),
		     HPROF_OK);
	hp_dominators_done(build, &dom);
	hp_reduction_done(build, &reduction);
	hp_build_phase(build, NULL);
}

static void find(struct hp_build *build, struct hp_edges *e, bool unreachable,
		 bool edges_stay, bool packs, struct hp_retained_sizes *ret)
{
	find_by(build, e, unreachable, edges_stay, packs, random_below(4), ret);
}

static uint32_t dominator(const struct hp_retained_sizes *s, uint32_t i)
{
	return ((const uint32_t *)s->dominator.at)[i];
}

/* ---- against the slow reference ------------------------------------------ */

struct recipe {
	int count, edges, roots;
	bool local; /* most edges lead to neighbours */
	bool hubs;  /* half of all nodes refer to each of a few */
};

static struct slow_graph random_graph(const struct recipe *r, struct making *m)
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
			link_to(m, from, to);
			if (random_below(8) == 0)
				link_to(m, from, to);
			if (random_below(30) == 0)
				link_to(m, from, HP_NONE);
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
	struct making m = { 0 };
	struct slow_graph g = random_graph(r, &m);
	struct slow_answer a = slow_find(&g, unreachable);
	struct hp_edges e;
	struct hp_retained_sizes s;

	make_edges(&build, &e, &m, random_below(2) ? 10 : 200);
	for (int i = 0; i < r->count; i++) {
		set_size(&e, (uint32_t)i, g.size[i]);
		if (g.root[i])
			add_root(&e, (uint32_t)i);
	}
	find(&build, &e, unreachable, random_below(2), random_below(2), &s);
	for (uint32_t i = 0; i < m.count; i++) {
		cr_assert_eq(hp_edges_shallow(&e, i), g.size[i]);
		cr_assert_eq(hp_bit(s.reachable, i), a.reachable[i],
			     "object %u", i);
		if (!a.reachable[i] && !unreachable)
			continue;
		cr_assert_eq((int)dominator(&s, i) - 1, a.dominator[i],
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

/* ---- shapes -------------------------------------------------------------- */

/* Items 1 to N in a line behind 0; returns how many objects. */
static uint32_t list(struct making *m, uint32_t n, bool in_array)
{
	uint32_t array = n + 1;

	m->count = n + 2;
	for (uint32_t i = 0; i < n; i++)
		link_to(m, i, i + 1);
	for (uint32_t i = 0; in_array && i <= n; i++)
		link_to(m, array, i);
	return m->count;
}

/* A line, the end of which leads to an array of leaves that 0 shares. */
static uint32_t tail(struct making *m, uint32_t n)
{
	m->count = 2 * n + 1;
	for (uint32_t i = 0; i < n; i++) {
		link_to(m, i, i + 1);
		for (uint32_t k = 0; i == 0 && k < n; k++)
			link_to(m, 0, n + 1 + k);
	}
	for (uint32_t k = 0; k < n; k++)
		link_to(m, n, n + 1 + k);
	return m->count;
}

/*
 * Below 0, a line up to N, and behind it an array; each of N items is in the
 * array, and an object of the line refers to it. Only items have two referrers.
 */
static uint32_t line_and_array(struct making *m, uint32_t n)
{
	uint32_t array = 2 * n + 1;

	m->count = 2 * n + 2;
	for (uint32_t i = 0; i <= n; i++) {
		if (i < n)
			link_to(m, i, i + 1);
		if (i > 0)
			link_to(m, i, n + i);
		if (i == 1)
			link_to(m, i, array);
	}
	for (uint32_t i = 1; i <= n; i++)
		link_to(m, array, n + i);
	return m->count;
}

static uint32_t grid(struct making *m, uint32_t side)
{
	m->count = side * side;
	for (uint32_t i = 0; i < m->count; i++) {
		if (i % side + 1 < side)
			link_to(m, i, i + 1);
		if (i + side < m->count)
			link_to(m, i, i + side);
	}
	return m->count;
}

/* Sizes are 8; the roots are 0 and OTHER. */
static void run(struct making *m, uint32_t other, struct hp_retained_sizes *ret,
		struct hp_build *build)
{
	struct hp_edges e;

	make_edges(build, &e, m, 0);
	for (uint32_t i = 0; i < m->count; i++)
		set_size(&e, i, 8);
	add_root(&e, 0);
	add_root(&e, other);
	find(build, &e, false, false, false, ret);
	hp_edges_done(build, &e);
	hp_free(m->pairs);
	cr_assert_eq(ret->reachable_count, m->count);
}

enum { LONG = 1000000 };

Test(dominators, list)
{
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = list(&m, LONG, false);

	run(&m, n - 1, &s, &build);
	for (uint32_t i = 1; i + 1 < n; i++)
		cr_assert_eq(dominator(&s, i), i);
	cr_assert_eq(hp_retained_sizes_retained(&s, 0), 8 * (uint64_t)(n - 1));
	cr_assert_eq(hp_retained_sizes_retained(&s, n - 2), 8);
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

/* Plain semi-NCA climbs 10^12 steps here. */
Test(dominators, list_in_array)
{
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = list(&m, LONG, true);

	run(&m, n - 1, &s, &build);
	for (uint32_t i = 0; i < n; i++) {
		cr_assert_eq(dominator(&s, i), 0);
		cr_assert_eq(hp_retained_sizes_retained(&s, i), 8);
	}
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

Test(dominators, tail)
{
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = tail(&m, LONG);

	run(&m, 0, &s, &build);
	for (uint32_t i = LONG + 1; i < n; i++)
		cr_assert_eq(dominator(&s, i), 1);
	for (uint32_t i = 1; i <= LONG; i++)
		cr_assert_eq(hp_retained_sizes_retained(&s, i),
			     8 * (uint64_t)(LONG + 1 - i));
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

/* Climbing from the line to where the array hangs takes 10^12 steps here. */
Test(dominators, line_and_array)
{
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = line_and_array(&m, LONG);

	run(&m, 0, &s, &build);
	for (uint32_t i = LONG + 1; i < n; i++)
		cr_assert_eq(dominator(&s, i), 2, "object %u", i);
	for (uint32_t i = 2; i <= LONG; i++)
		cr_assert_eq(hp_retained_sizes_retained(&s, i),
			     8 * (uint64_t)(LONG + 1 - i));
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

Test(dominators, grid)
{
	enum { SIDE = 700 };
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_retained_sizes s;
	uint32_t n = grid(&m, SIDE);

	run(&m, 0, &s, &build);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t x = i % SIDE, y = i / SIDE;
		uint32_t up = y == 0 ? i : x == 0 ? i - SIDE + 1 : 1;
		cr_assert_eq(dominator(&s, i), up);
	}
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

/* Objects of several threads' parts each refer to hundreds before them. */
Test(dominators, many_back_edges)
{
	enum { N = 1000 };
	struct hp_build build = { .threads = 3 };
	struct making m = { .count = N };
	struct hp_retained_sizes s;

	for (uint32_t i = 0; i < N; i++) {
		if (i + 1 < N)
			link_to(&m, i, i + 1);
		for (uint32_t k = 1; i % 333 == 332 && k < i; k++)
			link_to(&m, i, k);
	}
	run(&m, 0, &s, &build);
	for (uint32_t i = 1; i < N; i++)
		cr_assert_eq(dominator(&s, i), i, "object %u", i);
	hp_retained_sizes_done(&build, &s);
	hp_mapped_tables_release(&build.tables);
}

/*
 * A line that may be left for what is next but one, and for one of a few objects near
 * its beginning, and that is entered in many places: nodes with thousands of
 * predecessors, deep below them.
 */
static void line_with_hubs(struct making *m, uint32_t n)
{
	enum { HUBS = 4, HUB_EVERY = 100, ENTRY_EVERY = 700 };

	m->count = n + 2;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t hub = random_below(HUBS) * HUB_EVERY + 1;

		link_to(m, i, i + 1);
		/* Behind a hub nothing but it comes next, so it dominates. */
		if ((i + 2) % HUB_EVERY != 2)
			link_to(m, i, i + 2);
		if (hub < i)
			link_to(m, i, hub);
		for (uint32_t to = ENTRY_EVERY; i == 0 && to < n;
		     to += ENTRY_EVERY)
			link_to(m, 0, to);
	}
}

Test(dominators, predecessors_of_several_threads)
{
	enum { N = 30000, EACH = 64 };
	struct making m = { 0 };
	struct hp_build build[2] = { { .threads = 4 }, { .threads = 4 } };
	struct hp_retained_sizes s[2];

	line_with_hubs(&m, N);
	for (unsigned k = 0; k < 2; k++) {
		struct hp_edges e;

		make_edges(&build[k], &e, &m, 0);
		for (uint32_t i = 0; i < m.count; i++)
			set_size(&e, i, 24);
		add_root(&e, 0);
		find_by(&build[k], &e, false, false, false,
			k ? EACH : UINT32_MAX, &s[k]);
		hp_edges_done(&build[k], &e);
	}
	for (uint32_t i = 0; i < m.count; i++)
		cr_assert_eq(dominator(&s[0], i), dominator(&s[1], i),
			     "object %u", i);
	for (unsigned k = 0; k < 2; k++) {
		hp_retained_sizes_done(&build[k], &s[k]);
		hp_mapped_tables_release(&build[k].tables);
	}
	hp_free(m.pairs);
}

/* ---- sizes beyond 32 bits ------------------------------------------------ */

Test(dominators, wide_sizes)
{
	enum { N = 1000 };
	const uint64_t huge = (uint64_t)3 << 33;
	struct hp_build build = { 0 };
	struct making m = { 0 };
	struct hp_edges e;
	struct hp_retained_sizes s;

	list(&m, N, false);
	make_edges(&build, &e, &m, 0);
	for (uint32_t i = 0; i < m.count; i++)
		set_size(&e, i, i % 100 == 50 ? huge : 24);
	add_root(&e, 0);
	find(&build, &e, false, false, false, &s);
	cr_assert(s.wide);
	cr_assert_eq(hp_retained_sizes_retained(&s, 0),
		     10 * huge + (N + 1 - 10) * 24);
	cr_assert_eq(hp_retained_sizes_retained(&s, 950), huge + 50 * 24);
	hp_retained_sizes_done(&build, &s);
	hp_edges_done(&build, &e);
	hp_mapped_tables_release(&build.tables);
	hp_free(m.pairs);
}
