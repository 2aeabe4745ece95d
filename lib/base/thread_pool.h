/* SPDX-License-Identifier: MIT */
/*
 * thread_pool.h - threads that process items in the order in which they were
 * added. Results go to a state that each thread has, or to places that only one
 * item can reach; a caller that needs an order sorts them afterwards.
 */
#ifndef HP_THREAD_POOL_H
#define HP_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

struct hp_thread_pool_ops {
	/* Called in a thread. False: a failure; all other threads stop, too. */
	bool (*run)(void *state, void *item);
	/* Called with the lock held, before and after run; may be NULL. */
	void (*take)(void *state);
	void (*give)(void *state);
};

struct hp_thread_pool;

/*
 * Thread I gets STATES[I], of which there is at least one. Returns NULL if memory runs
 * out; fewer threads than requested are enough, and if none can be started, the items
 * are processed with STATES[0] by whoever waits or joins. STATES must outlive the pool.
 */
struct hp_thread_pool *hp_thread_pool_new(const struct hp_thread_pool_ops *ops,
					  void *const *states,
					  unsigned threads);

/*
 * Adds ITEM, which the caller still owns; SIZE is for progress. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_thread_pool_add(struct hp_thread_pool *pool, void *item,
				     uint64_t size);

/* The total size of finished items; waits up to MS ms for more to finish. */
uint64_t hp_thread_pool_wait(struct hp_thread_pool *pool, unsigned ms,
			     bool *ret_idle);

/* Waits for all items and ends the threads. False if a run failed. */
bool hp_thread_pool_join(struct hp_thread_pool *pool);

/* Stops early if the pool was not joined; NULL is fine. */
void hp_thread_pool_free(struct hp_thread_pool *pool);

#endif
