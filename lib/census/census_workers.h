/* SPDX-License-Identifier: MIT */
/*
 * census_workers.h - threads that count units.
 */
#ifndef HP_CENSUS_WORKERS_H
#define HP_CENSUS_WORKERS_H

#include "census/census.h"

struct hp_census_workers;

/*
 * Returns NULL if memory runs out or no thread can be started. PARENT and
 * BEFORE must outlive the result. The state of OPS is a struct
 * hp_census_worker. EXTENTS: whether to record extents.
 */
struct hp_census_workers *
hp_census_workers_new(const struct hprof_reader *parent, unsigned threads,
		      const struct hp_before *before,
		      const struct hp_object_scan_ops *ops, bool extents);

/* Hands a unit to the threads. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_census_workers_add(struct hp_census_workers *counters,
					const struct hprof_unit *unit);

/* The total size of finished units; waits up to MS ms for more to finish. */
uint64_t hp_census_workers_wait(struct hp_census_workers *counters, unsigned ms,
				bool *ret_idle);

/*
 * Ends the threads and merges what they counted into INTO, in file order and
 * together with the caller's OWN runs (whose unit says where in the file they
 * are). False if a unit was not proved, or memory ran out: the caller must
 * count again without units.
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
