/* SPDX-License-Identifier: MIT */
/*
 * dominators.c - dominators by the semi-NCA algorithm (Georgiadis, Tarjan): the
 * semidominators as Lengauer and Tarjan find them, then the dominator of each
 * node is the nearest of its parent's dominators that is no larger than its
 * semidominator (dominator_climb.h).
 */
#include "graph/dominators.h"

#include "base/error.h"
#include "graph/dominator_climb.h"
#include "graph/semidominators.h"

/* ---- entry points -------------------------------------------------------- */

/*
 * Mostly only one thread can find semidominators. Others find the ways through trees at
 * the same time if that needs little new memory. Where it matters it does not: a deep
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

static enum hprof_status finish_search(struct hp_semidominators *s,
				       struct hp_branches *ways)
{
	struct hp_build *build = s->build;
	struct hp_dominators *dom = s->dom;
	struct hp_beside semidominators = { hp_semidominators_find, s };
	const bool both = can_do_both(build, dom);

	if (both)
		HP_TRY(hp_dominators_ways(build, dom, &semidominators, ways));
	hp_beside_run(&semidominators);
	hp_semidominators_done(s);
	HP_TRY(hp_build_phase(build, "dominators"));
	if (dom->trees && !both)
		HP_TRY(hp_dominators_ways(build, dom, NULL, ways));
	return hp_dominators_climb(build, dom, dom->trees ? ways : NULL);
}

enum hprof_status hp_dominators_find(struct hp_build *build,
				     struct hp_dominators *dom)
{
	struct hp_semidominators s = { .build = build, .dom = dom };
	struct hp_branches ways = { 0 };
	enum hprof_status status;

	HP_TRY(hp_build_phase(build, "depth-first numbers"));
	HP_TRY(hp_dominators_number(build, dom));
	status = hp_semidominators_begin(&s);
	if (status == HPROF_OK)
		status = finish_search(&s, &ways);
	hp_semidominators_done(&s);
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
