/* SPDX-License-Identifier: MIT */
/*
 * content_bits.c - see content_bits.h. Bits are anywhere in the table, so they are
 * fetched before they are needed.
 */
#include "waste/content_bits.h"

#include "base/bits.h"
#include "base/prefetch.h"

enum { PAIRS_EACH = 8, AHEAD = 16 };

enum hprof_status hp_content_bits_make(struct hp_mapped_tables *tables,
				       uint64_t count,
				       struct hp_content_bits *ret,
				       struct hprof_error *error)
{
	uint64_t words = 1;

	while (words << 6 < PAIRS_EACH * count)
		words *= 2;
	ret->mask = (words << 6) - 1;
	return hp_mapped_table_make(tables, &ret->table, 2 * words,
				    sizeof words, HP_MAPPED_TABLE_CLEAR, error);
}

/* The place of the first bit; the second one follows, in the same word. */
static inline uint64_t bit_of(const struct hp_content_bits *b,
			      const struct hp_content *item)
{
	return 2 * (((uint64_t)item->hash[1] << 32 | item->hash[2]) & b->mask);
}

static inline uint64_t *word_of(const struct hp_content_bits *b,
				const struct hp_content *item)
{
	return (uint64_t *)b->table.at + (bit_of(b, item) >> 6);
}

static inline void mark(const struct hp_content_bits *b,
			const struct hp_content *item)
{
	const uint64_t once = (uint64_t)1 << (bit_of(b, item) & 63);
	uint64_t *word = word_of(b, item);
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	if (!(old & once))
		old = __atomic_fetch_or(word, once, __ATOMIC_RELAXED);
	if (old & once && !(old & once << 1))
		__atomic_fetch_or(word, once << 1, __ATOMIC_RELAXED);
}

void hp_content_bits_mark(const struct hp_content_bits *bits,
			  const struct hp_content *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			hp_prefetch_write(word_of(bits, &items[i + AHEAD]));
		mark(bits, &items[i]);
	}
}

size_t hp_content_bits_leave(const struct hp_content_bits *bits,
			     const struct hp_content *items, size_t count,
			     struct hp_content *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			hp_prefetch(word_of(bits, &items[i + AHEAD]));
		to[kept] = items[i];
		/* No branch: nobody can predict it. */
		kept += hp_bit(bits->table.at, bit_of(bits, &to[kept]) + 1);
	}
	return kept;
}
