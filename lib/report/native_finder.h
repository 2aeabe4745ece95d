/* SPDX-License-Identifier: MIT */
/*
 * native_finder.h - the object of a class with a rule of native_objects.c, and
 * its fields, which JDKs and libraries name differently.
 */
#ifndef HP_NATIVE_FINDER_H
#define HP_NATIVE_FINDER_H

#include "report/native_objects.h"

/* No piece is larger: segments can claim the whole address space. */
#define HP_NATIVE_MOST (UINT64_C(1) << 47)

struct hp_native_finder {
	struct hp_natives *to;
	struct hprof_cursor *cursor;
	uint8_t *class_rule; /* by class row: index of its rule + 1, or 0 */
	uint64_t at;	     /* object that is looked at */
};

/* Looks at the object AT, where the cursor is. */
typedef enum hprof_status hp_native_find_fn(struct hp_native_finder *f);

/*
 * The value of the first of the fields NAME and OTHER (may be NULL) that the
 * cursor's object has. HPROF_END: it has neither.
 */
enum hprof_status hp_native_get(struct hp_native_finder *f, const char *name,
				const char *other, uint64_t *ret_value);

/* The same, with 0 for a field that is missing. */
enum hprof_status hp_native_get_or_0(struct hp_native_finder *f,
				     const char *name, const char *other,
				     uint64_t *ret_value);

enum hprof_status hp_native_seek(struct hp_native_finder *f, uint64_t object);

/* Moves to what a field refers to. HPROF_END: nothing that is in the dump. */
enum hprof_status hp_native_follow(struct hp_native_finder *f, const char *name,
				   const char *other, struct hprof_object *ret);

#endif
