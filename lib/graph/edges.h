/* SPDX-License-Identifier: MIT */
/*
 * edges.h - the references between all objects of a heap, as numbers.
 *
 * Objects in ascending order have a byte of degree and that many targets,
 * one object's behind the other's. That order is broken by runs (what one
 * thread wrote) and lists (long ones, and those of class objects, which lie
 * elsewhere in the file).
 */
#ifndef HP_EDGES_H
#define HP_EDGES_H

#include "graph/build_context.h"
#include "graph/object_kind.h"

/* No object; as a referrer: several. */
#define HP_NONE UINT32_MAX

enum {
	HP_DEGREE_LIST = 255, /* this degree and more are in a list */
	HP_SHALLOW_LARGE = 255
};

/* Objects from FIRST up to the next run have their targets from AT on. */
struct hp_edge_run {
	uint32_t first;
	uint64_t at;
};

struct hp_edge_list {
	uint32_t from;
	bool apart; /* in hp_edges.apart, not hp_edges.target */
	uint64_t at, count;
};

struct hp_large {
	uint32_t index;
	uint64_t size;
};

struct hp_edges {
	uint32_t count; /* objects */
	unsigned unit;	/* of the sizes in shallow */
	/*
	 * u32[count]: the one object that refers to this one, plus 1; 0:
	 * nobody; HP_NONE: several, or a root.
	 */
	struct hp_mapped_table referrer;
	struct hp_mapped_table degree; /* u8[count] */
	struct hp_mapped_table target; /* u32; HP_NONE: a dangling reference */
	struct hp_mapped_table
		shallow; /* u8[count]: units, or HP_SHALLOW_LARGE */
	/* The kind of each object: u16[count], or u32 if wide_kinds. */
	struct hp_mapped_table kinds;
	bool wide_kinds;
	uint64_t target_count; /* rows of target in use */
	uint32_t *apart;
	uint64_t apart_count;
	/* Ascending. */
	struct hp_edge_run *runs;
	size_t run_count;
	struct hp_edge_list *lists;
	size_t list_count;
	struct hp_large *larges;
	size_t large_count;
	uint64_t *roots;    /* bits of objects */
	uint64_t size_bits; /* all sizes or-ed */
	uint64_t shallow_total;
	uint64_t holding, weak, dangling; /* references */
	uint64_t stored;		  /* of these in target */
};

void hp_edges_done(struct hp_build *build, struct hp_edges *e);

/* FROM refers to TO. */
static inline void hp_edges_refer(uint32_t *referrer, uint32_t from,
				  uint32_t to)
{
	uint32_t old = referrer[to];

	if (from != to)
		referrer[to] = old == 0 || old == from + 1 ? from + 1 : HP_NONE;
}

/* Through all objects in ascending order. */
struct hp_edge_walk {
	const uint8_t *degree;
	const uint32_t *target, *apart;
	const struct hp_edge_run *run, *run_end;
	const struct hp_edge_list *list, *list_end;
	uint64_t at;
};

struct hp_edge_walk hp_edge_walk_begin(const struct hp_edges *e);
uint64_t hp_edge_walk_list(struct hp_edge_walk *w, uint32_t object,
			   const uint32_t **ret_targets);

/* The targets of OBJECT, the one behind that of the last call. */
static inline uint64_t hp_edge_walk_next(struct hp_edge_walk *w,
					 uint32_t object,
					 const uint32_t **ret_targets)
{
	unsigned degree = w->degree[object];

	if (w->run != w->run_end && w->run->first == object) {
		w->at = w->run->at;
		w->run++;
	}
	if (degree == HP_DEGREE_LIST)
		return hp_edge_walk_list(w, object, ret_targets);
	*ret_targets = w->target + w->at;
	w->at += degree;
	return degree;
}

#endif
