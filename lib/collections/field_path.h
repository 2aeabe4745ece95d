/* SPDX-License-Identifier: MIT */
/*
 * field_path.h - fields by the names of forms.h: "a|b.c".
 */
#ifndef HP_FIELD_PATH_H
#define HP_FIELD_PATH_H

#include "hprof/heap.h"

/*
 * The field of instances of class ROW that the first component of PATH names,
 * as declared by the class at KNOWN or its superclasses (SIZE_MAX: by any).
 * *RET_REST is what follows its dot, or question mark, or NULL, up to the end of
 * the alternative.
 * Returns its index in the layout of the class, or SIZE_MAX. Of very many
 * fields only the first are looked through.
 */
size_t hp_field_path_first(const struct hprof_heap *heap, size_t row,
			   size_t known, const char *path,
			   struct hprof_field *ret_field,
			   const char **ret_rest);

/*
 * Reads the field at PATH of object OBJECT, and moves the cursor. HPROF_END:
 * there is no such field, or a reference on the way is null or dangling.
 */
enum hprof_status hp_field_path_read(struct hprof_cursor *cursor,
				     uint64_t object, size_t known,
				     const char *path,
				     struct hprof_field *ret_field);

#endif
