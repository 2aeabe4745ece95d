/* SPDX-License-Identifier: MIT */
/* pool_of_queue.c - see pool_of_queue.h. */
#include "report/pool_of_queue.h"

#include "base/error.h"
#include "report/held_references.h"

enum hprof_status hp_pool_of_queue(const struct hp_root_paths *paths,
				   uint64_t object, uint64_t *ret_pool,
				   struct hprof_error *error)
{
	const struct hp_root_index *roots = &paths->roots;

	*ret_pool = HPROF_NO_OBJECT;
	for (size_t i = 0; i < roots->count; i++) {
		uint64_t pool = roots->roots[i].object;
		bool has_it;

		if (pool == object ||
		    (i && roots->roots[i - 1].object == pool) ||
		    !hp_shunned_edges_is_pool(
			    &paths->shunned,
			    hp_graph_kind(paths->look.graph, (uint32_t)pool)))
			continue;
		HP_TRY(hp_look_refers(&paths->look, pool, object, &has_it,
				      error));
		if (!has_it)
			continue;
		*ret_pool = pool;
		break;
	}
	return HPROF_OK;
}
