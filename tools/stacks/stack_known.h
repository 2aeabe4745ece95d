/* SPDX-License-Identifier: MIT */
/*
 * stack_known.h - what is known already of texts and stacks that stay where they are,
 * by their addresses.
 */
#ifndef TOOLS_STACK_KNOWN_H
#define TOOLS_STACK_KNOWN_H

#include <stddef.h>
#include <stdint.h>

/* HASH, and VALUE as well. */
static inline uint64_t stack_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

enum stack_key_kind { STACK_KEY_FRAME = 1, STACK_KEY_NAME, STACK_KEY_STACK };

struct stack_key {
	enum stack_key_kind kind;
	const void *at[3]; /* unused ones: NULL */
};

#define STACK_NEW UINT32_MAX

/* Zeroed, nothing is known. Memory that runs out ends the program. */
struct stack_known {
	struct stack_known_slot {
		struct stack_key key; /* its kind 0: free */
		uint32_t number;
	} *slots;
	size_t slot_count, count;
};

/* The number of KEY, STACK_NEW if it had none; valid until the next call. */
uint32_t *stack_known_find(struct stack_known *known,
			   const struct stack_key *key);
void stack_known_done(struct stack_known *known);

#endif
