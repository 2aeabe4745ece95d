/* SPDX-License-Identifier: MIT */
/*
 * census_cache.h - what a census has counted, to and from a cache file.
 *
 * Names are not in it: they are outside of the heap records and quickly read
 * again.
 */
#ifndef HP_CENSUS_CACHE_H
#define HP_CENSUS_CACHE_H

#include "base/cache_file.h"
#include "census/object_count.h"
#include "base/diag_list.h"
#include "census/object_scan.h"

enum {
	HP_CACHED_TOTALS,
	HP_CACHED_SLOTS,
	HP_CACHED_RESIDUES,
	HP_CACHED_CLASSES,
	HP_CACHED_THREADS,
	HP_CACHED_MARKS,
	HP_CACHED_DIAGNOSTICS,
	HP_CACHED_TEXTS,
	HP_CACHED_EXTENTS,
	HP_CACHED_CENSUS_END /* the number of the next table */
};

/* TALLY and LIST are finalized. Writes the first tables of a file. */
void hp_census_save(const struct hp_tally *tally,
		    const struct hp_diag_list *list,
		    const struct hp_extents *extents,
		    struct hp_cache_writer *writer);

/*
 * Adds to TALLY, LIST and EXTENTS, which are as after their creation. False: no
 * memory, or what is in the file cannot be; then they are only to be freed.
 */
bool hp_census_restore(const struct hp_cache_map *map, struct hp_tally *tally,
		       struct hp_diag_list *list, struct hp_extents *extents);

#endif
