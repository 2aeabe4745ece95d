/*
 * sums.c - see sums.h.
 *
 * What was peeled is a forest that hangs on kept objects. Its leaves go up
 * together, then those that have become leaves; after some such rounds, which
 * is all for most, the rest as soon as all below have come. The kept ones
 * follow by descending number: a dominator's is always smaller.
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

/* ---- adding -------------------------------------------------------------- */

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

static void start(struct hp_job *job, struct hp_sums *s,
		  const struct hp_edges *e)
{
	const uint8_t *shallow = e->shallow.at;
	uint32_t factor = e->unit / s->unit;

	for (uint32_t i = 0; i < e->count; i++) {
		if (s->wide)
			((uint64_t *)s->retained.at)[i] =
				(uint64_t)shallow[i] * factor;
		else
			((uint32_t *)s->retained.at)[i] = shallow[i] * factor;
		hp_job_breathe(job, i);
	}
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

/* ---- peeled objects ------------------------------------------------------ */

struct forest {
	struct hp_job *job;
	struct hp_sums *sums;
	uint32_t *up;	 /* referrers */
	uint64_t *todo;	 /* bits: objects that have not gone up */
	uint64_t *inner; /* bits: those of them that others have yet to reach */
	uint32_t *below; /* how many others; DONE */
	uint32_t count;
};

static void fetch_word(const struct forest *f, uint64_t i)
{
	const uint32_t *retained = f->sums->retained.at;
	uint64_t word = i < hp_bit_words(f->count) ? f->todo[i] : 0;

	for (; word; word &= word - 1) {
		uint64_t at = f->up[i << 6 | hp_bit_lowest(word)];
		at = at ? at - 1 : 0;
		__builtin_prefetch(&retained[f->sums->wide ? 2 * at : at], 1);
	}
}

/* All that nobody has yet to reach goes up. True: the others are left. */
static bool add_leaves(struct forest *f)
{
	const size_t words = hp_bit_words(f->count);
	uint64_t left = 0, *done = f->todo;

	memset(f->inner, 0, words * sizeof *f->inner);
	for (uint64_t i = 0; i < words; i++) {
		hp_job_breathe(f->job, i << 6);
		for (uint64_t w = f->todo[i]; w; w &= w - 1) {
			uint32_t up = f->up[i << 6 | hp_bit_lowest(w)];
			if (up != 0 && hp_bit(f->todo, up - 1))
				hp_bit_set(f->inner, up - 1);
		}
	}
	for (uint64_t i = 0; i < words; i++) {
		hp_job_breathe(f->job, i << 6);
		fetch_word(f, i + 1);
		for (uint64_t w = f->todo[i] & ~f->inner[i]; w; w &= w - 1) {
			uint64_t at = i << 6 | hp_bit_lowest(w);
			if (f->up[at] != 0)
				add(f->sums, f->up[at] - 1, (uint32_t)at);
		}
		left |= f->inner[i];
	}
	f->todo = f->inner;
	f->inner = done;
	return left != 0;
}

static void count_children(struct forest *f)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++) {
		hp_job_breathe(f->job, i << 6);
		for (uint64_t w = f->todo[i]; w; w &= w - 1) {
			uint32_t up = f->up[i << 6 | hp_bit_lowest(w)];
			if (up != 0 && hp_bit(f->todo, up - 1))
				f->below[up - 1]++;
		}
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
		if (!hp_bit(f->todo, up) || --f->below[up] != 0)
			return;
		i = up;
	}
}

static void add_chains(struct forest *f)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++) {
		hp_job_breathe(f->job, i << 6);
		for (uint64_t w = f->todo[i]; w; w &= w - 1) {
			uint64_t at = i << 6 | hp_bit_lowest(w);
			if (f->below[at] == 0)
				go_up(f, (uint32_t)at);
		}
	}
}

/*
 * What is left are cycles of single references, which nothing else leads to:
 * their first object becomes a head.
 */
static void cut_cycles(struct forest *f, uint64_t *known, bool heads)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++)
		for (uint64_t w = f->todo[i]; w; w &= w - 1) {
			uint64_t at = i << 6 | hp_bit_lowest(w);
			if (f->below[at] == DONE)
				continue;
			hp_bit_set(known, at);
			if (!heads)
				continue;
			uint32_t last = f->up[at] - 1;
			f->up[at] = 0;
			if (--f->below[last] == 0)
				go_up(f, last);
		}
}

/* What many rounds of leaves would take: each waits for those below. */
static enum hprof_status add_rest(struct forest *f, uint64_t *known,
				  bool heads)
{
	struct hp_table below = { 0 };
	enum hprof_status status;

	status = hp_table_make_parts(&f->job->tables, &below, f->count,
				     sizeof(uint32_t), HP_TABLE_PARTS,
				     f->count, f->job->error);
	if (status == HPROF_OK)
		status = hp_table_back(&below, 0, below.bytes, f->job->error);
	if (status == HPROF_OK) {
		f->below = below.at;
		count_children(f);
		add_chains(f);
		cut_cycles(f, known, heads);
	}
	hp_job_free(f->job, &below);
	return status;
}

/* ---- what is reachable --------------------------------------------------- */

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
	enum { ROUNDS = 4 };
	const size_t words = hp_bit_words(p->count);
	uint64_t *bits = hp_calloc(words, 3 * sizeof *bits), *known = bits;
	struct forest f = { .job = job, .sums = s, .up = s->dominator.at,
			    .count = p->count };
	const struct hp_peel_block *blocks = p->blocks.at;
	enum hprof_status status = HPROF_OK;
	bool left = true;

	if (!bits)
		return hp_no_memory(job->error);
	f.todo = bits + words;
	f.inner = bits + 2 * words;
	for (uint64_t i = 0; i < words; i++)
		f.todo[i] = ~blocks[i].bits;
	f.todo[words - 1] &= ((uint64_t)1 << p->count % 64) - 1;
	reach_kept(p, dom, s->reachable, known);
	for (int i = 0; i < ROUNDS && left; i++)
		left = add_leaves(&f);
	if (left)
		status = add_rest(&f, known, dom->heads != NULL);
	if (status == HPROF_OK)
		reach_peeled(&f, known);
	hp_free(bits);
	return status;
}

/* ---- kept objects -------------------------------------------------------- */

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
			    sizeof(uint32_t), HP_TABLE_RAW));
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

/* ---- all of it ----------------------------------------------------------- */

enum hprof_status hp_sums_find(struct hp_job *job, struct hp_edges *e,
			       const struct hp_peel *peel, struct hp_dom *dom,
			       struct hp_sums *s)
{
	const size_t words = hp_bit_words(e->count);

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
			    HP_TABLE_RAW));
	start(job, s, e);
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
