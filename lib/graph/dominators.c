/* SPDX-License-Identifier: MIT */
/*
 * dominators.c - dominators by the semi-NCA algorithm (Georgiadis, Tarjan): the
 * semidominators as Lengauer and Tarjan find them, then the dominator of each
 * node is the nearest of its parent's dominators that is no larger than its
 * semidominator.
 *
 * The second step climbs. On ordinary heaps that costs nothing; on a long list
 * whose items are also in an array it would be quadratic. So climbs have a
 * budget. When it is spent, each node gets a skip pointer (Myers), by which any
 * ancestor is a logarithmic number of steps away, and the remaining nodes climb
 * by these.
 */
#include "graph/dominators.h"

#include "base/error.h"
#include "base/prefetch.h"
#include "graph/edge_partitions.h"

/*
 * A node's ancestor in the forest of the nodes processed so far, and the least
 * semidominator on the way to it. They are adjacent because they are read
 * together.
 */
struct link {
	uint32_t ancestor, least;
};

enum { AHEAD = 24, CLIMBS_FREE = 1 << 20, CLIMBS_PER_NODE = 4 };

/*
 * Compresses the path from FROM to the first ancestor that is not larger than
 * LIMIT: all nodes on it get that ancestor and the least semidominator on the
 * way. The path is reversed on the way up and walked back down, so it needs no
 * stack.
 */
static uint32_t compress(struct link *links, uint32_t from, uint32_t limit)
{
	uint32_t at = from, below = 0;

	while (links[at].ancestor > limit) {
		uint32_t up = links[at].ancestor;
		links[at].ancestor = below;
		below = at;
		at = up;
	}
	uint32_t least = links[at].least, top = links[at].ancestor;
	while (below) {
		uint32_t next = links[below].ancestor;
		if (links[below].least < least)
			least = links[below].least;
		links[below].least = least;
		links[below].ancestor = top;
		below = next;
	}
	return least;
}

/*
 * Each step of the way up is somewhere else in memory: the first two links are
 * fetched well before it is gone.
 */
static inline void fetch_links(const struct link *links, const uint32_t *from,
			       uint32_t e, uint32_t v)
{
	uint32_t up;

	hp_prefetch(&links[from[e - AHEAD]]);
	up = links[from[e - AHEAD / 2]].ancestor;
	if (up > v)
		hp_prefetch(&links[up]);
}

/* SEMI has the least predecessors, which become semidominators. */
static void find_semidominators(struct hp_build *build,
				const struct hp_predecessors *preds,
				struct link *links, uint32_t *semi,
				uint32_t count)
{
	const uint32_t *ends = preds->offset.at, *from = preds->from.at;

	for (uint32_t v = count; v >= 1; v--) {
		uint32_t least = semi[v];
		uint32_t begin = ends[v - 1];
		if (begin >= AHEAD)
			hp_prefetch(&links[from[begin - AHEAD]]);
		for (uint32_t e = begin; e < ends[v]; e++) {
			if (e >= AHEAD)
				fetch_links(links, from, e, v);
			const struct link *link = &links[from[e]];
			uint32_t s = link->ancestor <= v
					     ? link->least
					     : compress(links, from[e], v);
			if (s < least)
				least = s;
			hp_build_trim_memory_within(build, e);
		}
		semi[v] = least;
		links[v].least = least;
		hp_build_trim_memory(build, v);
	}
}

/* ---- from semidominators to dominators ----------------------------------- */

/* Returns the last number that has its dominator. */
static uint32_t climb(struct hp_build *build, uint32_t *idom,
		      const uint32_t *semi, uint32_t count)
{
	uint64_t budget = (uint64_t)CLIMBS_PER_NODE * count + CLIMBS_FREE;

	for (uint32_t v = 1; v <= count; v++) {
		uint32_t x = idom[v];
		for (; x > semi[v]; budget--)
			x = idom[x];
		idom[v] = x;
		if ((int64_t)budget < 0)
			return v;
		hp_build_trim_memory(build, v);
	}
	return count;
}

/* The numbers up to DONE have their dominators already. */
static void climb_skipping(struct hp_build *build, uint32_t *idom,
			   const uint32_t *semi, uint32_t count, uint32_t done,
			   uint32_t *skip, uint32_t *depth)
{
	for (uint32_t v = 1; v <= count; v++) {
		uint32_t x = idom[v];
		while (v > done && x > semi[v])
			x = skip[x] >= semi[v] ? skip[x] : idom[x];
		idom[v] = x;
		depth[v] = depth[x] + 1;
		uint32_t s = skip[x];
		skip[v] = depth[x] - depth[s] == depth[s] - depth[skip[s]]
				  ? skip[s]
				  : x;
		hp_build_trim_memory(build, v);
	}
}

static enum hprof_status find_dominators(struct hp_build *build, uint32_t *idom,
					 const uint32_t *semi, uint32_t count)
{
	struct hp_mapped_table skips = { 0 };
	uint32_t done = climb(build, idom, semi, count);

	if (done == count)
		return HPROF_OK;
	HP_TRY(hp_build_table(build, &skips, 2 * ((uint64_t)count + 1),
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	uint32_t *skip = skips.at, *depth = skip + count + 1;
	skip[0] = depth[0] = 0;
	climb_skipping(build, idom, semi, count, done, skip, depth);
	hp_build_free(build, &skips);
	return HPROF_OK;
}

/* ---- entry points -------------------------------------------------------- */

struct starting {
	struct hp_build *build;
	struct link *links;
	const uint32_t *parent;
};

/* Row V is that of number V + 1. */
static void start_links(void *user, const struct hp_range *range)
{
	const struct starting *s = user;

	for (uint64_t v = range->begin; v < range->end; v++) {
		s->links[v + 1].ancestor = s->parent[v + 1];
		hp_build_trim_memory(s->build, v);
	}
}

static enum hprof_status find_all_semi(struct hp_build *build,
				       const struct hp_dominators *dom,
				       const struct hp_predecessors *preds)
{
	struct hp_mapped_table table = { 0 };
	struct link *links;

	HP_TRY(hp_build_phase(build, "semidominators"));
	HP_TRY(hp_build_table(build, &table, (uint64_t)dom->reached + 1,
			      sizeof *links, HP_MAPPED_TABLE_RAW));
	links = table.at;
	struct starting s = { build, links, dom->idom.at };
	hp_ranges_run(build, dom->reached, start_links, &s);
	find_semidominators(build, preds, links, dom->least.at, dom->reached);
	hp_build_free(build, &table);
	return HPROF_OK;
}

static enum hprof_status find_with(struct hp_build *build,
				   struct hp_dominators *dom,
				   struct hp_predecessors *preds)
{
	HP_TRY(hp_build_phase(build, "predecessors"));
	HP_TRY(hp_dominators_predecessors(build, dom, preds));
	hp_build_free(build, &dom->target);
	hp_build_free(build, &dom->offset);
	HP_TRY(find_all_semi(build, dom, preds));
	hp_build_free(build, &preds->offset);
	hp_build_free(build, &preds->from);
	HP_TRY(hp_build_phase(build, "dominators"));
	HP_TRY(find_dominators(build, dom->idom.at, dom->least.at,
			       dom->reached));
	hp_build_free(build, &dom->least);
	return HPROF_OK;
}

enum hprof_status hp_dominators_find(struct hp_build *build,
				     struct hp_dominators *dom)
{
	struct hp_predecessors preds = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "depth-first numbers"));
	HP_TRY(hp_dominators_number(build, dom));
	status = find_with(build, dom, &preds);
	hp_predecessors_done(build, &preds);
	return status;
}

void hp_dominators_done(struct hp_build *build, struct hp_dominators *dom)
{
	hp_build_free(build, &dom->offset);
	hp_build_free(build, &dom->target);
	hp_build_free(build, &dom->number);
	hp_build_free(build, &dom->idom);
	hp_build_free(build, &dom->least);
}
