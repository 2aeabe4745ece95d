/* SPDX-License-Identifier: MIT */
/*
 * thread_pool.h - threads that work off items in the order in which they were
 * added. What they find out goes to a state of each thread, or to places
 * that only one item can reach; whoever needs an order puts it in afterwards.
 */
#ifndef HP_THREAD_POOL_H
#define HP_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_thread_pool_ops {
	/* In a thread. False: all is in vain, the others stop as well. */
	bool (*run)(void *state, void *item);
	/* With the lock held, before and behind run; may be NULL. */
	void (*take)(void *state);
	void (*give)(void *state);
};

struct hp_thread_pool;

/*
 * Thread I has STATES[I]. NULL without memory or threads; fewer threads than
 * wished for are enough. STATES must outlive the pool.
 */
struct hp_thread_pool *hp_thread_pool_new(const struct hp_thread_pool_ops *ops,
					  void *const *states,
					  unsigned threads);

/* ITEM stays the caller's; SIZE is for progress. Fails only with
 * HPROF_E_NOMEM. */
enum hprof_status hp_thread_pool_add(struct hp_thread_pool *pool, void *item,
				     uint64_t size);

/* The sizes of items that are done; waits up to MS for more. */
uint64_t hp_thread_pool_wait(struct hp_thread_pool *pool, unsigned ms,
			     bool *ret_idle);

/* Waits for all that was added, ends the threads. False if a run failed. */
bool hp_thread_pool_join(struct hp_thread_pool *pool);

/* Stops early if it was not joined; NULL is fine. */
void hp_thread_pool_free(struct hp_thread_pool *pool);

#endif
