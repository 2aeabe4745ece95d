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

/* SEMI has the least predecessors, which become semidominators. */
static void find_semidominators(struct hp_build *build,
				const struct hp_predecessors *preds,
				struct link *links, uint32_t *semi,
				uint32_t count)
{
	const uint32_t *ends = preds->offset.at, *from = preds->from.at;

	for (uint32_t v = count; v >= 1; v--) {
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
			hp_build_trim_memory_within(build, e);
		}
		semi[v] = links[v].least = least;
		hp_build_trim_memory(build, v);
	}
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
	links[0] = (struct link){ 0 };
	struct starting s = { build, links, dom->idom.at };
	hp_pieces_run(build, dom->reached, start_links, &s);
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
	HP_TRY(hp_dominators_climb(build, dom));
	hp_build_free(build, &dom->least);
	hp_build_free(build, &dom->met);
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
	hp_build_free(build, &dom->entry);
	hp_build_free(build, &dom->met);
}
