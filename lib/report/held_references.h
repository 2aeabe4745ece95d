/* SPDX-License-Identifier: MIT */
/*
 * held_references.h - whether one object holds another one, or how many of
 * several, by references of its own.
 */
#ifndef HP_HELD_REFERENCES_H
#define HP_HELD_REFERENCES_H

#include "report/object_info.h"

/* Whether FROM refers to TO in a way that holds. */
enum hprof_status hp_look_refers(const struct hp_look *look, uint64_t from,
				 uint64_t to, bool *ret_refers,
				 struct hprof_error *error);

/*
 * Counts to how many of COUNT ascending objects FROM has references that hold.
 */
enum hprof_status hp_look_count_held(const struct hp_look *look, uint64_t from,
				     const uint32_t *objects, size_t count,
				     size_t *ret_count,
				     struct hprof_error *error);

#endif
