/* SPDX-License-Identifier: MIT */
/*
 * transform_reachable.c - keeps the objects that the JVM would have written
 * into a dump of live objects: everything that is reachable from roots, also
 * through soft and final references. Weak references to other objects are
 * cleared, as the JVM's collector does.
 */
#include "convert/convert.h"
#include "base/error.h"

struct reachable {
	struct hprof_heap *heap;
	struct hprof_graph *graph;
};

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.live;
}

static enum hprof_status learnt(struct hp_convert *c, void *state)
{
	const struct hprof_input *input = &c->plan->input;
	struct reachable *reachable = state;
	struct hprof_graph_options graph = {
		.size = sizeof graph,
		.hold = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
		.memory = c->plan->options.memory,
		.progress = input->progress,
		.progress_user = input->progress_user,
	};

	if (c->input.part_count)
		return hp_cv_fail(c, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
				  "what is alive cannot be found in parts: "
				  "join them first");
	HP_TRY(hprof_heap_open(input, NULL, &reachable->heap, c->error));
	return hprof_graph_build(reachable->heap, &graph, &reachable->graph,
				 c->error);
}

static uint64_t object_of(const struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_CLASS_DUMP:
		return r->u.class_dump.class_id;
	case HPROF_INSTANCE_DUMP:
		return r->u.instance_dump.object_id;
	case HPROF_OBJ_ARRAY_DUMP:
		return r->u.obj_array_dump.object_id;
	default:
		return r->u.prim_array_dump.object_id;
	}
}

static bool keeps(struct hp_convert *c, void *state,
		  const struct hprof_record *r)
{
	const struct reachable *reachable = state;
	uint64_t object;

	(void)c;
	if (!hp_cv_is_object(r->tag) && r->tag != HPROF_CLASS_DUMP)
		return true;
	object = hprof_heap_find(reachable->heap, object_of(r));
	return object != HPROF_NO_OBJECT &&
	       hprof_graph_is_reachable(reachable->graph, object);
}

static void judge(struct hp_convert *c, void *state, struct hp_cv_class *k)
{
	(void)state;
	hp_cv_is_reference(c, k);
}

static bool clears(struct hp_convert *c, void *state, uint64_t id)
{
	const struct reachable *reachable = state;
	uint64_t object =
		id ? hprof_heap_find(reachable->heap, id) : HPROF_NO_OBJECT;

	(void)c;
	return object != HPROF_NO_OBJECT &&
	       !hprof_graph_is_reachable(reachable->graph, object);
}

static void done(struct hp_convert *c, void *state)
{
	const struct reachable *reachable = state;

	(void)c;
	hprof_graph_free(reachable->graph);
	hprof_heap_close(reachable->heap);
}

const struct hp_transform hp_transform_reachable = {
	.name = "reachable",
	.state_size = sizeof(struct reachable),
	.wanted = wanted,
	.learnt = learnt,
	.keeps = keeps,
	.judge = judge,
	.clears = clears,
	.done = done,
};
