/* SPDX-License-Identifier: MIT */
/*
 * sample_ring.h - stacks on their way from signal handlers to the one thread
 * that counts them: a queue of fixed size with any number of writers, which
 * never wait or allocate.
 */
#ifndef AG_SAMPLE_RING_H
#define AG_SAMPLE_RING_H

#include <stdint.h>

#include "agent/sampling/async_stack.h"

struct ag_sample {
	_Atomic uint64_t turn; /* whose it is; for sample_ring.c */
	uint64_t position;
	uint64_t weight; /* periods that it stands for */
	uintptr_t pc;	 /* 0, or of the code above the first frame */
	int32_t tid;
	int32_t count; /* of frames; 0 or less: why there are none */
	struct ag_async_frame frames[];
};

struct ag_sample_ring;

/* For stacks of at most DEPTH frames. NULL when there is no memory. */
struct ag_sample_ring *ag_ring_new(unsigned depth);
void ag_ring_free(struct ag_sample_ring *ring);

/*
 * A place to fill in, which ag_ring_put makes visible; NULL if the queue is
 * full: the sample is then among those of ag_ring_lost. Safe in a handler.
 */
struct ag_sample *ag_ring_claim(struct ag_sample_ring *ring);
void ag_ring_put(struct ag_sample *sample);
void ag_ring_lose(struct ag_sample_ring *ring, uint64_t weight);

/*
 * The oldest one, to be given back before the next; NULL if there is none, or
 * its handler has not finished. For one thread at a time.
 */
struct ag_sample *ag_ring_take(struct ag_sample_ring *ring);
void ag_ring_give_back(struct ag_sample_ring *ring, struct ag_sample *sample);

/* Samples lost since the last call. */
uint64_t ag_ring_lost(struct ag_sample_ring *ring);

#endif
