/* SPDX-License-Identifier: MIT */
/*
 * kept_objects.c - see kept_objects.h.
 *
 * Kept are roots, objects with several referrers, objects that refer to one of
 * the latter, and the chains of single referrers that lead to any of these. In
 * the heaps of ordinary programs that is a third of all objects. For searches
 * for paths, what refers to a root is kept as well, and so are class objects.
 */
#include "graph/kept_objects.h"

#include "base/error.h"
#include "base/mem.h"
#include "graph/kept_edges.h"

struct keeping {
	struct hp_build *build;
	struct hp_reduction *reduction;
	const struct hp_edges *edges;
	bool roots; /* count as objects with several referrers */
};

static void find_several(void *user, const struct hp_range *range)
{
	const struct keeping *work = user;
	const struct hp_edges *e = work->edges;
	const uint32_t *referrer = e->referrer.at;
	struct hp_reduction *p = work->reduction;
	struct hp_ranked_bits *blocks = p->blocks.at;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint64_t bits = 0, first = i << 6;
		uint64_t n = p->count - first < 64 ? p->count - first : 64;
		for (uint64_t k = 0; k < n; k++)
			bits |= (uint64_t)(referrer[first + k] == HP_NONE) << k;
		blocks[i].bits = bits | e->roots[i];
		p->several[i] = bits & ~(work->roots ? 0 : e->roots[i]);
		hp_build_trim_memory(work->build, first);
	}
}

/* Searches may begin at class objects, so all are kept for them. */
static void keep_classes(struct hp_reduction *p, const struct hp_edges *e)
{
	struct hp_ranked_bits *blocks = p->blocks.at;

	for (size_t i = 0; i < e->list_count; i++)
		if (e->lists[i].apart)
			blocks[e->lists[i].from >> 6].bits |=
				(uint64_t)1 << (e->lists[i].from & 63);
}

/* Other threads set bits of the same words. Returns what was there before. */
static inline uint64_t set_bits(const struct keeping *work, uint64_t *word,
				uint64_t bits)
{
	uint64_t before;

	if (work->build->threads > 1)
		return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
	before = *word;
	*word |= bits;
	return before;
}

static inline bool is_kept(const struct hp_ranked_bits *blocks, uint32_t i)
{
	uint64_t word = __atomic_load_n(&blocks[i >> 6].bits, __ATOMIC_RELAXED);

	return word >> (i & 63) & 1;
}

/*
 * Keeps OBJECT, its single referrer, and so on. A chain ends at an object that is
 * kept already: those above it have been or will be marked. At the end of other
 * chains, which are garbage, is a top.
 */
static void keep_chain(const struct keeping *work, uint32_t object)
{
	struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	struct hp_ranked_bits *tops = work->reduction->top_blocks.at;
	const uint32_t *referrer = work->edges->referrer.at;

	while (!is_kept(blocks, object)) {
		const uint64_t bit = (uint64_t)1 << (object & 63);
		if (set_bits(work, &blocks[object >> 6].bits, bit) & bit)
			return;
		if (referrer[object] == 0) {
			if (tops)
				set_bits(work, &tops[object >> 6].bits, bit);
			return;
		}
		object = referrer[object] - 1;
	}
}

/* Keeps what leads to kept objects, and finds what hangs on no other object. */
static void keep_chains(void *user, const struct hp_range *range)
{
	const struct keeping *work = user;
	const uint32_t *referrer = work->edges->referrer.at;
	struct hp_ranked_bits *blocks = work->reduction->blocks.at;
	struct hp_ranked_bits *tops = work->reduction->top_blocks.at;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint64_t w = __atomic_load_n(&blocks[i].bits, __ATOMIC_RELAXED);
		uint64_t alone = 0;
		hp_build_trim_memory(work->build, i << 6);
		for (; w; w &= w - 1) {
			uint32_t up = referrer[i << 6 | hp_bit_lowest(w)];
			if (up == 0 || up == HP_NONE)
				alone |= w & -w;
			else
				keep_chain(work, up - 1);
		}
		if (tops && alone)
			set_bits(work, &tops[i].bits, alone);
	}
}

enum hprof_status hp_reduction_keep(struct hp_build *build, struct hp_edges *e,
				    struct hp_edge_partitions *parts,
				    bool paths, bool trees, bool targets_stay,
				    struct hp_reduction *p)
{
	struct keeping keeping = { build, p, e, paths };
	const size_t words = hp_bit_words(e->count);

	p->count = e->count;
	HP_TRY(hp_build_table(build, &p->blocks, words,
			      sizeof(struct hp_ranked_bits),
			      HP_MAPPED_TABLE_CLEAR));
	if (trees)
		HP_TRY(hp_build_table(build, &p->top_blocks, words,
				      sizeof(struct hp_ranked_bits),
				      HP_MAPPED_TABLE_CLEAR));
	p->several = hp_calloc(words, sizeof *p->several);
	if (!p->several)
		return hp_no_memory(build->error);
	hp_pieces_run(build, p->count, find_several, &keeping);
	if (paths)
		keep_classes(p, e);
	p->thin = trees && !paths && !targets_stay;
	/* Then nothing would trim memory. */
	assert(!p->thin || !build->tables.limit);
	hp_reduction_keep_edges(build, e, parts, p);
	hp_pieces_run(build, p->count, keep_chains, &keeping);
	/* What refers to roots is kept by now; but that is no edge. */
	for (size_t i = 0; paths && i < words; i++)
		p->several[i] &= ~e->roots[i];
	p->kept = hp_ranked_bits_finish(p->blocks.at, words);
	assert(p->kept <= p->count);
	return HPROF_OK;
}

void hp_reduction_number_tops(struct hp_reduction *p, const struct hp_edges *e)
{
	const size_t words = hp_bit_words(p->count);
	const struct hp_ranked_bits *tops = hp_reduction_tops(p);

	p->tree_count = p->top_blocks.at
				? hp_ranked_bits_finish(p->top_blocks.at, words)
				: p->kept;
	for (uint64_t i = 0; i < words; i++)
		p->several[i] = tops[i].bits & ~e->roots[i];
}

void hp_reduction_done(struct hp_build *build, struct hp_reduction *p)
{
	hp_build_free(build, &p->blocks);
	hp_build_free(build, &p->top_blocks);
	hp_build_free(build, &p->trees.position);
	hp_build_free(build, &p->trees.first);
	hp_build_free(build, &p->trees.edge);
	hp_free(p->several);
	hp_free(p->roots);
	hp_free(p->heads);
	*p = (struct hp_reduction){ 0 };
}
