/* SPDX-License-Identifier: MIT */
/*
 * leak_buffers.h - objects of the runtime that are little more than an array of
 * characters or bytes: strings, their builders, streams into memory.
 */
#ifndef HP_LEAK_BUFFERS_H
#define HP_LEAK_BUFFERS_H

#include "report/object_info.h"

/* Whether INFO is one, or extends one. */
bool hp_leak_is_buffer(const struct hp_look *look,
		       const struct hprof_object_info *info);

/*
 * How much the buffer INFO, whose array is ARRAY, has in it, and of what: "char" or
 * "byte".
 */
enum hprof_status hp_leak_buffer_read(const struct hp_look *look,
				      const struct hprof_object_info *info,
				      const struct hprof_object_info *array,
				      uint64_t *ret_count,
				      const char **ret_element,
				      struct hprof_error *error);

#endif
