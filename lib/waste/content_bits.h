/* SPDX-License-Identifier: MIT */
/*
 * content_bits.h - which contents may be there more than once. Most are there once,
 * and of those nothing has to be kept.
 *
 * Of each hash there are two bits next to each other: it was there once, and twice.
 * Different hashes may share them, so some stay that are there once.
 */
#ifndef HP_CONTENT_BITS_H
#define HP_CONTENT_BITS_H

#include "base/mapped_table.h"

/*
 * A primitive array. 16 bytes, since there are many: 96 bits of its hash. Of 10^9
 * contents any two have these alike once in 10^11 dumps.
 */
enum { HP_CONTENT_WORDS = 3 };
struct hp_content {
	uint32_t object;
	uint32_t hash[HP_CONTENT_WORDS];
};

struct hp_content_bits {
	struct hp_mapped_table table;
	uint64_t mask;
};

/* For COUNT contents. */
enum hprof_status hp_content_bits_make(struct hp_mapped_tables *tables,
				       uint64_t count,
				       struct hp_content_bits *ret,
				       struct hprof_error *error);

/* Several threads may do so at once. */
void hp_content_bits_mark(const struct hp_content_bits *bits,
			  const struct hp_content *items, size_t count);

/*
 * When all are marked: copies those that may be there again to TO, which may be ITEMS
 * or before them, and has room for all. Returns how many these are.
 */
size_t hp_content_bits_leave(const struct hp_content_bits *bits,
			     const struct hp_content *items, size_t count,
			     struct hp_content *to);

#endif
