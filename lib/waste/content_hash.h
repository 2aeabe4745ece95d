/* SPDX-License-Identifier: MIT */
/*
 * content_hash.h - SipHash-1-3 with a result of 128 bits and a random key, over
 * bytes that may come in pieces. Who writes a dump does not know the key, so
 * equal hashes mean equal contents.
 */
#ifndef HP_CONTENT_HASH_H
#define HP_CONTENT_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hp_content_key {
	uint64_t k0, k1;
};

struct hp_content_hash {
	uint64_t v0, v1, v2, v3;
	uint64_t size; /* so far */
	uint64_t any;  /* all words or-ed, as they lie in memory */
};

void hp_content_key_init(struct hp_content_key *key);

void hp_content_hash_begin(struct hp_content_hash *h,
			   const struct hp_content_key *key, uint64_t tweak);
/* SIZE is a multiple of 8 in all calls but the last. */
void hp_content_hash_add(struct hp_content_hash *h, const uint8_t *bytes,
			 size_t size);
void hp_content_hash_end(struct hp_content_hash *h, uint64_t ret[static 2]);

#endif
