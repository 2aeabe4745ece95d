/*
 * census_workers.h - threads that count units.
 */
#ifndef HP_CENSUS_WORKERS_H
#define HP_CENSUS_WORKERS_H

#include "census/census.h"

struct hp_counters;

/*
 * NULL without memory or threads. PARENT and BEFORE must outlive it. EXTENTS:
 * note them.
 */
struct hp_counters *hp_counters_new(const struct hprof_reader *parent,
				    unsigned threads,
				    const struct hp_before *before,
				    bool extents);

/* Hands a unit to the threads. 0, or -1 without memory. */
int hp_counters_add(struct hp_counters *counters,
		    const struct hprof_unit *unit);

/* Bytes of units that are done; waits up to MS for more. */
uint64_t hp_counters_wait(struct hp_counters *counters, unsigned ms,
			  bool *ret_idle);

/*
 * Ends the threads and joins what they counted, in file order, with OWN runs
 * of the caller (their unit is where they stand in the file), in INTO. False
 * if a unit was not proved, or memory ran out: count again without units.
 */
struct hp_run {
	struct hprof_unit unit;
	struct hp_cursor edge;
	struct hp_diaglist diagnostics;
};
bool hp_counters_finish(struct hp_counters *counters, struct hp_census *into,
			struct hp_run *own, size_t own_count);

void hp_counters_free(struct hp_counters *counters);

#endif
