/* SPDX-License-Identifier: MIT */
/*
 * content_hash.c - see content_hash.h, and J.-P. Aumasson, D. J. Bernstein:
 * SipHash: a fast short-input PRF.
 */
#include "waste/content_hash.h"

#include <string.h>
#include <sys/random.h>

void hp_content_key_init(struct hp_content_key *key)
{
	if (getrandom(key, sizeof *key, GRND_NONBLOCK) != sizeof *key)
		*key = (struct hp_content_key){ 0x9e3779b97f4a7c15,
						0xc2b2ae3d27d4eb4f };
}

static inline uint64_t rotate(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static inline void round_once(struct hp_content_hash *h)
{
	h->v0 += h->v1;
	h->v1 = rotate(h->v1, 13) ^ h->v0;
	h->v0 = rotate(h->v0, 32);
	h->v2 += h->v3;
	h->v3 = rotate(h->v3, 16) ^ h->v2;
	h->v0 += h->v3;
	h->v3 = rotate(h->v3, 21) ^ h->v0;
	h->v2 += h->v1;
	h->v1 = rotate(h->v1, 17) ^ h->v2;
	h->v2 = rotate(h->v2, 32);
}

static inline void take_word(struct hp_content_hash *h, uint64_t word)
{
	h->v3 ^= word;
	round_once(h);
	h->v0 ^= word;
}

void hp_content_hash_begin(struct hp_content_hash *h,
			   const struct hp_content_key *key, uint64_t tweak)
{
	h->v0 = key->k0 ^ 0x736f6d6570736575;
	h->v1 = key->k1 ^ 0x646f72616e646f6d ^ 0xee;
	h->v2 = key->k0 ^ 0x6c7967656e657261;
	h->v3 = key->k1 ^ 0x7465646279746573;
	h->size = h->any = 0;
	take_word(h, tweak);
}

void hp_content_hash_add(struct hp_content_hash *h, const uint8_t *bytes,
			 size_t size)
{
	struct hp_content_hash own = *h;
	uint64_t word;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		memcpy(&word, bytes + i, 8);
		own.any |= word;
		take_word(&own, word);
	}
	if (i < size) {
		word = 0;
		memcpy(&word, bytes + i, size - i);
		own.any |= word;
		take_word(&own, word);
	}
	own.size += size;
	*h = own;
}

void hp_content_hash_end(struct hp_content_hash *h, uint64_t ret[static 2])
{
	/* The size tells trailing zeros from a shorter content. */
	take_word(h, h->size);
	h->v2 ^= 0xee;
	for (int i = 0; i < 3; i++)
		round_once(h);
	ret[0] = h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
	h->v1 ^= 0xdd;
	for (int i = 0; i < 3; i++)
		round_once(h);
	ret[1] = h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
}
