/* SPDX-License-Identifier: MIT */
/*
 * arrow_export.h - columns as the structs of Arrow's C data interface.
 */
#ifndef HP_ARROW_EXPORT_H
#define HP_ARROW_EXPORT_H

#include "columns/column.h"
#include "hprof/arrow.h"

/*
 * The schema of a batch of these columns, and one batch, which takes over what
 * the rows of the columns take. HPROF_E_NOMEM: nothing has changed.
 */
enum hprof_status hp_arrow_schema(const struct hp_column *columns, size_t count,
				  struct ArrowSchema *ret_schema);
enum hprof_status hp_arrow_batch(struct hp_column *columns, size_t count,
				 size_t rows, struct ArrowArray *ret_array);

#endif
