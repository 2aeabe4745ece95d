/* SPDX-License-Identifier: MIT */
/*
 * retained_groups.c - hprof_retained_by_group: what sets of objects retain,
 * where the caller says which classes form a set.
 */
#include "hprof/retained.h"

#include "report/retained_sets.h"
#include "base/error.h"
#include "base/mem.h"

/* Keys and sums of one grouping; the last sum is of objects in no set. */
struct work {
	uint32_t *key;
	struct hp_sum *sums;
};

static uint32_t set_of(const struct hprof_retained_groups *groups,
		       const uint32_t *sets, size_t row)
{
	return sets[row] < groups->set_count ? sets[row] : groups->set_count;
}

static enum hprof_status begin(struct work *work,
			       const struct hprof_retained_groups *groups,
			       size_t rows)
{
	work->key = hp_calloc(hp_kind_count(rows), sizeof *work->key);
	work->sums =
		hp_calloc((size_t)groups->set_count + 1, sizeof *work->sums);
	if (!work->key || !work->sums)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i <= rows; i++) {
		work->key[hp_kind_of_instances(i)] =
			set_of(groups, groups->instances, i);
		work->key[hp_kind_of_class(i)] =
			set_of(groups, groups->class_objects, i);
	}
	return HPROF_OK;
}

static void finish(const struct work *work,
		   const struct hprof_retained_groups *groups)
{
	for (uint32_t i = 0; i < groups->set_count; i++)
		groups->sums[i] = (struct hprof_set_sum){
			.objects = work->sums[i].objects,
			.shallow = work->sums[i].shallow,
			.retained = work->sums[i].retained,
		};
}

static enum hprof_status sum_up(const struct hprof_graph *graph,
				const struct hprof_retained_groups *groups,
				size_t count, struct work *work,
				struct hp_division *keys,
				struct hprof_error *error)
{
	size_t rows = hprof_heap_summary(graph->heap)->class_count;

	for (size_t i = 0; i < count; i++) {
		if (begin(&work[i], &groups[i], rows) != HPROF_OK)
			return hp_no_memory(error);
		keys[i] = (struct hp_division){ work[i].key, work[i].sums };
	}
	HP_TRY(hp_retained_sets_all(graph, keys, count, error));
	for (size_t i = 0; i < count; i++)
		finish(&work[i], &groups[i]);
	return HPROF_OK;
}

static enum hprof_status check(const struct hprof_retained_groups *groups,
			       size_t count, struct hprof_error *error)
{
	if (!groups && count)
		return hp_bad_argument(error, "groups", "is NULL");
	for (size_t i = 0; i < count; i++) {
		if (!groups[i].instances)
			return hp_bad_argument(error, "groups.instances",
					       "is NULL");
		if (!groups[i].class_objects)
			return hp_bad_argument(error, "groups.class_objects",
					       "is NULL");
		if (!groups[i].sums && groups[i].set_count)
			return hp_bad_argument(error, "groups.sums", "is NULL");
	}
	return HPROF_OK;
}

enum hprof_status
hprof_retained_by_group(const struct hprof_graph *graph,
			const struct hprof_retained_groups *groups,
			size_t count, struct hprof_error *ret_error)
{
	struct hp_division *keys;
	struct work *work;
	enum hprof_status status;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_TRY(check(groups, count, ret_error));
	work = hp_calloc(count + 1, sizeof *work);
	keys = hp_calloc(count + 1, sizeof *keys);
	status = work && keys
			 ? sum_up(graph, groups, count, work, keys, ret_error)
			 : hp_no_memory(ret_error);
	for (size_t i = 0; work && i < count; i++) {
		hp_free(work[i].key);
		hp_free(work[i].sums);
	}
	hp_free(work);
	hp_free(keys);
	return status;
}
