/* SPDX-License-Identifier: MIT */
/*
 * slow.h - dominators and retained sizes by definition: remove an object and
 * see which others can no longer be reached. Obviously right, but so slow that
 * it is only for small graphs.
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
	int *dominator;	    /* SLOW_NONE if there is none */
	uint64_t *retained; /* 0 for unreachable objects */
};

struct slow_graph slow_new(int count);
void slow_free(struct slow_graph *graph);

/*
 * With UNREACHABLE set, the objects that no root reaches have dominators too.
 * Their roots are the first objects of those strongly connected components
 * into which no edge leads from outside.
 */
struct slow_answer slow_find(const struct slow_graph *graph, bool unreachable);
void slow_answer_free(struct slow_answer *answer);

#endif
