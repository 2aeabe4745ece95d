/* SPDX-License-Identifier: MIT */
/*
 * semidominators.h - semidominators, as Lengauer and Tarjan find them.
 */
#ifndef HP_SEMIDOMINATORS_H
#define HP_SEMIDOMINATORS_H

#include "graph/dominators.h"

struct hp_semidominators {
	struct hp_build *build;
	struct hp_dominators *dom;
	struct hp_predecessors preds;
	struct hp_mapped_table links; /* struct link, by number */
};

/*
 * Finds the predecessors, for which the edges of S->dom are consumed, and makes tables.
 * Free with hp_semidominators_done, also after a failure.
 */
enum hprof_status hp_semidominators_begin(struct hp_semidominators *s);
void hp_semidominators_done(struct hp_semidominators *s);

/*
 * S is a struct hp_semidominators that has begun, for struct hp_beside. Of its dom->least
 * the least predecessors become semidominators.
 */
void hp_semidominators_find(void *s);

#endif
