/* SPDX-License-Identifier: MIT */
/*
 * retained_sizes.h - retained sizes of all objects, by what dominates them.
 */
#ifndef HP_RETAINED_SIZES_H
#define HP_RETAINED_SIZES_H

#include "graph/graph_reduce.h"

struct hp_retained_sizes {
	/*
	 * u32[count], in place of hp_edges.referrer: the dominator plus 1, or
	 * 0.
	 */
	struct hp_mapped_table dominator;
	struct hp_mapped_table
		retained; /* in units: u32[count], or u64 if wide */
	bool wide;
	unsigned unit;
	uint64_t *reachable; /* bits */
	uint64_t reachable_count;
};

/*
 * Takes over the referrers of EDGES, and frees tables of REDUCTION. Unreachable
 * objects have a dominator and a size only with DOM->heads; otherwise their values
 * are meaningless. REACHED, or NULL, is run when it is known what is reachable: from
 * then on that, and the dominators of objects with one referrer, stay as they are.
 */
enum hprof_status hp_retained_sizes_find(struct hp_build *build,
					 struct hp_edges *edges,
					 struct hp_reduction *reduction,
					 struct hp_dominators *dom,
					 struct hp_beside *reached,
					 struct hp_retained_sizes *ret_sizes);
void hp_retained_sizes_done(struct hp_build *build,
			    struct hp_retained_sizes *sizes);

static inline uint64_t
hp_retained_sizes_retained(const struct hp_retained_sizes *s, uint32_t i)
{
	uint64_t units = s->wide ? ((const uint64_t *)s->retained.at)[i]
				 : ((const uint32_t *)s->retained.at)[i];

	return units * s->unit;
}

/* What dominates object I, or HP_NONE. */
static inline uint32_t
hp_retained_sizes_dominator(const struct hp_retained_sizes *s, uint32_t i)
{
	return ((const uint32_t *)s->dominator.at)[i] - 1;
}

/*
 * Whether one of the HP_RETAINED_BLOCK objects from FROM on retains at least
 * LEAST units: quick to tell, many objects at a time.
 */
enum { HP_RETAINED_BLOCK = 64 };
bool hp_retained_sizes_any(const struct hp_retained_sizes *sizes, uint32_t from,
			   uint64_t least);

/*
 * The first object from I on that retains at least LEAST bytes, reachable or
 * not; END if there is none before END.
 */
uint32_t hp_retained_sizes_next(const struct hp_build *build,
				const struct hp_retained_sizes *sizes,
				uint32_t i, uint32_t end, uint64_t least);

#endif
