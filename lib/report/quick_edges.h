/* SPDX-License-Identifier: MIT */
/*
 * quick_edges.h - what objects are, and how one refers to another, from the
 * graph instead of the dump, for reports that look at very many. Where the
 * graph cannot tell, the cursor must.
 */
#ifndef HP_QUICK_EDGES_H
#define HP_QUICK_EDGES_H

#include "base/arena.h"
#include "base/prefetch.h"
#include "graph/field_masks.h"
#include "report/object_info.h"

struct hp_quick_form;

struct hp_quick_edges {
	const struct hp_look *look;
	struct hp_quick_form *forms; /* by row of the summary */
	struct hp_arena arena;
	struct hp_field_masks masks;
	uint32_t unknown; /* references that only masks would have told */
};

/* EDGES borrows LOOK. Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_quick_edges_init(struct hp_quick_edges *edges,
				      const struct hp_look *look);
void hp_quick_edges_done(struct hp_quick_edges *edges);

/*
 * What the object TO of a graph with option edges is. *RET_KNOWN: false if the
 * cursor must be asked.
 */
enum hprof_status hp_quick_kind(struct hp_quick_edges *edges, uint32_t to,
				enum hprof_object_kind *ret, bool *ret_known,
				struct hprof_error *error);

/*
 * How FROM refers to TO, as hp_root_paths_edge says without numbers; only the
 * kind and the name are set.
 */
enum hprof_status hp_quick_edge(struct hp_quick_edges *edges, uint32_t from,
				uint32_t to, struct hprof_edge *ret,
				bool *ret_known, struct hprof_error *error);

/* For many questions: asks for the memory that one about FROM will need. */
static inline void hp_quick_prefetch(const struct hp_quick_edges *q,
				     uint32_t from)
{
	const struct hp_edges *e = &q->look->graph->edges;
	unsigned width = e->wide_kinds ? 4 : 2;

	hp_prefetch((const uint8_t *)e->kinds.at + (size_t)from * width);
	hp_prefetch((const uint8_t *)e->degree.at + from);
	hp_prefetch(&q->look->graph->starts[from / HP_BLOCK]);
	if (q->masks.at)
		hp_prefetch(&q->masks.at[from]);
}

#endif
