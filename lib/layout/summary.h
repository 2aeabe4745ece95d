/* SPDX-License-Identifier: MIT */
/* summary.h - the internals of struct hprof_summary. */
#ifndef HP_SUMMARY_H
#define HP_SUMMARY_H

#include "census/census.h"
#include "census/class_table.h"

struct hprof_summary_impl {
	struct hp_census census;
	struct hp_class_table classes;
	uint32_t *row_class; /* index in CLASSES of each row */
};

/*
 * hprof_summary_read; EXTENTS: with census.extents. CACHED: see hp_census_run.
 */
enum hprof_status hp_summary_read(const struct hprof_input *input,
				  const struct hprof_summary_options *options,
				  bool extents,
				  const struct hp_cache_map *cached,
				  struct hprof_summary **ret_summary,
				  struct hprof_error *ret_error);

/*
 * Gives access to the dump's bytes again, with pread: to the file itself, or to
 * the copy of a stream; then the caller closes *RET_COPY, even after a failure
 * (otherwise it is NULL). HPROF_E_UNSUPPORTED: no copy was kept.
 */
enum hprof_status hp_summary_bytes(const struct hprof_summary *summary,
				   struct hprof_reader **ret_copy,
				   const struct hprof_reader **ret_parent,
				   struct hprof_error *error);

#endif
