/* SPDX-License-Identifier: MIT */
/*
 * loader_holders.h - why class loaders are alive: paths to the first object of
 * each loader's own.
 */
#ifndef HP_LOADER_HOLDERS_H
#define HP_LOADER_HOLDERS_H

#include "hprof/leaks.h"
#include "report/root_paths.h"

struct hp_loader_holders {
	struct hp_root_paths *paths;
	struct hprof_loader_use *rows;
	size_t count;
	const size_t *row_of_class; /* of each class of the summary */
};

/* Fills path and owner_step of rows, as hprof/leaks.h has it. */
enum hprof_status hp_loader_holders_find(const struct hp_loader_holders *h,
					 struct hprof_error *error);

#endif
