/* SPDX-License-Identifier: MIT */
/* content_hash.c - the key, see content_hash.h. */
#include "waste/content_hash.h"

#include <sys/random.h>

void hp_content_key_init(struct hp_content_key *key)
{
	if (getrandom(key, sizeof *key, GRND_NONBLOCK) != sizeof *key)
		*key = (struct hp_content_key){ 0x9e3779b97f4a7c15,
						0xc2b2ae3d27d4eb4f };
}
