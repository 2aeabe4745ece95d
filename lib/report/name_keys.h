/* SPDX-License-Identifier: MIT */
/*
 * name_keys.h - classes by their names alone: those that several loaders have
 * defined count as one.
 */
#ifndef HP_NAME_KEYS_H
#define HP_NAME_KEYS_H

#include "hprof/report.h"

/*
 * Maps each kind (object_kind.h) to that of the first class with the same name,
 * so that classes of one name from several loaders count as one. Free with
 * hp_free; NULL without memory.
 */
uint32_t *hp_name_keys(const struct hprof_summary *summary);

#endif
