/* SPDX-License-Identifier: MIT */
/*
 * object_kind.h - the kind of an object as one number: the class of which it is
 * an instance or array, or, for a class object, the class that it represents.
 *
 * Classes are rows of the summary; the row after the last one stands for
 * unknown classes. So tables by kind have hp_kind_count rows.
 */
#ifndef HP_OBJECT_KIND_H
#define HP_OBJECT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instances or arrays of the class at ROW. */
static inline uint32_t hp_kind_of_instances(size_t row)
{
	return 2 * (uint32_t)row;
}

/* The class object of the class at ROW. */
static inline uint32_t hp_kind_of_class(size_t row)
{
	return 2 * (uint32_t)row + 1;
}

static inline bool hp_kind_is_class(uint32_t kind)
{
	return kind & 1;
}

static inline size_t hp_kind_row(uint32_t kind)
{
	return kind >> 1;
}

/* All kinds are below it in a heap with CLASSES, of which there are fewer than
   HP_KIND_CLASSES_MOST. */
static inline uint32_t hp_kind_count(size_t classes)
{
	return 2 * ((uint32_t)classes + 1);
}
#define HP_KIND_CLASSES_MOST (UINT32_MAX / 2)

#endif
