/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.h - a loop over all objects, divided into spans that several
 * threads process. Spans begin at multiples of 64, so that threads never share
 * a word of a bit set.
 */
#ifndef HP_PARALLEL_FOR_H
#define HP_PARALLEL_FOR_H

#include <stdint.h>

/*
 * Calls FN for spans that together cover COUNT objects, with STATES[I] in
 * thread I of THREADS. Which thread gets which span differs from run to run.
 */
typedef void hp_parallel_for_fn(void *state, uint32_t begin, uint32_t end);
void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn);

/* THREADS, or fewer if each would have next to nothing to do. */
unsigned hp_parallel_for_threads(uint32_t count, unsigned threads);

#endif
