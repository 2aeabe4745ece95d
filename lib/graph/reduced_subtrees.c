/* SPDX-License-Identifier: MIT */
/*
 * reduced_subtrees.c - see reduced_subtrees.h.
 *
 * In a round, all leaves add their sizes to their referrers; the objects that
 * become leaves by that follow in the next round. A few rounds do for most
 * objects. Each of the rest is added as soon as all objects below it have been.
 * Reachability is propagated in the opposite order, first to the rest and then
 * from the last round to the first, so that an object comes after its referrer.
 */
#include "graph/reduced_subtrees.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "graph/edge_partitions.h"

#define DONE UINT32_MAX

enum hprof_status hp_reduced_subtrees_begin(struct hp_build *build,
					    const struct hp_reduction *p,
					    bool heads,
					    struct hp_retained_sizes *s,
					    struct hp_reduced_subtrees *f)
{
	const size_t words = hp_bit_words(p->count);
	const struct hp_ranked_bits *blocks = p->blocks.at;

	*f = (struct hp_reduced_subtrees){ .build = build,
					   .sizes = s,
					   .count = p->count,
					   .up = s->dominator.at,
					   .heads = heads };
	HP_TRY(hp_build_table(build, &f->bits, words,
			      (HP_REDUCED_SUBTREES_ROUNDS + 2) *
				      sizeof *f->rest,
			      HP_MAPPED_TABLE_RAW));
	f->inner = f->bits.at;
	f->rest = f->inner + words;
	for (size_t i = 0; i < HP_REDUCED_SUBTREES_ROUNDS; i++)
		f->went[i] = f->rest + (i + 1) * words;
	for (uint64_t i = 0; i < words; i++)
		f->rest[i] = ~blocks[i].bits;
	f->rest[words - 1] &= ((uint64_t)1 << p->count % 64) - 1;
	/* No range has the last word if that is empty. */
	f->inner[words - 1] = 0;
	return HPROF_OK;
}

void hp_reduced_subtrees_done(struct hp_reduced_subtrees *f)
{
	for (unsigned i = 0; i < HP_RANGES; i++)
		hp_free(f->later[i].items);
	if (f->build)
		hp_build_free(f->build, &f->bits);
	*f = (struct hp_reduced_subtrees){ 0 };
}

/* ---- rounds -------------------------------------------------------------- */

/*
 * Each thread has a range of objects. What concerns an object of another range
 * is deferred to the end of the round. Most references are within a range.
 */
static inline void put_off(struct hp_reduced_subtrees *f, unsigned number,
			   uint32_t object)
{
	struct hp_reduced_subtrees_later *later = &f->later[number];

	if (hp_grow((void **)&later->items, &later->room, later->count,
		    sizeof *later->items) != HPROF_OK)
		later->no_memory = true;
	else
		later->items[later->count++] = object;
}

static inline void mark_inner(struct hp_reduced_subtrees *f, uint32_t i)
{
	/* No branch: membership in the rest cannot be predicted. */
	f->inner[i >> 6] |= f->rest[i >> 6] & (uint64_t)1 << (i & 63);
}

/* Finds the objects of the rest to which others of it refer. */
static void find_inner(void *user, const struct hp_range *range)
{
	struct hp_reduced_subtrees *f = user;
	const uint64_t width = range->end - range->begin;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++)
		f->inner[i] = 0;
	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		hp_build_trim_memory(f->build, i << 6);
		for (uint64_t w = f->rest[i]; w; w &= w - 1) {
			uint32_t up = f->up[i << 6 | hp_bit_lowest(w)];
			if (up == 0)
				continue;
			if (up - 1 - range->begin < width)
				mark_inner(f, up - 1);
			else
				put_off(f, range->number, up - 1);
		}
	}
}

static inline void fetch_word(const struct hp_reduced_subtrees *f, uint64_t i,
			      uint64_t end, const bool wide)
{
	const uint32_t *retained = f->sizes->retained.at;
	uint64_t word = i << 6 < end ? f->rest[i] & ~f->inner[i] : 0;

	for (; word; word &= word - 1) {
		uint64_t at = f->up[i << 6 | hp_bit_lowest(word)];
		at -= at != 0;
		hp_prefetch_write(&retained[wide ? 2 * at : at]);
	}
}

/* Adds the sizes of all leaves to their referrers. */
static inline __attribute__((always_inline)) void
add_leaves(struct hp_reduced_subtrees *f, const struct hp_range *range,
	   const bool wide)
{
	const uint64_t width = range->end - range->begin;

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		hp_build_trim_memory(f->build, i << 6);
		fetch_word(f, i + 1, range->end, wide);
		uint64_t word = f->rest[i] & ~f->inner[i];
		f->went[f->round][i] = word;
		for (; word; word &= word - 1) {
			uint64_t at = i << 6 | hp_bit_lowest(word);
			uint32_t up = f->up[at];
			if (up == 0)
				continue;
			if (up - 1 - range->begin < width)
				hp_retained_sizes_add(f->sizes, up - 1,
						      (uint32_t)at, wide);
			else
				put_off(f, range->number, (uint32_t)at);
		}
	}
}

static void add_range(void *user, const struct hp_range *range)
{
	struct hp_reduced_subtrees *f = user;

	if (f->sizes->wide)
		add_leaves(f, range, true);
	else
		add_leaves(f, range, false);
}

/* Does what was put off. False if memory ran out. */
static bool catch_up(struct hp_reduced_subtrees *f, bool inner)
{
	bool good = true;

	for (unsigned i = 0; i < HP_RANGES; i++) {
		struct hp_reduced_subtrees_later *later = &f->later[i];
		for (size_t k = 0; k < later->count && inner; k++)
			mark_inner(f, later->items[k]);
		for (size_t k = 0; k < later->count && !inner; k++)
			hp_retained_sizes_add(f->sizes,
					      f->up[later->items[k]] - 1,
					      later->items[k], f->sizes->wide);
		good = good && !later->no_memory;
		later->count = 0;
	}
	return good;
}

static bool is_empty(const uint64_t *bits, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (bits[i])
			return false;
	return true;
}

static enum hprof_status go_rounds(struct hp_reduced_subtrees *f)
{
	const size_t words = hp_bit_words(f->count);

	for (f->round = 0; f->round < HP_REDUCED_SUBTREES_ROUNDS; f->round++) {
		if (is_empty(f->rest, words))
			break;
		hp_ranges_run(f->build, f->count, find_inner, f);
		if (!catch_up(f, true))
			return hp_no_memory(f->build->error);
		hp_ranges_run(f->build, f->count, add_range, f);
		if (!catch_up(f, false))
			return hp_no_memory(f->build->error);
		uint64_t *before = f->rest;
		f->rest = f->inner;
		f->inner = before;
	}
	return HPROF_OK;
}

/* ---- the rest ------------------------------------------------------------ */

/* How many objects right below I, one of the rest, have not been added; or DONE. */
static inline uint32_t *below(const struct hp_reduced_subtrees *f, uint32_t i)
{
	return &f->below[hp_ranked_bits_number(f->numbers, i)];
}

static void count_children(struct hp_reduced_subtrees *f)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++) {
		hp_build_trim_memory(f->build, i << 6);
		for (uint64_t w = f->rest[i]; w; w &= w - 1) {
			uint32_t up = f->up[i << 6 | hp_bit_lowest(w)];
			if (up != 0 && hp_bit(f->rest, up - 1))
				++*below(f, up - 1);
		}
	}
}

/*
 * The size of I is complete: adds it to its referrer's, and continues from
 * there as long as that completes the referrer's.
 */
static void go_up(struct hp_reduced_subtrees *f, uint32_t i)
{
	for (;;) {
		uint32_t up = f->up[i];
		*below(f, i) = DONE;
		if (up == 0)
			return;
		up--;
		hp_retained_sizes_add(f->sizes, up, i, f->sizes->wide);
		if (!hp_bit(f->rest, up) || --*below(f, up) != 0)
			return;
		i = up;
	}
}

static void add_chains(struct hp_reduced_subtrees *f)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++) {
		hp_build_trim_memory(f->build, i << 6);
		for (uint64_t w = f->rest[i]; w; w &= w - 1) {
			uint32_t at = (uint32_t)(i << 6 | hp_bit_lowest(w));
			if (*below(f, at) == 0)
				go_up(f, at);
		}
	}
}

/*
 * What remains are cycles of single references that nothing else leads to, and
 * what hangs on them: the first object of a cycle becomes a head.
 */
static void cut_cycles(struct hp_reduced_subtrees *f)
{
	for (uint64_t i = 0; i < hp_bit_words(f->count); i++)
		for (uint64_t w = f->rest[i]; w; w &= w - 1) {
			uint32_t at = (uint32_t)(i << 6 | hp_bit_lowest(w));
			if (*below(f, at) == DONE)
				continue;
			hp_bit_set(f->known, at);
			if (!f->heads)
				continue;
			uint32_t last = f->up[at] - 1;
			f->up[at] = 0;
			if (--*below(f, last) == 0)
				go_up(f, last);
		}
}

/* Objects of the rest are reachable if their referrers are. */
static void reach_rest(struct hp_reduced_subtrees *f)
{
	uint64_t *reachable = f->sizes->reachable;

	for (uint64_t i = 0; i < hp_bit_words(f->count); i++) {
		hp_build_trim_memory(f->build, i << 6);
		for (uint64_t w = f->rest[i]; w; w &= w - 1) {
			uint32_t first = (uint32_t)(i << 6 | hp_bit_lowest(w));
			uint32_t top = first;
			while (!hp_bit(f->known, top) && f->up[top] != 0)
				top = f->up[top] - 1;
			bool alive = hp_bit(reachable, top);
			hp_bit_set(f->known, top);
			for (uint32_t k = first; !hp_bit(f->known, k);
			     k = f->up[k] - 1) {
				hp_bit_set(f->known, k);
				if (alive)
					hp_bit_set(reachable, k);
			}
		}
	}
}

/* Numbers the objects of the rest, mostly few, for the rows of below. */
static enum hprof_status number_rest(struct hp_reduced_subtrees *f,
				     struct hp_mapped_table *numbers,
				     struct hp_mapped_table *rows)
{
	const size_t words = hp_bit_words(f->count);
	struct hp_ranked_bits *blocks;

	HP_TRY(hp_build_table(f->build, numbers, words, sizeof *blocks,
			      HP_MAPPED_TABLE_RAW));
	blocks = numbers->at;
	for (size_t i = 0; i < words; i++)
		blocks[i].bits = f->rest[i];
	HP_TRY(hp_build_table(f->build, rows,
			      hp_ranked_bits_finish(blocks, words),
			      sizeof *f->below, HP_MAPPED_TABLE_CLEAR));
	f->numbers = blocks;
	f->below = rows->at;
	return HPROF_OK;
}

/*
 * Finishes the long chains, which would take many rounds: each object waits for
 * those below it.
 */
static enum hprof_status finish_rest(struct hp_reduced_subtrees *f)
{
	struct hp_mapped_table numbers = { 0 }, rows = { 0 };
	enum hprof_status status = number_rest(f, &numbers, &rows);

	if (status == HPROF_OK) {
		f->known = f->inner;
		for (size_t i = 0; i < hp_bit_words(f->count); i++)
			f->known[i] = ~f->rest[i];
		count_children(f);
		add_chains(f);
		cut_cycles(f);
		reach_rest(f);
	}
	hp_build_free(f->build, &numbers);
	hp_build_free(f->build, &rows);
	return status;
}

/* ---- entry points -------------------------------------------------------- */

/* The referrers went up in other rounds, so their bits do not change here. */
static void reach_round(void *user, const struct hp_range *range)
{
	const struct hp_reduced_subtrees *f = user;
	uint64_t *reachable = f->sizes->reachable;
	const uint64_t *went = f->went[f->round];

	for (uint64_t i = range->begin >> 6; i << 6 < range->end; i++) {
		uint64_t alive = 0;
		hp_build_trim_memory(f->build, i << 6);
		for (uint64_t w = went[i]; w; w &= w - 1) {
			uint32_t up = f->up[i << 6 | hp_bit_lowest(w)];
			if (up == 0)
				continue;
			uint64_t word = __atomic_load_n(
				&reachable[(up - 1) >> 6], __ATOMIC_RELAXED);
			if (word >> ((up - 1) & 63) & 1)
				alive |= w & -w;
		}
		if (alive)
			__atomic_store_n(&reachable[i], reachable[i] | alive,
					 __ATOMIC_RELAXED);
	}
}

enum hprof_status hp_reduced_subtrees_sum(struct hp_reduced_subtrees *f)
{
	HP_TRY(go_rounds(f));
	if (!is_empty(f->rest, hp_bit_words(f->count)))
		HP_TRY(finish_rest(f));
	while (f->round > 0) {
		f->round--;
		hp_ranges_run(f->build, f->count, reach_round, f);
	}
	return HPROF_OK;
}
