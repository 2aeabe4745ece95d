/* SPDX-License-Identifier: MIT */
/*
 * diff_name.h - at which characters of a name a mark of something generated may
 * begin. Only there it is held against all marks.
 */
#ifndef HP_DIFF_NAME_H
#define HP_DIFF_NAME_H

#include <stddef.h>
#include <stdint.h>

/* The first characters of all marks, as bits. */
struct hp_mark_starts {
	uint64_t bits[4];
};

struct hp_mark_starts hp_mark_starts_make(void);

/* The first of them in NAME from AT on; LENGTH if there is none. */
size_t hp_mark_starts_next(const struct hp_mark_starts *starts,
			   const char *name, size_t at, size_t length);

#endif
