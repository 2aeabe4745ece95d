/* SPDX-License-Identifier: MIT */
/*
 * slow.h - dominators and retained sizes by what the words mean: take an
 * object away, and see what can no longer be reached. Right by definition,
 * and so slow that it is for small graphs only.
 */
#ifndef SLOW_H
#define SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOW_NONE = -1 };

struct slow_graph {
	int count;
	bool *edge; /* [from * count + to] */
	bool *root;
	uint64_t *size;
};

struct slow_answer {
	bool *reachable;
	int *dominator;	    /* SLOW_NONE: nobody */
	uint64_t *retained; /* 0 of what is out of reach */
};

struct slow_graph slow_new(int count);
void slow_free(struct slow_graph *graph);

/*
 * With UNREACHABLE also among the objects that no root reaches: the first
 * object of each group that nothing outside the group leads to is a root of
 * these.
 */
struct slow_answer slow_find(const struct slow_graph *graph,
			     bool unreachable);
void slow_answer_free(struct slow_answer *answer);

#endif
