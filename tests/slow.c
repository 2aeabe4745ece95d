/* SPDX-License-Identifier: MIT */
/*
 * slow.c - see slow.h.
 */
#include "slow.h"

#include <stdlib.h>
#include <string.h>

struct slow_graph slow_new(int count)
{
	size_t n = (size_t)count + 1;

	return (struct slow_graph){ count, calloc(n * n, sizeof(bool)),
				    calloc(n, sizeof(bool)),
				    calloc(n, sizeof(uint64_t)) };
}

void slow_free(struct slow_graph *graph)
{
	free(graph->edge);
	free(graph->root);
	free(graph->size);
}

/* The objects of AMONG that ROOTS reach if WITHOUT is removed. */
static void reach(const struct slow_graph *g, const bool *roots,
		  const bool *among, int without, bool *ret)
{
	int *todo = malloc(((size_t)g->count + 1) * sizeof *todo), left = 0;

	for (int i = 0; i < g->count; i++) {
		ret[i] = roots[i] && among[i] && i != without;
		if (ret[i])
			todo[left++] = i;
	}
	while (left > 0) {
		const bool *edge =
			&g->edge[(size_t)todo[--left] * (size_t)g->count];
		for (int to = 0; to < g->count; to++) {
			if (!edge[to] || !among[to] || ret[to] || to == without)
				continue;
			ret[to] = true;
			todo[left++] = to;
		}
	}
	free(todo);
}

/* Dominators and retained sizes of AMONG, all of which ROOTS reach. */
static void answer(const struct slow_graph *g, const bool *roots,
		   const bool *among, struct slow_answer *a)
{
	size_t n = (size_t)g->count;
	bool *dominates = calloc(n * n + 1, sizeof(bool));
	bool *left = calloc(n + 1, sizeof(bool));
	int *depth = calloc(n + 1, sizeof(int));

	for (size_t v = 0; v < n; v++) {
		if (!among[v])
			continue;
		reach(g, roots, among, (int)v, left);
		for (size_t w = 0; w < n; w++) {
			if (!among[w] || left[w])
				continue;
			dominates[v * n + w] = true;
			depth[w]++;
			a->retained[v] += g->size[w];
		}
	}
	/*
	 * The dominators of an object form a chain; the immediate one has one
	 * dominator less than the object.
	 */
	for (size_t v = 0; v < n; v++)
		for (size_t w = 0; w < n; w++)
			if (v != w && dominates[v * n + w] &&
			    depth[v] == depth[w] - 1)
				a->dominator[w] = (int)v;
	free(dominates);
	free(left);
	free(depth);
}

/* The first object of each component of AMONG without edges into it. */
static void find_heads(const struct slow_graph *g, const bool *among,
		       bool *heads)
{
	size_t n = (size_t)g->count;
	bool *reaches = calloc(n * n + 1, sizeof(bool));
	bool *one = calloc(n + 1, sizeof(bool));

	for (size_t v = 0; v < n; v++) {
		memset(one, 0, n);
		one[v] = among[v];
		reach(g, one, among, SLOW_NONE, &reaches[v * n]);
	}
	for (size_t v = 0; v < n; v++) {
		heads[v] = among[v];
		for (size_t w = 0; w < n; w++)
			if (w != v && reaches[w * n + v] &&
			    (!reaches[v * n + w] || w < v))
				heads[v] = false;
	}
	free(reaches);
	free(one);
}

struct slow_answer slow_find(const struct slow_graph *g, bool unreachable)
{
	size_t n = (size_t)g->count + 1;
	struct slow_answer a = { calloc(n, sizeof(bool)),
				 calloc(n, sizeof(int)),
				 calloc(n, sizeof(uint64_t)) };
	bool *all = calloc(n, sizeof(bool)), *heads = calloc(n, sizeof(bool));

	for (int i = 0; i < g->count; i++) {
		all[i] = true;
		a.dominator[i] = SLOW_NONE;
	}
	reach(g, g->root, all, SLOW_NONE, a.reachable);
	answer(g, g->root, a.reachable, &a);
	if (unreachable) {
		for (int i = 0; i < g->count; i++)
			all[i] = !a.reachable[i];
		find_heads(g, all, heads);
		answer(g, heads, all, &a);
	}
	free(all);
	free(heads);
	return a;
}

void slow_answer_free(struct slow_answer *a)
{
	free(a->reachable);
	free(a->dominator);
	free(a->retained);
}
