/* SPDX-License-Identifier: MIT */
/*
 * summary.h - the inside of struct hprof_summary.
 */
#ifndef HP_SUMMARY_H
#define HP_SUMMARY_H

#include "census/census.h"
#include "census/class_table.h"

struct hprof_summary_impl {
	struct hp_census census;
	struct hp_class_table classes;
	uint32_t *row_class; /* of each row the place in CLASSES */
};

/* hprof_summary_read; EXTENTS: with census.extents. */
enum hprof_status hp_summary_read(const struct hprof_input *input,
				  const struct hprof_summary_options *options,
				  bool extents,
				  struct hprof_summary **ret_summary,
				  struct hprof_error *ret_error);

/*
 * The dump's bytes again, with pread: the file itself, or the copy of a
 * stream, then *RET_COPY is the caller's to close (else NULL; also after a
 * failure). HPROF_E_UNSUPPORTED: no copy was kept.
 */
enum hprof_status hp_summary_bytes(const struct hprof_summary *summary,
				   struct hprof_reader **ret_copy,
				   const struct hprof_reader **ret_parent,
				   struct hprof_error *error);

#endif
