/* SPDX-License-Identifier: MIT */
/*
 * children.c - see children.h. A counting sort puts the numbers of all objects
 * into the order of their dominators.
 */
#include "tools/query/children.h"

#include <stdlib.h>

struct children {
	const struct hprof_graph *graph;
	uint64_t count;
	uint32_t *starts;  /* by dominator: where its children begin */
	uint32_t *objects; /* by dominator, then ascending */
};

/* The dominator of OBJECT, or one that is none. */
static uint64_t dominator(const struct children *c, uint64_t object)
{
	if (!hprof_graph_is_reachable(c->graph, object))
		return HPROF_NO_OBJECT;
	return hprof_graph_dominator(c->graph, object);
}

/* During the sort, starts[i + 1] is where the next child of i goes. */
static void sort_objects(struct children *c)
{
	uint32_t *next = c->starts + 1, sum = 0;

	for (uint64_t i = 0; i < c->count; i++)
		if (dominator(c, i) < c->count)
			next[dominator(c, i)]++;
	for (uint64_t i = 0; i < c->count; i++) {
		uint32_t here = next[i];

		next[i] = sum;
		sum += here;
	}
	for (uint64_t i = 0; i < c->count; i++)
		if (dominator(c, i) < c->count)
			c->objects[next[dominator(c, i)]++] = (uint32_t)i;
}

struct children *children_new(const struct hprof_graph *graph, uint64_t count)
{
	struct children *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->graph = graph;
	c->count = count;
	c->starts = calloc((size_t)count + 1, sizeof(*c->starts));
	c->objects = calloc((size_t)count + 1, sizeof(*c->objects));
	if (!c->starts || !c->objects) {
		children_free(c);
		return NULL;
	}
	sort_objects(c);
	return c;
}

void children_free(struct children *c)
{
	if (!c)
		return;
	free(c->starts);
	free(c->objects);
	free(c);
}

/* ---- the children of one ------------------------------------------------- */

struct child {
	uint64_t retained, object;
};

/* The largest first; of equal ones that with the lower number. */
static int compare(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (a->retained != b->retained)
		return a->retained > b->retained ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

bool children_put(const struct children *c, uint64_t of, struct object_set *set)
{
	uint64_t first = c->starts[of], count = c->starts[of + 1] - first;
	struct child *all = calloc((size_t)count + 1, sizeof(*all));
	bool good = all != NULL;

	object_set_done(set);
	for (uint64_t i = 0; good && i < count; i++) {
		all[i].object = c->objects[first + i];
		all[i].retained = hprof_graph_retained(c->graph, all[i].object);
	}
	if (good && count)
		qsort(all, (size_t)count, sizeof(*all), compare);
	for (uint64_t i = 0; good && i < count; i++)
		good = object_set_add(set, all[i].object);
	free(all);
	return good;
}
