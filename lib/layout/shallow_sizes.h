/* SPDX-License-Identifier: MIT */
/*
 * shallow_sizes.h - shallow sizes of objects and classes, by a convention.
 */
#ifndef HP_SHALLOW_SIZES_H
#define HP_SHALLOW_SIZES_H

#include "census/class_table.h"

/*
 * Finds out how the JVM laid out its objects (except for what OPTIONS
 * prescribe) and computes all sizes accordingly. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_sizes_assign(struct hp_class_table *c,
				  const struct hprof_summary_options *options,
				  struct hprof_size_convention *ret);

/*
 * Computes all sizes by the convention LIKE of another dump, without measuring
 * anything. LIKE must have an alignment. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_sizes_like(struct hp_class_table *c,
				const struct hprof_size_convention *like,
				struct hprof_size_convention *ret);

/* The bytes of a class object by the convention; 0 without java.lang.Class. */
uint64_t hp_sizes_mirror(const struct hp_class_table *c,
			 const struct hp_class_info *info,
			 const struct hprof_size_convention *convention);

/*
 * The bytes of an array of LENGTH elements of TYPE. PRIMS: it is a primitive
 * array (damaged ones may have HPROF_TYPE_OBJECT).
 */
uint64_t hp_sizes_array(const struct hprof_size_convention *convention,
			unsigned id_size, bool prims, unsigned type,
			uint64_t length);

#endif
