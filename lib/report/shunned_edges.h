/* SPDX-License-Identifier: MIT */
/*
 * shunned_edges.h - references that keep objects alive by the way, such as
 * those of class loaders, shutdown hooks, and from threads to the pools that they
 * work for: a path without them says more about who uses an object.
 */
#ifndef HP_SHUNNED_EDGES_H
#define HP_SHUNNED_EDGES_H

#include "graph/object_kind.h"
#include "report/object_info.h"

struct hp_shunned_edges {
	uint8_t *by_class; /* of each row of the summary; see the source */
	size_t count;
	bool *late; /* by kind: objects that have nothing but such references */
};

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_shunned_edges_init(struct hp_shunned_edges *shunned,
					const struct hprof_heap *heap);
void hp_shunned_edges_done(struct hp_shunned_edges *shunned);

/* Whether OBJECT is an instance of ClassLoader. */
bool hp_shunned_edges_is_loader(const struct hp_shunned_edges *shunned,
				const struct hprof_object_info *object);

/* Whether objects of KIND refer to the pool, or its queue, that they work for. */
bool hp_shunned_edges_is_worker(const struct hp_shunned_edges *shunned,
				uint32_t kind);
/* Whether they are such pools. */
bool hp_shunned_edges_is_pool(const struct hp_shunned_edges *shunned,
			      uint32_t kind);

/* Whether objects of KIND may have such references, but for that to their class. */
static inline bool hp_shunned_edges_any(const struct hp_shunned_edges *shunned,
					uint32_t kind)
{
	return hp_kind_is_class(kind) || (hp_kind_row(kind) < shunned->count &&
					  shunned->by_class[hp_kind_row(kind)]);
}

/* Whether EDGE, a reference of FROM, is one of them. */
bool hp_shunned_edges_has(const struct hp_shunned_edges *shunned,
			  const struct hprof_object *from,
			  const struct hprof_edge *edge);

#endif
