/* SPDX-License-Identifier: MIT */
/*
 * convert_reachable.c - which objects the JVM itself would have written into a
 * dump of what is alive: all that roots hold, soft references and finalizers,
 * too. Weak references to what goes are cleared, as its collector does.
 */
#include "convert/convert.h"
#include "base/error.h"

enum hprof_status hp_cv_find_reachable(struct hp_convert *c)
{
	struct hprof_graph_options graph = {
		.size = sizeof graph,
		.hold = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
		.memory = c->options.memory,
		.progress = c->input.progress,
		.progress_user = c->input.progress_user,
	};

	HP_TRY(hprof_heap_open(&c->input, NULL, &c->live_heap, c->error));
	return hprof_graph_build(c->live_heap, &graph, &c->live, c->error);
}

bool hp_cv_is_live(const struct hp_convert *c, uint64_t id)
{
	uint64_t object = hprof_heap_find(c->live_heap, id);

	return object != HPROF_NO_OBJECT &&
	       hprof_graph_is_reachable(c->live, object);
}

bool hp_cv_is_dropped(const struct hp_convert *c, uint64_t id)
{
	uint64_t object = id ? hprof_heap_find(c->live_heap, id) :
			       HPROF_NO_OBJECT;

	return object != HPROF_NO_OBJECT &&
	       !hprof_graph_is_reachable(c->live, object);
}
