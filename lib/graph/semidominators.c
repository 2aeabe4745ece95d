/* SPDX-License-Identifier: MIT */
/*
 * semidominators.c - see semidominators.h.
 *
 * Nodes are processed from the last to the first, as each depends on those behind it.
 * So this is for one thread, except where a node has very many predecessors: these are
 * shared among threads, which may compress the same paths. A link can be replaced by any
 * other one from the same node to one of its ancestors, with the least semidominator on
 * the way, so that threads need not know of each other if they read and write whole
 * links.
 *
 * No graph takes more than O(n log n): each path is compressed as it is walked, or a
 * long one part by part. Of threads that share predecessors one may put back a link that
 * another has made longer, which costs a step later on.
 */
#include "graph/semidominators.h"

#include "base/error.h"
#include "base/prefetch.h"
#include "graph/edge_partitions.h"

/*
 * A node's ancestor in the forest of the nodes processed so far, and the least
 * semidominator on the way to it. They are adjacent because they are read
 * together, by several threads as one word.
 */
struct link {
	_Alignas(8) uint32_t ancestor;
	uint32_t least;
};

enum {
	AHEAD = 48,
	PATH_MOST = 64, /* links that are compressed at a time */
	MANY = 1 << 14	/* predecessors that are worth several threads */
};

/*
 * Each step of the way up is somewhere else in memory: the first three links are
 * fetched well before it is gone, one after the other. The others may not be
 * needed, which no branch could predict.
 */
static inline void fetch_links(const struct link *links, const uint32_t *from,
			       uint32_t e)
{
	hp_prefetch(&links[from[e - AHEAD]]);
	hp_prefetch(&links[links[from[e - AHEAD * 2 / 3]].ancestor]);
	hp_prefetch(
		&links[links[links[from[e - AHEAD / 3]].ancestor].ancestor]);
}

/*
 * Compresses the path from FROM to the first ancestor that is not larger than
 * LIMIT: all nodes on it get that ancestor and the least semidominator on the
 * way. The path is reversed on the way up and walked back down, so it needs no
 * stack. Returns the link of FROM.
 */
static const struct link *compress(struct link *links, uint32_t from,
				   uint32_t limit)
{
	uint32_t at = from, below = 0;

	while (links[at].ancestor > limit) {
		uint32_t up = links[at].ancestor;
		links[at].ancestor = below;
		below = at;
		at = up;
	}
	const uint32_t top = links[at].ancestor;
	while (below) {
		struct link *link = &links[below];
		uint32_t next = link->ancestor;
		if (links[at].least < link->least)
			link->least = links[at].least;
		link->ancestor = top;
		at = below;
		below = next;
	}
	return &links[from];
}

/* ---- many predecessors --------------------------------------------------- */

static inline struct link load(const struct link *links, uint32_t at)
{
	struct link link;

	__atomic_load(&links[at], &link, __ATOMIC_RELAXED);
	return link;
}

/*
 * The same while others do so, without a path that is reversed in between. Of a long path
 * it compresses one part after the other.
 */
static struct link compress_shared(struct link *links, uint32_t from,
				   uint32_t limit)
{
	struct {
		uint32_t node;
		struct link link;
	} path[PATH_MOST];
	struct link link = load(links, from);

	while (link.ancestor > limit) {
		uint32_t at = from;
		unsigned n = 0;

		while (n < PATH_MOST && link.ancestor > limit) {
			path[n].node = at;
			path[n++].link = link;
			at = link.ancestor;
			link = load(links, at);
		}
		while (n--) {
			if (path[n].link.least < link.least)
				link.least = path[n].link.least;
			__atomic_store(&links[path[n].node], &link,
				       __ATOMIC_RELAXED);
		}
	}
	return link;
}

/* A node whose predecessors are shared. */
struct shared {
	const struct hp_semidominators *s;
	uint32_t v, first; /* predecessor */
	uint32_t least;
};

/* Row E is that of predecessor FIRST + E. */
static void take_shared(void *state, uint32_t begin, uint32_t end)
{
	struct shared *shared = state;
	const uint32_t *from =
		(const uint32_t *)shared->s->preds.from.at + shared->first;
	struct link *links = shared->s->links.at;
	uint32_t least = UINT32_MAX, known;

	for (uint32_t e = begin; e < end; e++) {
		if (end - e > AHEAD)
			hp_prefetch(&links[from[e + AHEAD]]);
		if (end - e > AHEAD / 2)
			hp_prefetch(&links[load(links, from[e + AHEAD / 2])
						   .ancestor]);
		const struct link link =
			compress_shared(links, from[e], shared->v);
		if (link.least < least)
			least = link.least;
		hp_build_trim_memory_within(shared->s->build, e);
	}
	known = __atomic_load_n(&shared->least, __ATOMIC_RELAXED);
	while (least < known &&
	       !__atomic_compare_exchange_n(&shared->least, &known, least, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* ---- all nodes ----------------------------------------------------------- */

/* The least of LEAST and what the predecessors of V lead to; of all but many. */
static inline uint32_t take_few(const struct hp_semidominators *s, uint32_t v,
				uint32_t least)
{
	const uint32_t *ends = s->preds.offset.at, *from = s->preds.from.at;
	struct link *links = s->links.at;

	for (uint32_t e = ends[v - 1]; e < ends[v]; e++) {
		if (e >= AHEAD)
			fetch_links(links, from, e);
		const struct link *link = &links[from[e]];
		if (link->ancestor > v)
			link = compress(links, from[e], v);
		if (link->least < least)
			least = link->least;
		hp_build_trim_memory_within(s->build, e);
	}
	return least;
}

/* MANY of them are for two threads. */
static uint32_t take_many(const struct hp_semidominators *s, uint32_t v,
			  uint32_t least, uint32_t many)
{
	const uint32_t *ends = s->preds.offset.at;
	struct shared shared = { s, v, ends[v - 1], least };
	const struct hp_parallel_pass pass = { ends[v] - ends[v - 1],
					       take_shared, NULL, &shared };
	const uint64_t most = 2 * (uint64_t)pass.count / many;
	const unsigned threads = s->build->threads;

	hp_parallel_passes(&pass, 1, threads < most ? threads : (unsigned)most,
			   NULL);
	return shared.least;
}

void hp_semidominators_find(void *user)
{
	const struct hp_semidominators *s = user;
	const uint32_t *ends = s->preds.offset.at, *from = s->preds.from.at;
	const uint32_t many = s->dom->many ? s->dom->many : MANY;
	struct link *links = s->links.at;
	uint32_t *semi = s->dom->least.at;

	for (uint32_t v = s->dom->reached; v >= 1; v--) {
		const uint32_t begin = ends[v - 1];
		if (begin >= AHEAD)
			hp_prefetch(&links[from[begin - AHEAD]]);
		if (ends[v] - begin < many)
			semi[v] = take_few(s, v, semi[v]);
		else
			semi[v] = take_many(s, v, semi[v], many);
		links[v].least = semi[v];
		hp_build_trim_memory(s->build, v);
	}
}

/* ---- tables -------------------------------------------------------------- */

/* Row V is that of number V + 1. */
static void start_links(void *user, const struct hp_range *range)
{
	const struct hp_semidominators *s = user;
	const uint32_t *parent = s->dom->idom.at;
	struct link *links = s->links.at;

	for (uint64_t v = range->begin; v < range->end; v++) {
		links[v + 1].ancestor = parent[v + 1];
		hp_build_trim_memory(s->build, v);
	}
}

enum hprof_status hp_semidominators_begin(struct hp_semidominators *s)
{
	struct hp_build *build = s->build;
	struct hp_dominators *dom = s->dom;

	HP_TRY(hp_build_phase(build, "predecessors"));
	HP_TRY(hp_dominators_predecessors(build, dom, &s->preds));
	hp_build_free(build, &dom->target);
	hp_build_free(build, &dom->offset);
	HP_TRY(hp_build_phase(build, "semidominators"));
	HP_TRY(hp_build_table(build, &s->links, (uint64_t)dom->reached + 1,
			      sizeof(struct link), HP_MAPPED_TABLE_RAW));
	*(struct link *)s->links.at = (struct link){ 0 };
	hp_pieces_run(build, dom->reached, start_links, s);
	return HPROF_OK;
}

void hp_semidominators_done(struct hp_semidominators *s)
{
	hp_build_free(s->build, &s->links);
	hp_predecessors_done(s->build, &s->preds);
}
