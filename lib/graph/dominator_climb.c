/* SPDX-License-Identifier: MIT */
/*
 * dominator_climb.c - see dominator_climb.h.
 *
 * On ordinary heaps climbing costs nothing; on a long list whose items are also
 * in an array it would be quadratic. So climbs have a budget. When it is spent,
 * each node gets a skip pointer (Myers), by which any ancestor is a logarithmic
 * number of steps away, and the remaining nodes climb by these; and so does
 * each object within its tree.
 */
#include "graph/dominator_climb.h"

#include "base/error.h"
#include "base/prefetch.h"

enum { CLIMBS_FREE = 1 << 20, CLIMBS_PER_NODE = 4, AHEAD = 16 };

struct climb {
	struct hp_build *build;
	uint32_t *idom;
	const uint32_t *semi;
	const struct hp_meeting *met; /* by rank; NULL: nodes are no trees */
	uint32_t count;
	uint32_t *entry;		/* NULL: nodes are no trees */
	const struct hp_branch *branch; /* by position */
	uint32_t kept;			/* positions */
	int64_t budget;
	/* By number and by position; used when the budget is spent. */
	uint32_t *skip, *depth, *branch_skip, *branch_depth;
};

/* ---- from edges to positions --------------------------------------------- */

enum { EDGES_PER_MARK = 64 };

/* Where edges are: the position of each 64th one, and of the end. */
struct finding {
	const uint32_t *edge; /* by position, where its edges begin */
	const uint32_t *parent;
	uint32_t kept;
	uint32_t *mark;
	uint32_t *entry;
};

static void set_marks(void *user, const struct hp_range *range)
{
	const struct finding *f = user;

	for (uint64_t i = range->begin; i < range->end; i++) {
		uint64_t m = f->edge[i] / EDGES_PER_MARK;
		m += f->edge[i] % EDGES_PER_MARK != 0;
		for (; m * EDGES_PER_MARK < f->edge[i + 1]; m++)
			f->mark[m] = (uint32_t)i;
	}
}

/* The mark before the edge by which number V was visited. */
static inline const uint32_t *mark_of(const struct finding *f, uint64_t v)
{
	return &f->mark[f->entry[v] / EDGES_PER_MARK];
}

/* The last position whose edges begin at EDGE or before: that of its object. */
static uint32_t find_position(const struct finding *f, uint32_t edge)
{
	uint32_t low = f->mark[edge / EDGES_PER_MARK];
	uint32_t high = f->mark[edge / EDGES_PER_MARK + 1];

	while (low < high) {
		uint32_t middle = high - (high - low) / 2;
		if (f->edge[middle] <= edge)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Row V is that of number V + 1. */
static void find_entries(void *user, const struct hp_range *range)
{
	const struct finding *f = user;

	for (uint64_t v = range->begin + 1; v <= range->end; v++) {
		if (v + AHEAD <= range->end)
			hp_prefetch(&f->edge[mark_of(f, v + AHEAD)[0]]);
		if (v + 2 * AHEAD <= range->end)
			hp_prefetch(mark_of(f, v + 2 * AHEAD));
		if (f->parent[v])
			f->entry[v] = find_position(f, f->entry[v]);
	}
}

static enum hprof_status make_marks(struct hp_build *build, struct finding *f,
				    struct hp_mapped_table *marks)
{
	uint64_t count = f->edge[f->kept] / EDGES_PER_MARK + 1;

	HP_TRY(hp_build_table(build, marks, count + 1, sizeof *f->mark,
			      HP_MAPPED_TABLE_CLEAR));
	f->mark = marks->at;
	f->mark[count] = f->kept - 1;
	if (f->edge[f->kept] % EDGES_PER_MARK == 0)
		f->mark[count - 1] = f->kept - 1;
	return HPROF_OK;
}

enum hprof_status hp_dominators_ways(struct hp_build *build,
				     struct hp_dominators *dom,
				     struct hp_beside *beside,
				     struct hp_branches *ret)
{
	struct hp_reduction *reduction = dom->trees;
	struct finding f = { .edge = reduction->trees.edge.at,
			     .parent = dom->idom.at,
			     .kept = reduction->kept,
			     .entry = dom->entry.at };
	struct hp_pieces pieces[2 + HP_BRANCH_PIECES] = {
		{ reduction->kept, set_marks, &f },
		{ dom->reached, find_entries, &f },
	};
	struct hp_mapped_table marks = { 0 };
	enum hprof_status status = make_marks(build, &f, &marks);

	if (status == HPROF_OK)
		status = hp_kept_trees_branches(build, reduction, ret,
						pieces + 2);
	if (status == HPROF_OK)
		hp_pieces_run_all(build, pieces, 2 + HP_BRANCH_PIECES, beside);
	hp_build_free(build, &marks);
	hp_build_free(build, &reduction->trees.edge);
	return status;
}

/* ---- climbing ------------------------------------------------------------ */

/* The semidominator of V; of trees, its last edge as well. */
static inline __attribute__((always_inline)) struct hp_meeting
semi_of(const struct climb *c, uint32_t v, const bool trees)
{
	return trees ? c->met[c->semi[v]]
		     : (struct hp_meeting){ .number = c->semi[v] };
}

/* Returns the last number that has its dominator. */
static inline __attribute__((always_inline)) uint32_t climb(struct climb *c,
							    const bool trees)
{
	uint32_t *idom = c->idom;
	int64_t budget = c->budget;

	for (uint32_t v = 1; v <= c->count; v++) {
		const struct hp_meeting semi = semi_of(c, v, trees);
		uint32_t x = idom[v], at = trees ? c->entry[v] : 0;
		if (trees && v + AHEAD <= c->count) {
			hp_prefetch(&c->branch[c->entry[v + AHEAD]]);
			hp_prefetch(&c->met[c->semi[v + AHEAD]]);
		}
		for (; x > semi.number; x = idom[x], budget--)
			at = trees ? c->entry[x] : 0;
		idom[v] = x;
		for (; trees && x && x == semi.number &&
		       c->branch[at].end <= semi.edge;
		     budget--)
			at = c->branch[at].up;
		if (trees)
			c->entry[v] = at;
		hp_build_trim_memory(c->build, v);
		if (budget < 0)
			return v;
	}
	return c->count;
}

/* ---- climbing by skips --------------------------------------------------- */

/* The skip pointer of what is below UP. */
static inline uint32_t skip_of(const uint32_t *skip, const uint32_t *depth,
			       uint32_t up)
{
	uint32_t s = skip[up];

	return depth[up] - depth[s] == depth[s] - depth[skip[s]] ? skip[s] : up;
}

/* Each position comes after the one above it. */
static void make_branch_skips(struct climb *c)
{
	uint32_t *skip = c->branch_skip, *depth = c->branch_depth;

	for (uint32_t i = 0; i < c->kept; i++) {
		uint32_t up = c->branch[i].up;
		bool top = up == i;
		depth[i] = top ? 0 : depth[up] + 1;
		skip[i] = top ? i : skip_of(skip, depth, up);
	}
}

static uint32_t skip_in_tree(const struct climb *c, uint32_t at, uint32_t last)
{
	while (c->branch[at].end <= last) {
		uint32_t far = c->branch_skip[at];
		at = c->branch[far].end <= last ? far : c->branch[at].up;
	}
	return at;
}

/* The last step is always to the dominator, as its entry must be known. */
static void climb_one(const struct climb *c, uint32_t v)
{
	const struct hp_meeting semi = semi_of(c, v, c->met != NULL);
	uint32_t x = c->idom[v], at = c->entry ? c->entry[v] : 0;

	while (x > semi.number) {
		if (c->skip[x] > semi.number) {
			x = c->skip[x];
			continue;
		}
		at = c->entry ? c->entry[x] : 0;
		x = c->idom[x];
	}
	c->idom[v] = x;
	if (!c->entry)
		return;
	if (x && x == semi.number)
		at = skip_in_tree(c, at, semi.edge);
	c->entry[v] = at;
}

/* The numbers up to DONE have their dominators already. */
static void climb_skipping(const struct climb *c, uint32_t done)
{
	uint32_t *skip = c->skip, *depth = c->depth;

	skip[0] = depth[0] = 0;
	for (uint32_t v = 1; v <= c->count; v++) {
		if (v > done)
			climb_one(c, v);
		depth[v] = depth[c->idom[v]] + 1;
		skip[v] = skip_of(skip, depth, c->idom[v]);
		hp_build_trim_memory(c->build, v);
	}
}

static enum hprof_status climb_on(struct climb *c, uint32_t done)
{
	struct hp_mapped_table skips = { 0 };
	const uint64_t rows = (uint64_t)c->count + 1;
	const uint64_t positions = c->entry ? c->kept : 0;

	HP_TRY(hp_build_table(c->build, &skips, 2 * (rows + positions),
			      sizeof(uint32_t), HP_MAPPED_TABLE_RAW));
	c->skip = skips.at;
	c->depth = c->skip + rows;
	c->branch_skip = c->depth + rows;
	c->branch_depth = c->branch_skip + positions;
	if (c->entry)
		make_branch_skips(c);
	climb_skipping(c, done);
	hp_build_free(c->build, &skips);
	return HPROF_OK;
}

/* ---- entry point --------------------------------------------------------- */

static enum hprof_status climb_all(struct climb *c)
{
	uint32_t done = c->entry ? climb(c, true) : climb(c, false);

	return done == c->count ? HPROF_OK : climb_on(c, done);
}

enum hprof_status hp_dominators_climb(struct hp_build *build,
				      struct hp_dominators *dom,
				      const struct hp_branches *ways)
{
	struct climb c = {
		.build = build,
		.idom = dom->idom.at,
		.semi = dom->least.at,
		.count = dom->reached,
		.met = dom->met.at,
		.entry = dom->entry.at,
		.budget = (int64_t)CLIMBS_PER_NODE * dom->reached + CLIMBS_FREE,
	};

	if (ways) {
		c.branch = ways->table.at;
		c.kept = ways->reduction->kept;
	}
	if (dom->skips)
		c.budget = 0;
	return climb_all(&c);
}
