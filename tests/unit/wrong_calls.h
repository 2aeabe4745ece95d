/* SPDX-License-Identifier: MIT */
/*
 * wrong_calls.h - calls of public functions with one wrong argument each.
 */
#ifndef WRONG_CALLS_H
#define WRONG_CALLS_H

#include <hprof.h>

/* The arguments of all calls: valid, except for what one row changes. */
struct good {
	struct hprof_heap *heap;
	const struct hprof_summary *summary; /* of the heap */
	const struct hprof_graph *graph;
	const struct hprof_graph *bare;	   /* without dominators and edges */
	const struct hprof_graph *foreign; /* of another heap */
	struct hprof_cursor *cursor;
	uint64_t none; /* a number that no object has */
	struct hprof_error *error;
	void *ret; /* where a call would return its result */
};

struct wrong_call {
	enum hprof_status (*call)(const struct good *good);
	const char *name, *argument; /* of the call, and what is wrong in it */
};

struct wrong_calls {
	const struct wrong_call *all;
	size_t count;
};
extern const struct wrong_calls wrong_dump_calls, wrong_graph_calls;

/* ---- for the two files that have them ------------------------------------ */

/* One call. */
#define CALL(name, ...)                                      \
	static enum hprof_status name(const struct good *g)  \
	{                                                    \
		void *ret = g->ret;                          \
		(void)ret;                                   \
		return __VA_ARGS__;                          \
	}

/* Its row. */
#define ROW(call, argument) { call, #call, argument }

/* Options with something in what is reserved. */
#define RESERVED(type) (&(const struct type){ sizeof(struct type), .reserved = { 1 } })

#endif
