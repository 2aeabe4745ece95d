/* SPDX-License-Identifier: MIT */
/*
 * dominators.c - dominators by the semi-NCA algorithm (Georgiadis, Tarjan): the
 * semidominators as Lengauer and Tarjan find them, then the dominator of each
 * node is the nearest of its parent's dominators that is no larger than its
 * semidominator (dominator_climb.h).
 */
#include "graph/dominators.h"

#include "base/error.h"
#include "base/prefetch.h"
#include "graph/dominator_climb.h"
#include "graph/edge_partitions.h"

/*
 * A node's ancestor in the forest of the nodes processed so far, and the least
 * semidominator on the way to it. They are adjacent because they are read
 * together.
 */
struct link {
	uint32_t ancestor, least;
};

enum { AHEAD = 48 };

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

struct search {
	struct hp_build *build;
	struct hp_dominators *dom;
	struct hp_predecessors preds;
	struct hp_mapped_table links;
};

/* dom->least has the least predecessors, which become semidominators. */
static void find_semidominators(void *user)
{
	const struct search *s = user;
	const uint32_t *ends = s->preds.offset.at, *from = s->preds.from.at;
	struct link *links = s->links.at;
	uint32_t *semi = s->dom->least.at;

	for (uint32_t v = s->dom->reached; v >= 1; v--) {
		uint32_t begin = ends[v - 1], least = semi[v];
		if (begin >= AHEAD)
			hp_prefetch(&links[from[begin - AHEAD]]);
		for (uint32_t e = begin; e < ends[v]; e++) {
			if (e >= AHEAD)
				fetch_links(links, from, e);
			const struct link *link = &links[from[e]];
			if (link->ancestor > v)
				link = compress(links, from[e], v);
			if (link->least < least)
				least = link->least;
			hp_build_trim_memory_within(s->build, e);
		}
		semi[v] = links[v].least = least;
		hp_build_trim_memory(s->build, v);
	}
}

/* ---- entry points -------------------------------------------------------- */

/* Row V is that of number V + 1. */
static void start_links(void *user, const struct hp_range *range)
{
	const struct search *s = user;
	const uint32_t *parent = s->dom->idom.at;
	struct link *links = s->links.at;

	for (uint64_t v = range->begin; v < range->end; v++) {
		links[v + 1].ancestor = parent[v + 1];
		hp_build_trim_memory(s->build, v);
	}
}

static enum hprof_status begin_search(struct search *s)
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

static void free_search(struct search *s)
{
	hp_build_free(s->build, &s->links);
	hp_predecessors_done(s->build, &s->preds);
}

/*
 * Only one thread can find semidominators. Others find the ways through trees at the
 * same time if that needs little new memory. Where it matters it does not: a deep
 * search leaves the memory of its stack, and it is after deep searches that finding
 * semidominators takes long. With limited memory there are no trees.
 */
static bool can_do_both(struct hp_build *build, const struct hp_dominators *dom)
{
	enum { LITTLE = 1 << 20 };
	const uint64_t spare = hp_mapped_tables_spare(&build->tables);

	return dom->trees && build->threads > 1 &&
	       hp_kept_trees_branch_bytes(dom->trees) <= spare + LITTLE;
}

static enum hprof_status finish_search(struct search *s,
				       struct hp_branches *ways)
{
	struct hp_build *build = s->build;
	struct hp_dominators *dom = s->dom;
	struct hp_beside semidominators = { find_semidominators, s };
	const bool both = can_do_both(build, dom);

	if (both)
		HP_TRY(hp_dominators_ways(build, dom, &semidominators, ways));
	hp_beside_run(&semidominators);
	free_search(s);
	HP_TRY(hp_build_phase(build, "dominators"));
	if (dom->trees && !both)
		HP_TRY(hp_dominators_ways(build, dom, NULL, ways));
	return hp_dominators_climb(build, dom, dom->trees ? ways : NULL);
}

enum hprof_status hp_dominators_find(struct hp_build *build,
				     struct hp_dominators *dom)
{
	struct search s = { .build = build, .dom = dom };
	struct hp_branches ways = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "depth-first numbers"));
	HP_TRY(hp_dominators_number(build, dom));
	status = begin_search(&s);
	if (status == HPROF_OK)
		status = finish_search(&s, &ways);
	free_search(&s);
	hp_build_free(build, &ways.table);
	hp_build_free(build, &dom->least);
	hp_build_free(build, &dom->met);
	return status;
}

void hp_dominators_done(struct hp_build *build, struct hp_dominators *dom)
{
	hp_build_free(build, &dom->offset);
	hp_build_free(build, &dom->target);
	hp_build_free(build, &dom->number);
	hp_build_free(build, &dom->idom);
	hp_build_free(build, &dom->least);
	hp_build_free(build, &dom->entry);
	hp_build_free(build, &dom->met);
}
