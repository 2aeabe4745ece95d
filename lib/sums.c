/*
 * sums.c - see sums.h.
 *
 * What was peeled is a forest that hangs on kept objects: each size goes up
 * as soon as all below have come, so no order has to be known before. The
 * kept ones follow by descending number: a dominator's is always smaller.
 *
 * Sizes are multiples of some power of 2; in units of that, 32 bits reach for
 * all but the largest heaps.
 */
#include "sums.h"

#include <string.h>

#include "error.h"
#include "mem.h"

#define DONE UINT32_MAX

uint64_t hp_edges_shallow(const struct hp_edges *e, uint32_t i)
{
	const uint8_t *shallow = e->shallow.at;
	size_t low = 0, high = e->large_count;

	if (shallow[i] != HP_SHALLOW_LARGE)
		return (uint64_t)shallow[i] * e->unit;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (e->larges[middle].index < i)
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->large_count ? e->larges[low].size : 0;
}

/* ---- adding ---------------------------------------------------------------- */

static inline void add(struct hp_sums *s, uint32_t to, uint32_t from)
{
	if (s->wide) {
		uint64_t *retained = s->retained.at;
		retained[to] += retained[from];
	} else {
		uint32_t *retained = s->retained.at;
		retained[to] += retained[from];
	}
}

static void start(struct hp_sums *s, const struct hp_edges *e)
{
	const uint8_t *shallow = e->shallow.at;
	uint32_t factor = e->unit / s->unit;

	if (s->wide)
		for (uint32_t i = 0; i < e->count; i++)
			((uint64_t *)s->retained.at)[i] =
				(uint64_t)shallow[i] * factor;
	else
		for (uint32_t i = 0; i < e->count; i++)
			((uint32_t *)s->retained.at)[i] = shallow[i] * factor;
	for (size_t i = 0; i < e->large_count; i++) {
		const struct hp_large *large = &e->larges[i];
		uint64_t units = large->size / s->unit;
		if (s->wide)
			((uint64_t *)s->retained.at)[large->index] = units;
		else
			((uint32_t *)s->retained.at)[large->index] =
				(uint32_t)units;
	}
}

/* ---- peeled objects -------------------------------------------------------- */

struct forest {
	struct hp_job *job;
	struct hp_sums *sums;
	const struct hp_peel_block *blocks;
	uint32_t *up;	 /* referrers */
	uint32_t *below; /* of peeled objects: children that have not come */
	uint32_t count;
};

static void count_children(struct forest *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t up = f->up[i];
		hp_job_breathe(f->job, i);
		if (up != 0 && !hp_peel_keeps(f->blocks, i) &&
		    !hp_peel_keeps(f->blocks, up - 1))
			f->below[up - 1]++;
	}
}

/* I is complete: goes up from there as far as that completes others. */
static void go_up(struct forest *f, uint32_t i)
{
	for (;;) {
		uint32_t up = f->up[i];
		f->below[i] = DONE;
		if (up == 0)
			return;
		up--;
		add(f->sums, up, i);
		if (hp_peel_keeps(f->blocks, up) || --f->below[up] != 0)
			return;
		i = up;
	}
}

static void add_leaves(struct forest *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		hp_job_breathe(f->job, i);
		if (f->below[i] == 0 && !hp_peel_keeps(f->blocks, i))
			go_up(f, i);
	}
}

/*
 * What is left are cycles of single references, which nothing else leads to:
 * their first object becomes a head.
 */
static void cut_cycles(struct forest *f, uint64_t *known, bool heads)
{
	for (uint32_t i = 0; i < f->count; i++) {
		if (f->below[i] == DONE || hp_peel_keeps(f->blocks, i))
			continue;
		hp_bit_set(known, i);
		if (!heads)
			continue;
		uint32_t last = f->up[i] - 1;
		f->up[i] = 0;
		if (--f->below[last] == 0)
			go_up(f, last);
	}
}

/* ---- what is reachable ----------------------------------------------------- */

/* A peeled object is if what it hangs on is. */
static void reach_peeled(struct forest *f, uint64_t *known)
{
	uint64_t *reachable = f->sums->reachable;

	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t top = i;
		bool alive;
		hp_job_breathe(f->job, i);
		while (!hp_bit(known, top) && f->up[top] != 0)
			top = f->up[top] - 1;
		alive = hp_bit(reachable, top);
		hp_bit_set(known, top);
		for (uint32_t k = i; !hp_bit(known, k); k = f->up[k] - 1) {
			hp_bit_set(known, k);
			if (alive)
				hp_bit_set(reachable, k);
		}
	}
}

static void reach_kept(const struct hp_peel *p, const struct hp_dom *dom,
		       uint64_t *reachable, uint64_t *known)
{
	const struct hp_peel_block *blocks = p->blocks.at;
	const uint32_t *number = dom->number.at;

	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint32_t node = blocks[i].rank;
		known[i] = blocks[i].bits;
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, node++)
			if (number[node] != 0 && number[node] <= dom->live)
				reachable[i] |= w & -w;
	}
}

static enum hprof_status sum_peeled(struct hp_job *job,
				    const struct hp_peel *p,
				    const struct hp_dom *dom,
				    struct hp_sums *s)
{
	struct hp_table below = { 0 };
	struct forest f = { job, s, p->blocks.at, s->dominator.at, NULL,
			    p->count };
	uint64_t *known = hp_calloc(hp_bit_words(p->count), sizeof *known);
	enum hprof_status status = known ? HPROF_OK : hp_no_memory(job->error);

	if (status == HPROF_OK)
		status = hp_job_table(job, &below, p->count, sizeof(uint32_t),
				      HP_TABLE_WHOLE);
	if (status == HPROF_OK) {
		f.below = below.at;
		reach_kept(p, dom, s->reachable, known);
		count_children(&f);
		add_leaves(&f);
		cut_cycles(&f, known, dom->heads != NULL);
		reach_peeled(&f, known);
	}
	hp_job_free(job, &below);
	hp_free(known);
	return status;
}

/* ---- kept objects ---------------------------------------------------------- */

/* OBJECT[number]: which object a number is of; kept dominators are set to 0. */
static void find_objects(struct hp_job *job, const struct hp_peel *p,
			 const struct hp_dom *dom, uint32_t *object,
			 uint32_t *dominator)
{
	const struct hp_peel_block *blocks = p->blocks.at;
	const uint32_t *number = dom->number.at;

	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint32_t node = blocks[i].rank;
		hp_job_breathe(job, i << 6);
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, node++) {
			uint64_t at = i << 6 | hp_bit_lowest(w);
			dominator[at] = 0;
			if (number[node])
				object[number[node]] = (uint32_t)at;
		}
	}
}

static enum hprof_status sum_kept(struct hp_job *job, const struct hp_peel *p,
				  struct hp_dom *dom, struct hp_sums *s)
{
	enum { AHEAD = 16 };
	struct hp_table objects = { 0 };
	const uint32_t *idom = dom->idom.at;
	uint32_t *object, *dominator = s->dominator.at;

	HP_TRY(hp_job_table(job, &objects, (uint64_t)dom->reached + 1,
			    sizeof(uint32_t), HP_TABLE_WHOLE));
	object = objects.at;
	find_objects(job, p, dom, object, dominator);
	hp_job_free(job, &dom->number);
	for (uint32_t v = dom->reached; v >= 1; v--) {
		if (v > AHEAD)
			__builtin_prefetch(&dominator[object[v - AHEAD]], 1);
		hp_job_breathe(job, v);
		if (idom[v] == 0)
			continue;
		dominator[object[v]] = object[idom[v]] + 1;
		add(s, object[idom[v]], object[v]);
	}
	hp_job_free(job, &objects);
	return HPROF_OK;
}

/* ---- all of it ------------------------------------------------------------- */

enum hprof_status hp_sums_find(struct hp_job *job, struct hp_edges *e,
			       const struct hp_peel *peel, struct hp_dom *dom,
			       struct hp_sums *s)
{
	uint64_t words = hp_bit_words(e->count);

	hp_job_phase(job, "retained sizes");
	s->dominator = e->referrer;
	e->referrer.at = NULL;
	s->unit = e->unit;
	while (s->unit > 1 && e->size_bits % s->unit)
		s->unit /= 2;
	s->wide = e->shallow_total / s->unit > UINT32_MAX;
	s->reachable = hp_calloc(words, sizeof *s->reachable);
	if (!s->reachable)
		return hp_no_memory(job->error);
	HP_TRY(hp_job_table(job, &s->retained, e->count,
			    s->wide ? sizeof(uint64_t) : sizeof(uint32_t),
			    HP_TABLE_WHOLE));
	start(s, e);
	HP_TRY(sum_peeled(job, peel, dom, s));
	HP_TRY(sum_kept(job, peel, dom, s));
	for (uint64_t i = 0; i < words; i++)
		s->reachable_count +=
			hp_bit_count(s->reachable[i]);
	return HPROF_OK;
}

void hp_sums_done(struct hp_job *job, struct hp_sums *s)
{
	hp_job_free(job, &s->dominator);
	hp_job_free(job, &s->retained);
	hp_free(s->reachable);
	*s = (struct hp_sums){ 0 };
}
