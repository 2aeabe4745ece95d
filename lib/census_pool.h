/*
 * census_pool.h - threads that count units.
 */
#ifndef HP_CENSUS_POOL_H
#define HP_CENSUS_POOL_H

#include "census.h"
#include "diaglist.h"

struct hp_pool;

/* NULL without memory or threads. PARENT and BEFORE must outlive it. */
struct hp_pool *hp_pool_new(const struct hprof_reader *parent,
			    unsigned threads, const struct hp_before *before);

/* Hands a unit to the threads. 0, or -1 without memory. */
int hp_pool_add(struct hp_pool *pool, const struct hprof_unit *unit);

/* Bytes of units that are done; waits up to MS for more. */
uint64_t hp_pool_wait(struct hp_pool *pool, unsigned ms, bool *ret_idle);

/*
 * Ends the threads and joins their tallies, in file order, with RUNS of the
 * caller's own (its unit is where it stands in the file). False if a unit was
 * not proved, or memory ran out: count again without units.
 */
struct hp_run {
	struct hprof_unit unit;
	struct hp_cursor edge;
	struct hp_diaglist diagnostics;
	bool proved;
};
bool hp_pool_finish(struct hp_pool *pool, struct hp_tally *into,
		    struct hp_run *own, size_t own_count,
		    struct hp_diaglist *diagnostics);

void hp_pool_free(struct hp_pool *pool);

#endif
