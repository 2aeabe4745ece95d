/* SPDX-License-Identifier: MIT */
/*
 * thread_groups.c - see thread_groups.h.
 *
 * Threads are sorted by stack, so that like ones are neighbours; then the groups
 * by what --sort says.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/report/thread_groups.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Shorter names first: "pool-9" is before "pool-10". */
static int compare_names(const struct hprof_thread_row *a,
			 const struct hprof_thread_row *b)
{
	int order = compare_numbers(strlen(a->name), strlen(b->name));

	if (!order)
		order = compare_texts(a->name, b->name);
	return order ? order
		     : compare_numbers(a->thread_serial, b->thread_serial);
}

static int compare_frames(const struct hprof_stack_frame *a,
			  const struct hprof_stack_frame *b)
{
	int order = compare_numbers((uint32_t)a->line, (uint32_t)b->line);

	if (!order)
		order = compare_texts(a->method, b->method);
	if (!order)
		order = compare_texts(a->class_name, b->class_name);
	return order ? order : compare_texts(a->source, b->source);
}

static int compare_stacks(const struct hprof_thread_row *a,
			  const struct hprof_thread_row *b)
{
	int order = compare_numbers(a->frame_count, b->frame_count);

	if (!order)
		order = compare_numbers(a->has_details, b->has_details);
	if (!order && a->has_details)
		order = compare_numbers(a->status, b->status);
	for (size_t i = 0; !order && i < a->frame_count; i++)
		order = compare_frames(&a->frames[i], &b->frames[i]);
	return order;
}

static int compare_items(const void *left, const void *right)
{
	const struct thread_item *a = left, *b = right;
	int order = compare_stacks(a->row, b->row);

	return order ? order
		     : compare_numbers(a->row->thread_serial,
				       b->row->thread_serial);
}

/* ---- the groups ----------------------------------------------------------- */

static uint64_t retained_by(const struct thread_item *item)
{
	return item->locals ? item->locals->retained : 0;
}

static void add_to_group(struct thread_group *group,
			 const struct thread_item *item)
{
	if (!group->count || retained_by(item) > retained_by(group->most))
		group->most = item;
	if (!thread_has_name(item->row))
		group->nameless++;
	else if (!group->first)
		group->first = group->last = item->row;
	else if (compare_names(item->row, group->first) < 0)
		group->first = item->row;
	else if (compare_names(item->row, group->last) > 0)
		group->last = item->row;
	group->samples += item->samples;
	group->count++;
}

static int compare_objects(const void *left, const void *right)
{
	const struct hprof_object_info *const *a = left, *const *b = right;

	return compare_numbers((*a)->object, (*b)->object);
}

/* Classes are there without the threads that use them. */
static bool counts(const struct hprof_object_info *object)
{
	return object->object != HPROF_NO_OBJECT &&
	       object->kind != HPROF_OBJECT_CLASS;
}

static size_t count_held(const struct thread_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		if (group->items[i].locals)
			count += group->items[i].locals->count + 1;
	return count;
}

/* Roots have no dominators, so the sets that they retain are disjoint. */
static void add_up_retained(struct thread_group *group)
{
	const struct hprof_object_info **held;
	size_t count = 0;

	held = cli_calloc(count_held(group), sizeof(held[0]));
	for (size_t i = 0; i < group->count; i++) {
		const struct hprof_thread_locals *l = group->items[i].locals;

		if (l && counts(&l->thread))
			held[count++] = &l->thread;
		for (size_t k = 0; l && k < l->count; k++)
			if (counts(&l->rows[k].held))
				held[count++] = &l->rows[k].held;
	}
	if (count)
		qsort(held, count, sizeof(held[0]), compare_objects);
	for (size_t i = 0; i < count; i++)
		if (!i || held[i]->object != held[i - 1]->object)
			group->retained += held[i]->retained;
	free(held);
}

/* What --sort compares, then the order of the dump. */
static int compare_serials(const struct thread_group *a,
			   const struct thread_group *b)
{
	return compare_numbers(a->items[0].row->thread_serial,
			       b->items[0].row->thread_serial);
}

static int by_id(const void *left, const void *right)
{
	return compare_serials(left, right);
}

static int by_retained(const void *left, const void *right)
{
	const struct thread_group *a = left, *b = right;
	int order = compare_numbers(b->retained, a->retained);

	return order ? order : compare_serials(a, b);
}

static int by_cpu(const void *left, const void *right)
{
	const struct thread_group *a = left, *b = right;
	int order = compare_numbers(b->samples, a->samples);

	return order ? order : compare_serials(a, b);
}

static int by_name(const void *left, const void *right)
{
	const struct thread_group *a = left, *b = right;
	int order = compare_texts(a->first ? a->first->name : NULL,
				  b->first ? b->first->name : NULL);

	return order ? order : compare_serials(a, b);
}

static void sort_groups(struct thread_groups *groups, enum thread_sort sort)
{
	static int (*const orders[])(const void *, const void *) = {
		[THREAD_SORT_RETAINED] = by_retained,
		[THREAD_SORT_NAME] = by_name,
		[THREAD_SORT_CPU] = by_cpu,
		[THREAD_SORT_ID] = by_id,
	};

	if (groups->count)
		qsort(groups->items, groups->count, sizeof(groups->items[0]),
		      orders[sort]);
}

/* ---- CPU ------------------------------------------------------------------ */

static int compare_with_serial(const void *key, const void *item)
{
	return compare_numbers(
		*(const uint32_t *)key,
		((const struct thread_item *)item)->row->thread_serial);
}

/* ITEMS are in the order of their serial numbers. */
static void add_samples(struct thread_item *items, size_t count,
			const struct hprof_profile_section *section)
{
	for (size_t i = 0; i < section->row_count; i++) {
		const struct hprof_profile_row *row = &section->rows[i];
		struct thread_item *item =
			bsearch(&row->thread_serial, items, count,
				sizeof(*items), compare_with_serial);

		if (item)
			item->samples += row->samples;
	}
}

bool thread_groups_have_cpu(const struct hprof_profile_table *profile)
{
	for (size_t i = 0; profile && i < profile->count; i++)
		for (size_t k = 0; k < profile->sections[i].row_count; k++)
			if (profile->sections[i].rows[k].thread_serial &&
			    profile->sections[i].rows[k].samples)
				return true;
	return false;
}

static int compare_serial(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct hprof_thread_locals *)item)->thread_serial;

	return (a > b) - (a < b);
}

const struct hprof_thread_locals *
render_find_locals(const struct hprof_thread_locals_table *locals,
		   const struct hprof_thread_table *threads, size_t row)
{
	const struct hprof_thread_row *at = &threads->rows[row];
	const struct hprof_thread_locals *found;
	bool first = !row || at[-1].thread_serial != at->thread_serial;

	if (!locals || !locals->count)
		return NULL;
	found = bsearch(&at->thread_serial, locals->threads, locals->count,
			sizeof(locals->threads[0]), compare_serial);
	if (found && found->thread.object != HPROF_NO_OBJECT)
		first = found->thread.id == at->object_id;
	return first ? found : NULL;
}

static void take_threads(struct thread_groups *groups,
			 const struct report *report)
{
	const struct hprof_profile_table *profile = report->cpu;
	size_t count = report->threads->count;

	groups->threads = cli_calloc(count, sizeof(groups->threads[0]));
	for (size_t i = 0; i < count; i++) {
		struct thread_item *item = &groups->threads[i];

		item->row = &report->threads->rows[i];
		item->locals =
			render_find_locals(report->locals, report->threads, i);
	}
	for (size_t i = 0; count && profile && i < profile->count; i++)
		add_samples(groups->threads, count, &profile->sections[i]);
	if (count)
		qsort(groups->threads, count, sizeof(groups->threads[0]),
		      compare_items);
}

struct thread_groups thread_groups_make(const struct report *report)
{
	size_t count = report->threads->count;
	struct thread_groups groups = { 0 };

	take_threads(&groups, report);
	groups.items = cli_calloc(count, sizeof(groups.items[0]));
	for (size_t i = 0; i < count; i++) {
		struct thread_item *item = &groups.threads[i];

		if (!i || compare_stacks(item[-1].row, item->row))
			groups.items[groups.count++].items = item;
		add_to_group(&groups.items[groups.count - 1], item);
	}
	for (size_t i = 0; i < groups.count; i++)
		add_up_retained(&groups.items[i]);
	sort_groups(&groups, report->thread_sort);
	return groups;
}

void thread_groups_done(struct thread_groups *groups)
{
	free(groups->items);
	free(groups->threads);
}
