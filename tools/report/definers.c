/* SPDX-License-Identifier: MIT */
/*
 * definers.c - see definers.h.
 */
#include "tools/report/definers.h"

#include <stdlib.h>

#include "tools/common/cli.h"

static int compare_loaders(const void *left, const void *right)
{
	const struct hprof_object_info *a = left, *b = right;

	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static enum hprof_status take_loaders(struct definers *d,
				      const struct hprof_graph *graph,
				      const size_t *rows, size_t count,
				      struct hprof_error *error)
{
	const struct hprof_heap *heap = hprof_graph_heap(graph);
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	struct hprof_cursor *cursor = NULL;
	enum hprof_status status = hprof_cursor_new(heap, &cursor, error);
	size_t used = 0;

	d->loaders = cli_calloc(count + 1, sizeof(*d->loaders));
	for (size_t i = 0; status >= 0 && i < count; i++) {
		uint64_t loader = hprof_heap_find(
			heap, summary->class_rows[rows[i]].loader_id);

		if (loader == HPROF_NO_OBJECT)
			continue;
		status = hprof_object_info_get(cursor, graph, loader,
					       &d->loaders[d->count], error);
		d->count += status >= 0;
	}
	hprof_cursor_free(cursor);
	if (status < 0)
		return status;
	if (d->count)
		qsort(d->loaders, d->count, sizeof(*d->loaders),
		      compare_loaders);
	for (size_t i = 0; i < d->count; i++)
		if (!used || d->loaders[used - 1].id != d->loaders[i].id)
			d->loaders[used++] = d->loaders[i];
	d->count = used;
	return HPROF_OK;
}

static int compare_rows(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return a < b ? -1 : a > b;
}

enum hprof_status definers_read(struct definers *d,
				const struct hprof_graph *graph,
				const size_t *rows, size_t count,
				struct hprof_error *error)
{
	enum hprof_status status;
	size_t *classes, used = 0;

	*d = (struct definers){ 0 };
	status = take_loaders(d, graph, rows, count, error);
	if (status < 0 || !d->count)
		return status;
	classes = cli_calloc(d->count, sizeof(*classes));
	for (size_t i = 0; i < d->count; i++)
		classes[i] = d->loaders[i].class_row;
	qsort(classes, d->count, sizeof(*classes), compare_rows);
	for (size_t i = 0; i < d->count; i++)
		if (!used || classes[used - 1] != classes[i])
			classes[used++] = classes[i];
	status =
		hprof_merged_paths_read(graph, classes, used, &d->paths, error);
	free(classes);
	return status;
}

void definers_done(struct definers *d)
{
	hprof_merged_paths_free(d->paths);
	free(d->loaders);
	*d = (struct definers){ 0 };
}
