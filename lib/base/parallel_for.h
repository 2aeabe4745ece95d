/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.h - going over all objects in stretches, which several threads
 * take. They begin at multiples of 64, so that threads do not share words of
 * bits.
 */
#ifndef HP_PARALLEL_FOR_H
#define HP_PARALLEL_FOR_H

#include <stdint.h>

/*
 * Calls FN for stretches that are COUNT objects together, with STATES[I] in
 * thread I of THREADS. Which thread takes which one differs from run to run.
 */
typedef void hp_parallel_for_fn(void *state, uint32_t begin, uint32_t end);
void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn);

/* THREADS, or fewer where so many would have next to nothing to do. */
unsigned hp_parallel_for_threads(uint32_t count, unsigned threads);

#endif
