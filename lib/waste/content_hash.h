/* SPDX-License-Identifier: MIT */
/*
 * content_hash.h - SipHash-1-3 with a result of 128 bits and a random key, over
 * bytes that may come in pieces. Who writes a dump does not know the key, so
 * equal hashes mean equal contents. See J.-P. Aumasson, D. J. Bernstein: SipHash: a
 * fast short-input PRF.
 *
 * Most contents are short, and there are many: the functions are inline.
 */
#ifndef HP_CONTENT_HASH_H
#define HP_CONTENT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hp_content_key {
	uint64_t k0, k1;
};

struct hp_content_hash {
	uint64_t v0, v1, v2, v3;
	uint64_t size; /* so far */
	uint64_t any;  /* all words or-ed, as they lie in memory */
};

void hp_content_key_init(struct hp_content_key *key);

static inline uint64_t hp_content_hash_rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static inline void hp_content_hash_round(struct hp_content_hash *h)
{
	h->v0 += h->v1;
	h->v1 = hp_content_hash_rotate(h->v1, 13) ^ h->v0;
	h->v0 = hp_content_hash_rotate(h->v0, 32);
	h->v2 += h->v3;
	h->v3 = hp_content_hash_rotate(h->v3, 16) ^ h->v2;
	h->v0 += h->v3;
	h->v3 = hp_content_hash_rotate(h->v3, 21) ^ h->v0;
	h->v2 += h->v1;
	h->v1 = hp_content_hash_rotate(h->v1, 17) ^ h->v2;
	h->v2 = hp_content_hash_rotate(h->v2, 32);
}

static inline void hp_content_hash_word(struct hp_content_hash *h,
					uint64_t word)
{
	h->v3 ^= word;
	hp_content_hash_round(h);
	h->v0 ^= word;
}

static inline void hp_content_hash_begin(struct hp_content_hash *h,
					 const struct hp_content_key *key,
					 uint64_t tweak)
{
	h->v0 = key->k0 ^ 0x736f6d6570736575;
	h->v1 = key->k1 ^ 0x646f72616e646f6d ^ 0xee;
	h->v2 = key->k0 ^ 0x6c7967656e657261;
	h->v3 = key->k1 ^ 0x7465646279746573;
	h->size = h->any = 0;
	hp_content_hash_word(h, tweak);
}

/*
 * The bytes behind the last whole word of SIZE, which is no multiple of 8, as they
 * would lie in a word with zeros behind them. A copy of a length that is not known
 * before would be a call, for each content.
 */
static inline uint64_t hp_content_hash_rest(const uint8_t *bytes, size_t size)
{
	const bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const unsigned others = 64 - 8 * (unsigned)(size % 8);
	uint64_t word = 0;

	if (size >= sizeof word) {
		memcpy(&word, bytes + size - sizeof word, sizeof word);
		return big_endian ? word << others : word >> others;
	}
	for (unsigned i = 0; i < size; i++)
		word |= (uint64_t)bytes[i] << (big_endian ? 56 - 8 * i : 8 * i);
	return word;
}

/* SIZE is a multiple of 8 in all calls but the last. */
static inline void hp_content_hash_add(struct hp_content_hash *h,
				       const uint8_t *bytes, size_t size)
{
	struct hp_content_hash own = *h;
	uint64_t word;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		memcpy(&word, bytes + i, 8);
		own.any |= word;
		hp_content_hash_word(&own, word);
	}
	if (i < size) {
		word = hp_content_hash_rest(bytes, size);
		own.any |= word;
		hp_content_hash_word(&own, word);
	}
	own.size += size;
	*h = own;
}

static inline void hp_content_hash_end(struct hp_content_hash *h,
				       uint64_t ret[static 2])
{
	/* The size tells trailing zeros from a shorter content. */
	hp_content_hash_word(h, h->size);
	h->v2 ^= 0xee;
	for (int i = 0; i < 3; i++)
		hp_content_hash_round(h);
	ret[0] = h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
	h->v1 ^= 0xdd;
	for (int i = 0; i < 3; i++)
		hp_content_hash_round(h);
	ret[1] = h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
}

#endif
