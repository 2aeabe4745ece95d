/* SPDX-License-Identifier: MIT */
/*
 * retained_pass.c - the pass over all objects that counts them by set and kind.
 *
 * An object counts for a kind only if that kind is not in the set of its dominator.
 * So threads can take objects in any order, from tables that are read from front to
 * back. A dominator mostly comes before what it dominates, so the number of its set
 * is found when it is counted; or else as soon as somebody asks for it.
 */
#include "report/sets_table.h"

#include "base/mem.h"

enum {
	SPECIAL = 0x8000,     /* marks an index of a struct hp_special */
	STEPS = 1 << 10,      /* cached by each thread */
	CHAIN_MOST = 1 << 20, /* objects on the way up, before a new try */
	TRIM_INTERVAL = 1 << 16
};

/* The state of one thread. */
struct taker {
	struct hp_retained_sets *shared;
	struct hp_set_counts counts; /* by set and kind */
	uint32_t *chain;
	size_t chain_room;
	struct step {
		uint64_t key; /* hp_set_count_key */
		uint16_t to;
	} steps[STEPS];
};

/* ---- sets ---------------------------------------------------------------- */

static uint16_t fail(struct hp_retained_sets *a)
{
	__atomic_store_n(&a->too_many, true, __ATOMIC_RELAXED);
	return HP_SET_OUTSIDE;
}

/* The set for NODE, whose dominator has the entry BELOW. */
static uint16_t set_of(const struct hp_retained_sets *a, uint16_t below,
		       uint32_t node)
{
	const struct hp_special *special;
	size_t begin;

	if (!(below & SPECIAL))
		return below;
	special = &a->specials[below & ~SPECIAL];
	begin = hp_retained_sets_begin(a, special->node, node);
	return begin < a->begin_count
		       ? a->starts[begin]
		       : __atomic_load_n(&special->plain, __ATOMIC_RELAXED);
}

/* Whether what is outside of all subtrees counts, too. */
static bool counts_outside(const struct hp_retained_sets *a)
{
	return a->sets.paths || !a->begin_count;
}

/* SET plus the kind of NODE. */
static uint16_t add_node(struct taker *t, uint16_t set, uint32_t node)
{
	uint32_t kind = hp_retained_sets_kind(t->shared, node);
	uint64_t key = hp_set_count_key(set, kind);
	struct step *step = &t->steps[(kind * 31 + set) % STEPS];

	if (!counts_outside(t->shared) && set == HP_SET_OUTSIDE)
		return HP_SET_OUTSIDE;
	if (step->key != key) {
		uint16_t to = hp_ancestor_sets_add(&t->shared->sets, set, kind);

		if (!to)
			return fail(t->shared);
		*step = (struct step){ key, to };
	}
	return step->to;
}

/* Several threads may do this for one object, with the same result. */
static uint16_t mark_special(struct hp_retained_sets *a, uint32_t node,
			     uint16_t set)
{
	for (size_t i = 0; i < a->special_count; i++)
		if (a->specials[i].node == node) {
			__atomic_store_n(&a->specials[i].plain, set,
					 __ATOMIC_RELAXED);
			return (uint16_t)(SPECIAL | i);
		}
	return set;
}

/* What NODE dominates is in SET. Returns the entry of NODE. */
static inline uint16_t put_below(struct hp_retained_sets *a, uint32_t node,
				 uint16_t set)
{
	if (a->special_bits >> (node & 63) & 1)
		set = mark_special(a, node, set);
	__atomic_store_n(&a->below[node], set, __ATOMIC_RELEASE);
	return set;
}

/* The entry of NODE, given that of its dominator. */
static uint16_t go_below(struct taker *t, uint16_t dominator_set, uint32_t node)
{
	struct hp_retained_sets *a = t->shared;

	return put_below(a, node,
			 add_node(t, set_of(a, dominator_set, node), node));
}

static uint16_t below_roots(const struct hp_retained_sets *a)
{
	return a->special_count && a->specials[0].node == HP_NO_NODE
		       ? SPECIAL
		       : HP_SET_OUTSIDE;
}

/*
 * Where step I of a way up is. A longer one overwrites its beginning. Nearly all
 * are short, and a division takes as long as all the rest.
 */
static inline uint32_t *link_of(const struct taker *t, size_t i)
{
	return &t->chain[i < t->chain_room ? i : i % t->chain_room];
}

/* Goes up to an object whose entry is known, and back down. */
static uint16_t find_below(struct taker *t, uint32_t node)
{
	const struct hp_retained_sets *a = t->shared;
	const uint32_t *dominator = a->graph->sizes.dominator.at;

	for (;;) {
		size_t length = 0;
		uint32_t at = node;
		uint16_t below = 0;

		while (!below) {
			if (length == t->chain_room && length < CHAIN_MOST)
				hp_grow((void **)&t->chain, &t->chain_room,
					length, sizeof *t->chain);
			*link_of(t, length++) = at;
			if (!dominator[at])
				below = below_roots(a);
			else
				below = __atomic_load_n(
					&a->below[dominator[at] - 1],
					__ATOMIC_ACQUIRE);
			at = dominator[at] - 1;
		}
		for (size_t i = 0; i < length && i < t->chain_room; i++)
			below = go_below(t, below, *link_of(t, length - 1 - i));
		if (length <= t->chain_room)
			return below;
	}
}

/* ---- going over objects -------------------------------------------------- */

/* NODE is the first object of the row, as a thread goes forward. */
static struct hp_set_count *add_row(struct taker *t, uint64_t key,
				    uint32_t node)
{
	struct hp_set_count *row = hp_set_counts_add(&t->counts, key);

	row->first = node;
	if (t->counts.too_many)
		fail(t->shared);
	if (t->counts.no_memory)
		__atomic_store_n(&t->shared->no_memory, true, __ATOMIC_RELAXED);
	return row;
}

/*
 * What the pass reads of each object, copied: what a thread counts, and what it
 * reads of others' work, could have changed it for all that a compiler knows.
 */
struct columns {
	const uint32_t *dominator;
	uint16_t *below;
	const uint8_t *shallow;
	const uint16_t *kinds;	  /* NULL: they are wide */
	const uint32_t *retained; /* NULL: they are wide */
	const uint64_t *wide_retained;
	unsigned unit;
	uint32_t per_code; /* units of retained in one of shallow */
	uint16_t roots;	   /* the entry of the roots as a whole */
	bool outside;
};

static struct columns columns_of(const struct hp_retained_sets *a)
{
	const struct hprof_graph *g = a->graph;

	return (struct columns){
		.dominator = g->sizes.dominator.at,
		.below = a->below,
		.shallow = g->edges.shallow.at,
		.kinds = g->edges.wide_kinds ? NULL : g->edges.kinds.at,
		.retained = g->sizes.wide ? NULL : g->sizes.retained.at,
		.wide_retained = g->sizes.retained.at,
		.unit = g->edges.unit,
		.per_code = g->edges.unit / g->sizes.unit,
		.roots = below_roots(a),
		.outside = counts_outside(a),
	};
}

static inline uint64_t retained_of(const struct columns *c, uint32_t node)
{
	return c->retained ? c->retained[node] : c->wide_retained[node];
}

static inline struct hp_set_count *count_object(struct taker *t,
						const struct columns *c,
						uint16_t set, uint32_t node)
{
	const struct hprof_graph *g = t->shared->graph;
	uint32_t kind = c->kinds ? c->kinds[node] : hp_graph_kind(g, node);
	uint64_t key = hp_set_count_key(set, kind);
	struct hp_set_count *row = hp_set_counts_find(&t->counts, key);
	unsigned code = c->shallow[node];

	if (!row->key)
		row = add_row(t, key, node);
	row->objects++;
	row->shallow += code != HP_SHALLOW_LARGE
				? (uint64_t)code * c->unit
				: hp_edges_shallow(&g->edges, node);
	row->retained += retained_of(c, node);
	return row;
}

/* Whether NODE dominates others; never mind large objects, of which there are few. */
static inline bool dominates(const struct columns *c, uint32_t node)
{
	unsigned code = c->shallow[node];

	return code != HP_SHALLOW_LARGE &&
	       retained_of(c, node) > (uint64_t)code * c->per_code;
}

/* The entry of what dominates NODE. */
static inline uint16_t above(struct taker *t, const struct columns *c,
			     uint32_t node)
{
	const uint32_t dominator_plus_1 = c->dominator[node];
	uint16_t below;

	if (!dominator_plus_1)
		return c->roots;
	below = __atomic_load_n(&c->below[dominator_plus_1 - 1],
				__ATOMIC_ACQUIRE);
	return below ? below : find_below(t, dominator_plus_1 - 1);
}

/* What NODE dominates mostly comes after it, so its entry is left for that. */
static inline void take_object(struct taker *t, const struct columns *c,
			       uint32_t node)
{
	const uint16_t below = above(t, c, node);
	const uint16_t set =
		below & SPECIAL ? set_of(t->shared, below, node) : below;
	struct hp_set_count *row = NULL;

	if (set != HP_SET_OUTSIDE || c->outside)
		row = count_object(t, c, set, node);
	if (!dominates(c, node))
		return;
	if (row && !row->inner)
		row->inner = add_node(t, set, node);
	put_below(t->shared, node, row ? row->inner : HP_SET_OUTSIDE);
}

static void take_span(void *state, uint32_t begin, uint32_t end)
{
	struct taker *t = state;
	const struct hp_retained_sets *a = t->shared;
	const uint64_t *reachable = a->graph->sizes.reachable;
	const struct columns columns = columns_of(a);

	for (uint64_t i = begin; i < end; i = (i | 63) + 1) {
		hp_build_trim_memory(&a->graph->build, i);
		if (i % TRIM_INTERVAL == 0)
			hp_tables_trim_memory(&a->tables);
		if (__atomic_load_n(&a->too_many, __ATOMIC_RELAXED) ||
		    __atomic_load_n(&a->no_memory, __ATOMIC_RELAXED))
			return;
		for (uint64_t w = reachable[i >> 6]; w; w &= w - 1)
			take_object(t, &columns,
				    (uint32_t)(i | hp_bit_lowest(w)));
	}
}

static void taker_done(struct taker *t)
{
	if (t) {
		hp_set_counts_done(&t->counts);
		hp_free(t->chain);
	}
	hp_free(t);
}

static struct taker *taker_new(struct hp_retained_sets *a)
{
	struct taker *t = hp_calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->shared = a;
	if (hp_set_counts_init(&t->counts) != HPROF_OK ||
	    hp_grow((void **)&t->chain, &t->chain_room, 0, sizeof *t->chain) !=
		    HPROF_OK) {
		taker_done(t);
		return NULL;
	}
	return t;
}

static enum hprof_status gather(struct hp_retained_sets *a,
				struct taker *const *takers, unsigned threads)
{
	const struct hp_set_counts **counts =
		hp_calloc(threads, sizeof *counts);

	for (unsigned i = 0; counts && i < threads; i++)
		counts[i] = &takers[i]->counts;
	if (counts)
		a->rows = hp_set_counts_gather(counts, threads, &a->row_count);
	hp_free(counts);
	return a->rows ? HPROF_OK : HPROF_E_NOMEM;
}

enum hprof_status hp_retained_sets_take(struct hp_retained_sets *a)
{
	uint32_t count = a->graph->edges.count;
	unsigned threads =
		hp_parallel_for_threads(count, a->graph->options.threads);
	struct taker **takers = hp_calloc(threads, sizeof *takers);
	unsigned made = 0;
	enum hprof_status status = HPROF_E_NOMEM;

	while (takers && made < threads && (takers[made] = taker_new(a)))
		made++;
	if (made) {
		hp_parallel_for_crew(count, made, (void *const *)takers,
				     take_span, &a->graph->memo->crew,
				     a->beside);
		status = a->no_memory || a->sets.no_memory ? HPROF_E_NOMEM
							   : HPROF_OK;
	}
	if (status == HPROF_OK && !a->too_many)
		status = gather(a, takers, made);
	while (made)
		taker_done(takers[--made]);
	hp_free(takers);
	return status;
}
