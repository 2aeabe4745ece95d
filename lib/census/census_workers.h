/* SPDX-License-Identifier: MIT */
/*
 * census_workers.h - threads that count units.
 */
#ifndef HP_CENSUS_WORKERS_H
#define HP_CENSUS_WORKERS_H

#include "census/census.h"

struct hp_census_workers;

/*
 * NULL without memory or threads. PARENT and BEFORE must outlive it. OPS count
 * with a struct hp_census_worker as their state. EXTENTS: note them.
 */
struct hp_census_workers *
hp_census_workers_new(const struct hprof_reader *parent, unsigned threads,
		      const struct hp_before *before,
		      const struct hp_object_scan_ops *ops, bool extents);

/* Hands a unit to the threads. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_census_workers_add(struct hp_census_workers *counters,
					const struct hprof_unit *unit);

/* Bytes of units that are done; waits up to MS for more. */
uint64_t hp_census_workers_wait(struct hp_census_workers *counters, unsigned ms,
				bool *ret_idle);

/*
 * Ends the threads and joins what they counted, in file order, with OWN runs
 * of the caller (their unit is where they stand in the file), in INTO. False
 * if a unit was not proved, or memory ran out: count again without units.
 */
struct hp_run {
	struct hprof_unit unit;
	struct hp_last_object edge;
	struct hp_diag_list diagnostics;
};
bool hp_census_workers_finish(struct hp_census_workers *counters,
			      struct hp_census *into, struct hp_run *own,
			      size_t own_count);

void hp_census_workers_free(struct hp_census_workers *counters);

#endif
