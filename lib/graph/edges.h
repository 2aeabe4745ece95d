/* SPDX-License-Identifier: MIT */
/*
 * edges.h - the references between all objects of a heap, as numbers.
 *
 * Each object has a degree, one byte, and the targets of its references follow
 * those of the object before it, so that a walk in ascending order needs no
 * offsets. There are two exceptions. A run is what one thread wrote without a
 * gap; it states the row at which its targets begin. A list states the row and
 * the number of an object's targets: for objects with too many references for a
 * byte, and for class objects, whose references are read elsewhere.
 */
#ifndef HP_EDGES_H
#define HP_EDGES_H

#include "graph/block_sum.h"
#include "graph/build_context.h"
#include "graph/object_kind.h"

/* No object; as a referrer: several objects. */
#define HP_NONE UINT32_MAX

enum {
	HP_DEGREE_LIST = 255,  /* as a degree: see the list */
	HP_SHALLOW_LARGE = 255 /* as a size: see struct hp_large */
};

/* The targets of the objects from FIRST to the next run begin at row AT. */
struct hp_edge_run {
	uint32_t first;
	uint64_t at;
};

struct hp_edge_list {
	uint32_t from;
	bool apart; /* AT is a row of hp_edges.apart, not of hp_edges.target */
	uint64_t at, count;
};

/* An object whose size does not fit a byte of units. */
struct hp_large {
	uint32_t index;
	uint64_t size;
};

/* A reference object whose referent it does not hold. */
struct hp_edge_weak {
	uint32_t from;
	uint32_t to; /* HP_NONE: not in the dump, or still to be read */
};

struct hp_edges {
	uint32_t count; /* objects */
	unsigned unit;	/* of the sizes in shallow, in bytes */
	/*
	 * u32[count]: the only object that refers to this one, plus 1; 0 if
	 * there is none, HP_NONE if there are several, or it is a root.
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
	/* Runs by first, lists by from, larges by index: all ascend. */
	struct hp_edge_run *runs;
	size_t run_count;
	struct hp_edge_list *lists;
	size_t list_count;
	struct hp_large *larges;
	size_t large_count;
	/* Only if asked for; see strength.c for their order. */
	struct hp_edge_weak *weaks;
	size_t weak_count;
	uint64_t *roots;    /* a bit for each object */
	uint64_t size_bits; /* bitwise OR of all sizes */
	uint64_t shallow_total;
	uint64_t holding, weak, dangling; /* numbers of references */
	uint64_t stored;		  /* number of rows stored in target */
};

void hp_edges_done(struct hp_build *build, struct hp_edges *e);

/* The kind of OBJECT; see object_kind.h. */
static inline uint32_t hp_edges_kind(const struct hp_edges *e, uint32_t object)
{
	return e->wide_kinds ? ((const uint32_t *)e->kinds.at)[object]
			     : ((const uint16_t *)e->kinds.at)[object];
}

/* Shallow bytes of an object for which e->shallow has HP_SHALLOW_LARGE. */
uint64_t hp_edges_large(const struct hp_edges *e, uint32_t object);

/* Shallow bytes of OBJECT. */
static inline uint64_t hp_edges_shallow(const struct hp_edges *e,
					uint32_t object)
{
	const uint8_t units = ((const uint8_t *)e->shallow.at)[object];

	return units != HP_SHALLOW_LARGE ? (uint64_t)units * e->unit
					 : hp_edges_large(e, object);
}

/* Notes that FROM refers to TO. */
static inline void hp_edges_refer(uint32_t *referrer, uint32_t from,
				  uint32_t to)
{
	uint32_t old = referrer[to];

	if (from != to)
		referrer[to] = old == 0 || old == from + 1 ? from + 1 : HP_NONE;
}

/* Objects whose targets are taken at once; a word of bits has as many. */
enum { HP_EDGE_BLOCK = HP_BLOCK_SUMS };

/* A walk over all objects in ascending order. */
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

/* The targets of OBJECT, which must be the one after that of the last call. */
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

/* The list of E by which W has just passed OBJECT, or NULL. */
static inline struct hp_edge_list *
hp_edge_walk_passed(const struct hp_edge_walk *w, const struct hp_edges *e,
		    uint32_t object)
{
	const size_t after = (size_t)(w->list - e->lists);

	if (!after || e->lists[after - 1].from != object)
		return NULL;
	return &e->lists[after - 1];
}

/*
 * The walk comes to FIRST, where a block of objects may begin that it can pass at
 * once, as degrees tell where the targets of each are: true. These begin at row
 * w->at then, to which the caller has to add all of them. False if there is no such
 * block before END: hp_edge_walk_next goes on.
 */
static inline bool hp_edge_walk_enter_block(struct hp_edge_walk *w,
					    uint32_t first, uint32_t end)
{
	if (first % HP_EDGE_BLOCK || end - first < HP_EDGE_BLOCK)
		return false;
	if (w->run != w->run_end && w->run->first == first) {
		w->at = w->run->at;
		w->run++;
	}
	return (w->run == w->run_end ||
		w->run->first - first >= HP_EDGE_BLOCK) &&
	       hp_block_is_small(w->degree + first);
}

#endif
