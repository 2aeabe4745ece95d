/* SPDX-License-Identifier: MIT */
/* made_graph.c - see made_graph.h. */
#include "made_graph.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "graph/packed_edges.h"
#include "random_heap.h"

void made_link(struct made_graph *m, uint32_t from, uint32_t to)
{
	cr_assert(hp_grow((void **)&m->pairs, &m->room, m->used,
			  sizeof *m->pairs) == 0);
	m->pairs[m->used++] = (struct made_pair){ from, to };
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

static void fill_edges(struct hp_edges *e, const struct made_graph *m,
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

void made_size(struct hp_edges *e, uint32_t i, uint64_t size)
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

void made_edges(struct hp_build *build, struct hp_edges *e,
		const struct made_graph *m, uint32_t mixed)
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

void made_root(struct hp_edges *e, uint32_t i)
{
	hp_bit_set(e->roots, i);
	((uint32_t *)e->referrer.at)[i] = HP_NONE;
}

/* ---- what the library finds ---------------------------------------------- */

void made_find_by(struct hp_build *build, struct hp_edges *e, bool unreachable,
		  bool edges_stay, bool packs, uint32_t many,
		  struct hp_retained_sizes *ret)
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
	cr_assert_eq(
		hp_retained_sizes_find(build, e, &reduction, &dom, NULL, ret),
		HPROF_OK);
	hp_dominators_done(build, &dom);
	hp_reduction_done(build, &reduction);
	hp_build_phase(build, NULL);
}

void made_find(struct hp_build *build, struct hp_edges *e, bool unreachable,
	       bool edges_stay, bool packs, struct hp_retained_sizes *ret)
{
	made_find_by(build, e, unreachable, edges_stay, packs, random_below(4),
		     ret);
}

uint32_t made_dominator(const struct hp_retained_sizes *s, uint32_t i)
{
	return ((const uint32_t *)s->dominator.at)[i];
}
