/* SPDX-License-Identifier: MIT */
/*
 * class_kin.h - the classes of a name, and their subclasses. A dump may have any
 * number of classes of one name, and a statement asks about any number of objects:
 * so what is found out about a class is kept.
 */
#ifndef TOOLS_QUERY_CLASS_KIN_H
#define TOOLS_QUERY_CLASS_KIN_H

#include <hprof.h>

struct class_kin;

/* NAME is copied. NULL: no memory. Free it with class_kin_free. */
struct class_kin *class_kin_new(const struct hprof_heap *heap,
				const char *name);
void class_kin_free(void *kin);

/* Whether the class at ROW, or one above it, has the name. */
bool class_kin_has(struct class_kin *kin, size_t row);

#endif
