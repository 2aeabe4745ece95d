/* SPDX-License-Identifier: MIT */
/*
 * instance_sizes.h - the size of an instance of each class in HotSpot, by its
 * rules and by the distances between objects.
 */
#ifndef HP_INSTANCE_SIZES_H
#define HP_INSTANCE_SIZES_H

#include "census/class_table.h"
#include "layout/object_layout.h"

/*
 * Sets the members instance and measured of each class whose layout is known.
 * With MEASURED, distances between objects are used as sizes; otherwise only
 * the rules count. ENDS are those of hp_object_layout_place. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_instance_sizes(struct hp_class_table *classes,
				    const struct hp_object_layout *layout,
				    bool measured, const uint64_t *ends);

#endif
