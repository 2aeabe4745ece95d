/* SPDX-License-Identifier: MIT */
/* leak_reasons.h - why the loaders of a crowd are alive. */
#ifndef HP_LEAK_REASONS_H
#define HP_LEAK_REASONS_H

#include "hprof/leaks.h"
#include "leaks/leak_crowds.h"

/* Finds LEAK's reasons, if they are near enough to the roots. */
enum hprof_status hp_leak_reasons_find(struct hp_root_paths *paths,
				       const struct hp_leak_crowd *crowd,
				       struct hprof_leak *leak,
				       struct hprof_error *error);

#endif
