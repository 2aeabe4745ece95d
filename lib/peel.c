/*
 * peel.c - see peel.h.
 *
 * Kept are: roots and objects with several referrers; objects that refer to
 * one of the latter; and all that these hang on by single references. On
 * heaps of ordinary programs that is a third.
 */
#include "peel.h"

#include "error.h"
#include "mem.h"

static void find_several(struct hp_job *job, struct hp_peel *p,
			 const struct hp_edges *e)
{
	const uint32_t *referrer = e->referrer.at;
	struct hp_peel_block *blocks = p->blocks.at;

	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint64_t bits = 0, first = i << 6;
		uint64_t n = p->count - first < 64 ? p->count - first : 64;
		for (uint64_t k = 0; k < n; k++)
			bits |= (uint64_t)(referrer[first + k] == HP_NONE) << k;
		blocks[i].bits = bits | e->roots[i];
		p->several[i] = bits & ~e->roots[i];
		hp_job_breathe(job, first);
	}
}

/* Those that refer to an object with several referrers. */
static void keep_referrers(struct hp_job *job, struct hp_peel *p,
			   const struct hp_edges *e)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	struct hp_peel_block *blocks = p->blocks.at;
	const uint32_t *to = NULL;

	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &to);
		hp_job_breathe(job, i);
		if (n == 0 || hp_peel_keeps(blocks, i))
			continue;
		uint64_t bit = 0;
		for (uint64_t k = 0; k < n; k++)
			if (to[k] != HP_NONE)
				bit |= p->several[to[k] >> 6] >> (to[k] & 63);
		blocks[i >> 6].bits |= (bit & 1) << (i & 63);
	}
}

/* What kept objects hang on. Those marked on the way need no second look. */
static void keep_chains(struct hp_job *job, struct hp_peel *p,
			const uint32_t *referrer)
{
	struct hp_peel_block *blocks = p->blocks.at;

	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		hp_job_breathe(job, i << 6);
		for (uint64_t word = blocks[i].bits; word; word &= word - 1) {
			uint64_t at = i << 6 | hp_bit_lowest(word);
			uint32_t up = referrer[at];
			while (up != 0 && up != HP_NONE &&
			       !hp_peel_keeps(blocks, up - 1)) {
				blocks[(up - 1) >> 6].bits |=
					(uint64_t)1 << ((up - 1) & 63);
				up = referrer[up - 1];
			}
		}
	}
}

static void rank(struct hp_peel *p, const struct hp_edges *e)
{
	struct hp_peel_block *blocks = p->blocks.at;

	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		blocks[i].rank = p->kept;
		p->kept += hp_bit_count(blocks[i].bits);
		/* From now on: targets that are in the graph. */
		p->several[i] = blocks[i].bits & ~e->roots[i];
	}
}

static enum hprof_status keep(struct hp_job *job, struct hp_peel *p,
			      const struct hp_edges *e)
{
	uint64_t words = hp_bit_words(p->count);

	HP_TRY(hp_job_table(job, &p->blocks, words,
			    sizeof(struct hp_peel_block), HP_TABLE_RAW));
	p->several = hp_calloc(words, sizeof *p->several);
	if (!p->several)
		return hp_no_memory(job->error);
	find_several(job, p, e);
	keep_referrers(job, p, e);
	keep_chains(job, p, e->referrer.at);
	rank(p, e);
	return HPROF_OK;
}

/* ---- the graph of what is kept --------------------------------------------- */

static enum hprof_status mark_roots(struct hp_job *job, struct hp_peel *p,
				    const struct hp_edges *e, bool heads)
{
	const struct hp_peel_block *blocks = p->blocks.at;
	const uint32_t *referrer = e->referrer.at;

	p->roots = hp_calloc(hp_bit_words(p->kept), sizeof *p->roots);
	if (heads)
		p->heads = hp_calloc(hp_bit_words(p->kept), sizeof *p->heads);
	if (!p->roots || (heads && !p->heads))
		return hp_no_memory(job->error);
	for (uint64_t i = 0; i < hp_bit_words(p->count); i++) {
		uint32_t node = blocks[i].rank;
		for (uint64_t w = blocks[i].bits; w; w &= w - 1, node++) {
			uint64_t object = i << 6 | hp_bit_lowest(w);
			if (hp_bit(e->roots, object))
				hp_bit_set(p->roots, node);
			else if (heads && referrer[object] == 0)
				hp_bit_set(p->heads, node);
		}
	}
	return HPROF_OK;
}

/* Edges beyond this cannot be counted in 32 bits. */
#define MOST_EDGES (UINT32_MAX - 2 * HP_SPARE)

/* TO may be the table where the edges are: it is never ahead of them. */
static bool fill(struct hp_job *job, struct hp_peel *p,
		 const struct hp_edges *e, uint32_t *offset, uint32_t *to)
{
	struct hp_edge_walk walk = hp_edge_walk_begin(e);
	const struct hp_peel_block *blocks = p->blocks.at;
	const uint32_t *from = NULL;
	uint32_t node = 0;
	uint64_t used = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t n = hp_edge_walk_next(&walk, i, &from);
		hp_job_breathe(job, i);
		if (!hp_peel_keeps(blocks, i))
			continue;
		offset[node++] = (uint32_t)used;
		for (uint64_t k = 0; k < n; k++) {
			uint32_t object = from[k];
			if (object != HP_NONE && hp_bit(p->several, object))
				to[used++] = hp_peel_node(blocks, object);
		}
		if (used > MOST_EDGES)
			return false;
	}
	offset[node] = (uint32_t)used;
	return true;
}

static enum hprof_status make_targets(struct hp_job *job, struct hp_edges *e,
				      bool edges_stay, struct hp_dom *dom)
{
	uint64_t rows = e->target_count + e->apart_count + HP_SPARE;

	if (edges_stay)
		return hp_job_table(job, &dom->target, rows, sizeof(uint32_t),
				    HP_TABLE_RAW);
	dom->target = e->target;
	return HPROF_OK;
}

enum hprof_status hp_peel_graph(struct hp_job *job, struct hp_edges *e,
				bool heads, bool edges_stay,
				struct hp_peel *p, struct hp_dom *dom)
{
	bool fits;

	p->count = e->count;
	hp_job_phase(job, "peeling");
	HP_TRY(keep(job, p, e));
	HP_TRY(mark_roots(job, p, e, heads));
	dom->count = p->kept;
	dom->roots = p->roots;
	dom->heads = p->heads;
	HP_TRY(hp_job_table(job, &dom->offset, (uint64_t)p->kept + 1,
			    sizeof(uint32_t), HP_TABLE_RAW));
	HP_TRY(make_targets(job, e, edges_stay, dom));
	fits = fill(job, p, e, dom->offset.at, dom->target.at);
	if (!edges_stay) {
		e->target.at = NULL;
		hp_job_free(job, &e->degree);
	}
	if (!fits)
		return hp_fail(job->error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "more than %u references between objects that "
			       "several others refer to",
			       MOST_EDGES);
	const uint32_t *offset = dom->offset.at;
	hp_table_cut(&job->tables, &dom->target,
		     ((uint64_t)offset[p->kept] + HP_SPARE) *
			     sizeof(uint32_t));
	hp_free(p->several);
	p->several = NULL;
	return HPROF_OK;
}

void hp_peel_done(struct hp_job *job, struct hp_peel *p)
{
	hp_job_free(job, &p->blocks);
	hp_free(p->several);
	hp_free(p->roots);
	hp_free(p->heads);
	*p = (struct hp_peel){ 0 };
}
