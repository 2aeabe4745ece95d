/* SPDX-License-Identifier: MIT */
/*
 * sample_ring.c - see sample_ring.h.
 *
 * Each place has a turn: position P may be written when it is P, read when it
 * is P + 1, and written in the next round when it is P + PLACES. A writer that
 * is interrupted between claiming and putting holds up the reader at its place,
 * but no other writer.
 */
#include "agent/sampling/sample_ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/mem.h"

enum { PLACES = 2048 }; /* a power of two */

struct ag_sample_ring {
	size_t stride; /* bytes from a place to the next */
	_Atomic uint64_t next_in;
	uint64_t next_out;
	_Atomic uint64_t lost;
	unsigned char places[];
};

static struct ag_sample *place_of(struct ag_sample_ring *r, uint64_t position)
{
	const size_t i = (size_t)(position % PLACES);

	return (struct ag_sample *)(void *)&r->places[i * r->stride];
}

struct ag_sample_ring *ag_ring_new(unsigned depth)
{
	const size_t stride = sizeof(struct ag_sample) +
			      (size_t)depth * sizeof(struct ag_async_frame);
	struct ag_sample_ring *r;

	if (stride > (SIZE_MAX - sizeof *r) / PLACES)
		return NULL;
	r = hp_calloc(1, sizeof *r + PLACES * stride);
	if (!r)
		return NULL;
	r->stride = stride;
	for (uint64_t i = 0; i < PLACES; i++)
		atomic_init(&place_of(r, i)->turn, i);
	return r;
}

void ag_ring_free(struct ag_sample_ring *r)
{
	hp_free(r);
}

struct ag_sample *ag_ring_claim(struct ag_sample_ring *r)
{
	uint64_t position = atomic_load(&r->next_in);

	for (;;) {
		struct ag_sample *s = place_of(r, position);
		const uint64_t turn = atomic_load(&s->turn);

		if (turn < position)
			return NULL; /* not yet read since the last round */
		if (turn > position) {
			position = atomic_load(&r->next_in);
		} else if (atomic_compare_exchange_weak(&r->next_in, &position,
							position + 1)) {
			s->position = position;
			return s;
		}
	}
}

void ag_ring_put(struct ag_sample *s)
{
	atomic_store(&s->turn, s->position + 1);
}

void ag_ring_lose(struct ag_sample_ring *r, uint64_t weight)
{
	atomic_fetch_add(&r->lost, weight);
}

struct ag_sample *ag_ring_take(struct ag_sample_ring *r)
{
	struct ag_sample *s = place_of(r, r->next_out);

	return atomic_load(&s->turn) == r->next_out + 1 ? s : NULL;
}

void ag_ring_give_back(struct ag_sample_ring *r, struct ag_sample *s)
{
	assert(s == place_of(r, r->next_out));
	atomic_store(&s->turn, r->next_out + PLACES);
	r->next_out++;
}

uint64_t ag_ring_lost(struct ag_sample_ring *r)
{
	return atomic_exchange(&r->lost, 0);
}
