/* SPDX-License-Identifier: MIT */
/*
 * prefetch.h - memory that is asked for before it is needed.
 *
 * A function that does nothing else has no effect in the eyes of GCC, which then
 * leaves out calls of it unless it was inlined early. The empty statement below
 * is an effect.
 */
#ifndef HP_PREFETCH_H
#define HP_PREFETCH_H

static inline void hp_prefetch(const void *at)
{
	__builtin_prefetch(at);
	__asm__ volatile("");
}

/* The same for what will be written. */
static inline void hp_prefetch_write(const void *at)
{
	__builtin_prefetch(at, 1);
	__asm__ volatile("");
}

#endif
