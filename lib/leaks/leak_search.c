/* SPDX-License-Identifier: MIT */
/*
 * leak_search.c - see leak_search.h.
 *
 * The search goes down from the roots. As long as one child retains most of
 * what its parent does, the culprit is further below. Where that ends, objects
 * pile up: this is the accumulation point. Three shapes need more care:
 *
 * - Class objects, loaders, threads and the roots as a whole hold many things
 *   that have nothing to do with each other. They are never accumulation
 *   points; each large child is followed, and small ones of one class are
 *   grouped.
 * - Links of a list or a tree hold each other, so that each retains most of
 *   what the one before it does. If one class recurs on the way down, the point
 *   is the first object of that class; unless most of it is in one place
 *   further below, as in a tree with one large branch.
 * - An object with large fields of different kinds is followed into each of them.
 */
#include "leaks/leak_search.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "leaks/leak_descent.h"
#include "leaks/leak_parts.h"
#include "report/name_keys.h"

/* ---- classes of objects -------------------------------------------------- */

static void find_containers(struct hp_leak_search *h,
			    const struct hprof_summary *summary)
{
	static const char *const names[] = { "java.lang.ClassLoader",
					     "java.lang.Thread",
					     "java.lang.ThreadGroup" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t super = hprof_heap_class_named(h->heap, names[i], 0);

		for (size_t row = 0;
		     super != SIZE_MAX && row < summary->class_count; row++)
			if (hprof_heap_class_is(h->heap, row, super))
				h->work->container[row] =
					i ? HP_LEAK_THREAD : HP_LEAK_LOADER;
	}
}

/* ---- suspects ------------------------------------------------------------ */

static void push_node(struct hp_leak_search_work *w, uint32_t node)
{
	if (hp_grow((void **)&w->todo, &w->todo_room, w->todo_count,
		    sizeof *w->todo) != HPROF_OK)
		w->no_memory = true;
	else
		w->todo[w->todo_count++] = node;
}

static void suspect(struct hp_leak_search *h, const struct hp_suspect *suspect)
{
	if (hp_grow((void **)&h->suspects, &h->room, h->count,
		    sizeof *h->suspects) != HPROF_OK)
		h->work->no_memory = true;
	else
		h->suspects[h->count++] = *suspect;
}

static void suspect_node(struct hp_leak_search *h, enum hprof_leak_kind kind,
			 uint32_t node, uint32_t about)
{
	struct hp_suspect one = { .kind = kind,
				  .point = node,
				  .about = about,
				  .retained = hp_leak_search_rest(h, node) };

	suspect(h, &one);
}

/* Pushes each large child of NODE, except those that are in a group. */
static void push_large(struct hp_leak_search *h, uint32_t node, bool grouped)
{
	const uint32_t *end, *child = hp_leak_search_children(h, node, &end);

	for (; child < end; child++)
		if (hp_leak_search_rest(h, *child) >= h->least &&
		    (!grouped ||
		     !h->work->by_class.items[hp_leak_search_key(h, *child)]
			      .count))
			push_node(h->work, *child);
}

/* ---- groups -------------------------------------------------------------- */

/*
 * Whether the children of NODE with KEY, which are counted, form a group. Large
 * ones are examined one by one, unless they are several threads, loaders or
 * classes, or many without a field for each.
 */
static bool is_group(struct hp_leak_search *h, uint32_t node, uint32_t key)
{
	const struct hp_children_by_class *s = &h->work->by_class.items[key];

	if (s->retained < h->least || s->count < 2)
		return false;
	if (s->large == 0)
		return true;
	if (hp_leak_search_is_container(h, s->largest))
		return s->large > 1;
	return s->large > 2 && !hp_leak_has_fields(h, node, key);
}

bool hp_leak_search_needs_origin(const struct hp_leak_search *h,
				 const struct hp_suspect *suspect)
{
	return suspect->kind == HPROF_LEAK_GROUP &&
	       suspect->dominator == HP_NO_NODE &&
	       !hp_leak_search_is_container(h, suspect->largest) &&
	       hprof_graph_retained(h->graph, suspect->largest) <
		       h->live / 100 * HP_LEAK_MEMBER_PERCENT;
}

/*
 * Looks for groups among the children of NODE. Afterwards the table of children
 * holds only those in groups, so that they are not examined again.
 */
static bool find_groups(struct hp_leak_search *h, uint32_t node)
{
	struct hp_children_by_class_table *all = &h->work->by_class;
	bool any = false;

	hp_leak_search_count_children(h, node);
	for (size_t i = 0; i < all->count; i++) {
		uint32_t key = all->keys[i];
		struct hp_children_by_class *same_class = &all->items[key];
		struct hp_suspect group = { .kind = HPROF_LEAK_GROUP,
					    .retained = same_class->retained,
					    .dominator = node,
					    .key = key,
					    .largest = same_class->largest,
					    .members = same_class->count };

		if (!is_group(h, node, key) ||
		    (h->least < h->threshold &&
		     hp_leak_search_needs_origin(h, &group))) {
			same_class->count = 0;
			continue;
		}
		any = true;
		suspect(h, &group);
	}
	return any;
}

/*
 * The point of a group is the accumulation point in its largest member, even if
 * that is small: nothing below it is examined on its own.
 */
static enum hprof_status find_points(struct hp_leak_search *h,
				     struct hprof_error *error)
{
	uint32_t *tops = hp_calloc(h->count + 1, sizeof *tops);
	enum hprof_status status;
	size_t count = 0;

	if (!tops)
		return hp_no_memory(error);
	for (size_t i = 0; i < h->count; i++)
		if (h->suspects[i].kind == HPROF_LEAK_GROUP)
			tops[count++] = h->suspects[i].largest;
	status = count ? hp_dominator_children_of_tops(
				 &h->work->below, h->graph, tops, count, error)
		       : HPROF_OK;
	hp_free(tops);
	HP_TRY(status);
	for (size_t i = 0; i < h->count; i++) {
		struct hp_suspect *group = &h->suspects[i];

		if (group->kind == HPROF_LEAK_GROUP)
			group->about = group->point =
				hp_leak_descend(
					h, group->largest,
					hp_leak_search_rest(h, group->largest) /
						2,
					false)
					.node;
	}
	return HPROF_OK;
}

/* ---- entry points -------------------------------------------------------- */

/*
 * The runtime's own loaders are no points: to hold everything is their purpose.
 * Neither is the only loader of its class, such as that of an application in
 * one file: it is one of several when an application was loaded again.
 */
static bool is_point(const struct hp_leak_search *h, uint32_t node)
{
	const struct hprof_summary *summary = hprof_heap_summary(h->heap);
	uint32_t kind = hp_graph_kind(h->graph, node);
	size_t row = hp_kind_row(kind);

	if (hp_kind_is_class(kind))
		return true;
	if (row < summary->class_count &&
	    h->work->container[row] == HP_LEAK_LOADER &&
	    (summary->class_rows[row].instances == 1 ||
	     h->least < h->threshold))
		return false;
	return !hp_class_is_runtime(hp_class_name(h->heap, row));
}

/*
 * Of a class that is a suspect although none of its statics is large enough to be one,
 * where it piles up in the static that has most of it; or the class.
 */
static uint32_t find_about(struct hp_leak_search *h, uint32_t node)
{
	uint32_t child = hp_leak_search_largest_child(h, node);

	if (!hp_kind_is_class(hp_graph_kind(h->graph, node)) ||
	    child == HP_NO_NODE ||
	    !hp_dominator_children_has(&h->work->large, child) ||
	    !hp_leak_is_most(hp_leak_search_rest(h, child),
			     hp_leak_search_rest(h, node)))
		return node;
	return hp_leak_descend(h, child, h->threshold / HP_LEAK_NEXT_PART + 1,
			       true)
		.node;
}

static void look_at_container(struct hp_leak_search *h, uint32_t node)
{
	size_t before = h->work->todo_count;
	bool any = find_groups(h, node);

	push_large(h, node, true);
	if (!any && node != HP_NO_NODE && h->work->todo_count == before &&
	    is_point(h, node))
		suspect_node(h, HPROF_LEAK_POINT, node, find_about(h, node));
}

/* Lists of classes, such as those in a loader, are no points either. */
static bool holds_classes(struct hp_leak_search *h, uint32_t node)
{
	uint32_t child = hp_leak_search_largest_child(h, node);

	return child != HP_NO_NODE &&
	       hp_kind_is_class(hp_graph_kind(h->graph, child));
}

static void look_at(struct hp_leak_search *h, uint32_t node)
{
	struct hp_leak_end end = hp_leak_descend(h, node, h->least, true);

	if (end.is_container ||
	    (end.kind == HPROF_LEAK_POINT && holds_classes(h, end.node)))
		look_at_container(h, end.node);
	else if (end.is_parted)
		push_large(h, end.node, false);
	else
		suspect_node(h, end.kind, end.node, end.node);
}

static int compare_suspects(const void *left, const void *right)
{
	const struct hp_suspect *a = left, *b = right;

	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

static enum hprof_status take_work(struct hp_leak_search *h,
				   const struct hprof_summary *summary)
{
	size_t keys = h->kind_count;
	struct hp_leak_search_work *w = h->work = hp_calloc(1, sizeof *w);

	if (!w)
		return HPROF_E_NOMEM;
	w->seen = hp_calloc(keys, sizeof *w->seen);
	w->container =
		hp_calloc(summary->class_count + 1, sizeof *w->container);
	h->key = hp_name_keys(summary);
	if (!w->seen || !w->container || !h->key)
		return HPROF_E_NOMEM;
	return hp_children_by_class_init(&w->by_class, keys);
}

static void set_threshold(struct hp_leak_search *h,
			  const struct hp_leak_limit *limit)
{
	const uint64_t million = 1000000;
	uint64_t share = limit->share ? limit->share : HP_LEAK_PERCENT * 10000;

	h->live = hprof_graph_totals(h->graph)->reachable_shallow;
	h->threshold =
		h->live / million * share + h->live % million * share / million;
	if (limit->bytes)
		h->threshold = limit->bytes;
	else if (!limit->share && h->threshold < HP_LEAK_BYTES)
		h->threshold = HP_LEAK_BYTES;
	if (!h->threshold)
		h->threshold = 1;
	h->least = h->threshold;
}

static enum hprof_status is_fine(const struct hp_leak_search *h,
				 struct hprof_error *error)
{
	return h->work->no_memory ? hp_no_memory(error) : h->work->failed;
}

/* Finds all suspects that retain search->least. */
static enum hprof_status search(struct hp_leak_search *h,
				struct hprof_error *error)
{
	size_t before = h->count;

	h->work->error = error;
	look_at_container(h, HP_NO_NODE);
	while (h->work->todo_count && !h->work->no_memory)
		look_at(h, h->work->todo[--h->work->todo_count]);
	HP_TRY(is_fine(h, error));
	if (h->count > before)
		qsort(h->suspects + before, h->count - before,
		      sizeof *h->suspects, compare_suspects);
	return HPROF_OK;
}

static enum hprof_status explain_group(struct hp_leak_search *h,
				       struct hp_suspect *group)
{
	const uint32_t *end,
		*child = hp_leak_search_children(h, group->dominator, &end);

	for (; child < end; child++)
		if (hp_leak_search_key(h, *child) == group->key)
			group->explains +=
				hp_leak_explained_mark(&h->explained, *child);
	return hp_leak_explained_note(&h->explained, group->dominator,
				      group->explains);
}

enum hprof_status hp_leak_search_explain(struct hp_leak_search *h, bool loose)
{
	enum hprof_status status = HPROF_OK;

	for (size_t i = 0; status == HPROF_OK && i < h->count; i++) {
		struct hp_suspect *s = &h->suspects[i];

		if (s->dropped || s->is_crowd ||
		    loose != hp_leak_search_needs_origin(h, s))
			continue;
		if (s->kind == HPROF_LEAK_GROUP)
			status = explain_group(h, s);
		else
			status = hp_leak_explained_add(&h->explained, s->point,
						       &s->explains);
	}
	return status;
}

enum hprof_status hp_leak_search_run(struct hp_leak_search *h,
				     const struct hp_look *look,
				     const struct hp_leak_limit *limit,
				     struct hprof_error *error)
{
	const struct hprof_summary *summary = hprof_heap_summary(look->heap);
	const struct hprof_graph *graph = look->graph;

	*h = (struct hp_leak_search){ .look = look,
				      .heap = look->heap,
				      .graph = graph };
	if (summary->class_count >= HP_KIND_CLASSES_MOST)
		return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
			       "too many classes");
	h->kind_count = hp_kind_count(summary->class_count);
	set_threshold(h, limit);
	if (take_work(h, summary) != HPROF_OK ||
	    hp_leak_explained_init(&h->explained, graph) != HPROF_OK)
		return hp_no_memory(error);
	find_containers(h, summary);
	HP_TRY(hp_dominator_children_of_large(&h->work->large, graph,
					      h->threshold / HP_LEAK_NEXT_PART,
					      error));
	HP_TRY(search(h, error));
	return find_points(h, error);
}

enum hprof_status hp_leak_search_next(struct hp_leak_search *h,
				      struct hprof_error *error)
{
	size_t count = h->count;

	h->least = h->threshold / HP_LEAK_NEXT_PART;
	if (!h->least)
		h->least = 1;
	HP_TRY(search(h, error));
	h->next_count = h->count - count;
	if (h->next_count > HP_LEAK_NEXT_LOOKS)
		h->next_count = HP_LEAK_NEXT_LOOKS;
	h->count = count;
	for (size_t i = 0; i < h->next_count; i++) {
		struct hp_suspect *s = &h->suspects[count + i];

		if (s->kind == HPROF_LEAK_GROUP)
			s->about = s->point = s->largest;
	}
	return HPROF_OK;
}

void hp_leak_search_done(struct hp_leak_search *h)
{
	struct hp_leak_search_work *w = h->work;

	if (w) {
		hp_dominator_children_done(&w->large);
		hp_dominator_children_done(&w->below);
		hp_children_by_class_done(&w->by_class);
		hp_free(w->seen);
		hp_free(w->path);
		hp_free(w->todo);
		hp_free(w->container);
		hp_free(w);
	}
	hp_leak_explained_done(&h->explained);
	hp_free(h->key);
	hp_free(h->suspects);
	*h = (struct hp_leak_search){ .work = NULL };
}
