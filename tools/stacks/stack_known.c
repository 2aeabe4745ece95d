/* SPDX-License-Identifier: MIT */
/*
 * stack_known.c - see stack_known.h. Open addressing, at most half full.
 */
#include "tools/stacks/stack_known.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tools/common/cli.h"

enum { SLOTS_FIRST = 256 };

static uint64_t hash_key(const struct stack_key *key)
{
	uint64_t hash = key->kind;

	for (size_t i = 0; i < 3; i++)
		hash = stack_mix(hash, (uintptr_t)key->at[i]);
	return hash;
}

static bool same_key(const struct stack_key *a, const struct stack_key *b)
{
	return a->kind == b->kind && a->at[0] == b->at[0] &&
	       a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

/* The slot that has KEY, or the free one where it belongs. */
static struct stack_known_slot *slot_of(const struct stack_known *known,
					const struct stack_key *key)
{
	const size_t mask = known->slot_count - 1;
	size_t at = (size_t)hash_key(key) & mask;

	while (known->slots[at].key.kind &&
	       !same_key(&known->slots[at].key, key))
		at = (at + 1) & mask;
	return &known->slots[at];
}

static void grow(struct stack_known *known)
{
	const struct stack_known before = *known;

	known->slot_count =
		before.slot_count ? before.slot_count * 2 : SLOTS_FIRST;
	known->slots = cli_calloc(known->slot_count, sizeof(*known->slots));
	for (size_t i = 0; i < before.slot_count; i++)
		if (before.slots[i].key.kind)
			*slot_of(known, &before.slots[i].key) = before.slots[i];
	free(before.slots);
}

uint32_t *stack_known_find(struct stack_known *known,
			   const struct stack_key *key)
{
	struct stack_known_slot *slot;

	if (2 * (known->count + 1) > known->slot_count)
		grow(known);
	slot = slot_of(known, key);
	if (!slot->key.kind) {
		*slot = (struct stack_known_slot){ *key, STACK_NEW };
		known->count++;
	}
	return &slot->number;
}

void stack_known_done(struct stack_known *known)
{
	free(known->slots);
}
