/* SPDX-License-Identifier: MIT */
/*
 * census.h - one pass over a dump with one or several threads.
 */
#ifndef HP_CENSUS_H
#define HP_CENSUS_H

#include "base/cache_file.h"
#include "census/object_count.h"
#include "base/diag_list.h"
#include "census/object_scan.h"
#include "model/name_table.h"

struct hp_census {
	struct hprof_reader *reader; /* at the end; for info and rereading */
	struct hp_name_table symbols;
	struct hp_tally tally;
	struct hp_diag_list diagnostics;
	uint64_t *mirrors; /* class ids known before the first object */
	struct hp_before before;
	struct hp_extents extents; /* if requested; finalized */
	/*
	 * With extents: the ids of all objects except class objects. NULL: they
	 * are not multiples of HP_IDS_UNIT, or too far apart, or not unique.
	 */
	struct hp_id_index_build *build;
	/* Tally, diagnostics and extents are from a cache, and final. */
	bool restored;
};

/*
 * Reads INPUT, which hp_input_take has checked. With CACHED (NULL: none), a
 * file that has what was counted before, only what is between the heap records
 * is read. Call hp_census_done afterwards, even after a failure.
 */
enum hprof_status hp_census_run(struct hp_census *census,
				const struct hprof_input *input,
				const struct hprof_summary_options *options,
				bool extents, const struct hp_cache_map *cached,
				struct hprof_error *error);
void hp_census_done(struct hp_census *census);

/* The state of a counting thread. */
struct hp_census_worker {
	struct hp_tally *tally;
	struct hp_name_table *symbols; /* NULL in threads that count units */
};

#endif
