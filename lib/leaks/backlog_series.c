/* SPDX-License-Identifier: MIT */
/*
 * backlog_series.c - undrained reference queues by the dozen, as each connection or cache
 * of a kind may have one: those of one owner's class and of references of one class are
 * told together, and what is more than fits, too.
 */
#include "leaks/backlog_work.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/same_text.h"

/* Queues that are alike. */
struct series {
	size_t first;	/* of them, that with most references */
	uint64_t count; /* of references */
	size_t number;	/* before they are sorted */
};

struct joining {
	struct hp_backlog_work *work;
	struct hprof_backlog *queues; /* among the work's items */
	size_t count;
	struct series *series;
	size_t series_count;
	size_t *of,
		*rank; /* of each queue its series; of each series its place */
};

/* ---- which are alike ----------------------------------------------------- */

static const char *most_class(const struct hprof_backlog *item)
{
	return item->class_count ? item->classes[0].name : NULL;
}

static bool is_alike(const struct hprof_backlog *a,
		     const struct hprof_backlog *b)
{
	return a->owner.kind == b->owner.kind &&
	       hp_same_text(a->owner.class_name, b->owner.class_name) &&
	       hp_same_text(most_class(a), most_class(b));
}

static void find_series(struct joining *j)
{
	for (size_t i = 0; i < j->count; i++) {
		size_t k = 0;

		while (k < j->series_count &&
		       !is_alike(&j->queues[j->series[k].first], &j->queues[i]))
			k++;
		if (k == j->series_count)
			j->series[j->series_count++] =
				(struct series){ .first = i, .number = k };
		j->of[i] = k;
		j->series[k].count += j->queues[i].count;
	}
}

static int compare_series(const void *left, const void *right)
{
	const struct series *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

/* ---- what is told -------------------------------------------------------- */

static void add_classes(struct hp_backlog_work *w,
			const struct hprof_backlog *queue)
{
	const size_t classes = hprof_heap_summary(w->look.heap)->class_count;

	for (size_t i = 0; i < queue->class_count; i++) {
		const struct hprof_set_row *row = &queue->classes[i];
		const size_t of =
			row->class_row < classes ? row->class_row : classes;
		struct hp_sum *sum =
			&w->sums[w->keys.key[hp_kind_of_instances(of)]];

		sum->objects += row->objects;
		sum->shallow += row->shallow;
		sum->retained += row->retained;
	}
}

/* Leaves in RET what line number LINE tells; the last has all that comes behind it. */
static enum hprof_status make_line(struct joining *j, size_t line, size_t lines,
				   struct hprof_backlog *ret)
{
	struct hp_backlog_work *w = j->work;

	*ret = j->queues[j->series[line].first];
	ret->count = ret->retained = ret->queues = 0;
	ret->mixed = line + 1 == lines && j->series_count > lines;
	for (size_t i = 0; i < j->count; i++) {
		size_t rank = j->rank[j->of[i]];

		if ((rank < lines ? rank : lines - 1) != line)
			continue;
		ret->count += j->queues[i].count;
		ret->retained += j->queues[i].retained;
		ret->queues++;
		add_classes(w, &j->queues[i]);
	}
	ret->classes = hp_set_rows(w->arena, w->sums, w->keys.names,
				   w->keys.count, &ret->class_count);
	hp_backlog_drop(w);
	return ret->classes ? HPROF_OK : HPROF_E_NOMEM;
}

/* Puts at most MOST lines in place of the queues. */
static enum hprof_status make_lines(struct joining *j, size_t most)
{
	struct hp_backlog_work *w = j->work;
	const size_t lines = j->series_count < most ? j->series_count : most;
	const struct hprof_backlog *end = w->items + w->count;
	const struct hprof_backlog *behind = j->queues + j->count;
	struct hprof_backlog *made = hp_calloc(lines, sizeof *made);
	enum hprof_status status = made ? HPROF_OK : HPROF_E_NOMEM;

	for (size_t i = 0; i < lines && status == HPROF_OK; i++)
		status = make_line(j, i, lines, &made[i]);
	for (size_t i = 0; i < lines && status == HPROF_OK; i++)
		j->queues[i] = made[i];
	for (size_t i = lines; status == HPROF_OK && behind < end; i++)
		j->queues[i] = *behind++;
	if (status == HPROF_OK)
		w->count -= j->count - lines;
	hp_free(made);
	return status;
}

static enum hprof_status join(struct joining *j, size_t most)
{
	j->series = hp_calloc(j->count, sizeof *j->series);
	j->of = hp_calloc(j->count, 2 * sizeof *j->of);
	if (!j->series || !j->of)
		return HPROF_E_NOMEM;
	j->rank = j->of + j->count;
	find_series(j);
	qsort(j->series, j->series_count, sizeof *j->series, compare_series);
	for (size_t i = 0; i < j->series_count; i++)
		j->rank[j->series[i].number] = i;
	return make_lines(j, most);
}

enum hprof_status hp_backlog_join_queues(struct hp_backlog_work *w, size_t most)
{
	struct joining j = { .work = w, .queues = w->items };
	const struct hprof_backlog *end;
	enum hprof_status status = HPROF_OK;

	if (w->count <= most)
		return HPROF_OK;
	end = w->items + w->count;
	while (j.queues < end && j.queues->kind != HPROF_BACKLOG_QUEUE)
		j.queues++;
	while (j.queues + j.count < end &&
	       j.queues[j.count].kind == HPROF_BACKLOG_QUEUE)
		j.count++;
	if (j.count > most)
		status = join(&j, most);
	hp_free(j.series);
	hp_free(j.of);
	return status;
}
