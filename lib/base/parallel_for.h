/* SPDX-License-Identifier: MIT */
/*
 * parallel_for.h - loops over all objects, divided into spans that several
 * threads process. Spans begin at multiples of 64, so that threads never share
 * a word of a bit set.
 */
#ifndef HP_PARALLEL_FOR_H
#define HP_PARALLEL_FOR_H

#include <pthread.h>
#include <stdint.h>

/*
 * Calls FN for spans that together cover COUNT objects, with STATES[I] in
 * thread I of THREADS, of which at most HP_PARALLEL_FOR_MOST are used, and no more
 * than there are spans of 64. Which thread gets which span differs from run to run;
 * each gets them in ascending order.
 */
enum { HP_PARALLEL_FOR_MOST = 256 };
typedef void hp_parallel_for_fn(void *state, uint32_t begin, uint32_t end);
void hp_parallel_for(uint32_t count, unsigned threads, void *const *states,
		     hp_parallel_for_fn *fn);

/*
 * Something else that the calling thread does first, while others, if they can, begin
 * with the spans.
 */
struct hp_beside {
	void (*run)(void *user); /* NULL: it is done */
	void *user;
};

/*
 * Threads that share processors, one each. While some of them work on something of their
 * own, loops do with fewer, and with all again as soon as they can.
 */
struct hp_crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned threads;
	unsigned away; /* work on something of their own */
};
void hp_crew_init(struct hp_crew *crew, unsigned threads);
void hp_crew_done(struct hp_crew *crew);
/* The calling thread begins to work on something of its own, or has ended. */
void hp_crew_leave(struct hp_crew *crew);
void hp_crew_return(struct hp_crew *crew);

/*
 * CREW and BESIDE may be NULL. Of the THREADS, all but the calling one wait while the
 * crew has no processor for them, or until there is nothing left to do.
 */
void hp_parallel_for_crew(uint32_t count, unsigned threads, void *const *states,
			  hp_parallel_for_fn *fn, struct hp_crew *crew,
			  struct hp_beside *beside);

/* Does it unless it is done. BESIDE may be NULL. */
void hp_beside_run(struct hp_beside *beside);

/*
 * Loops, at most HP_PARALLEL_PASSES_MOST, of which each begins when the one before has
 * ended: with STATES[I] in thread I, or with STATE in all if STATES is NULL. BESIDE, or
 * NULL, is something else as above. It may come before all loops, or take longer than
 * all, so neither can depend on the other.
 */
struct hp_parallel_pass {
	uint32_t count;
	hp_parallel_for_fn *fn;
	void *const *states;
	void *state;
};
enum { HP_PARALLEL_PASSES_MOST = 8 };
void hp_parallel_passes(const struct hp_parallel_pass *passes, unsigned count,
			unsigned threads, struct hp_beside *beside);

/* THREADS, or fewer if each would have next to nothing to do. */
unsigned hp_parallel_for_threads(uint32_t count, unsigned threads);

#endif
