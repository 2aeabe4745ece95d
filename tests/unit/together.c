/* SPDX-License-Identifier: MIT */
/* together.c - see together.h. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "together.h"

struct asker {
	void (*ask)(void *);
	void *item;
	pthread_barrier_t *begin;
};

static void *run(void *user)
{
	struct asker *asker = user;

	pthread_barrier_wait(asker->begin);
	asker->ask(asker->item);
	return NULL;
}

void together(void (*ask)(void *), void *items, size_t count, size_t item_size)
{
	struct asker askers[TOGETHER_MOST];
	pthread_t threads[TOGETHER_MOST];
	pthread_barrier_t begin;

	cr_assert_leq(count, (size_t)TOGETHER_MOST);
	cr_assert_eq(pthread_barrier_init(&begin, NULL, (unsigned)count), 0);
	for (size_t i = 0; i < count; i++) {
		askers[i] = (struct asker){ ask, (char *)items + i * item_size,
					    &begin };
		cr_assert_eq(pthread_create(&threads[i], NULL, run, &askers[i]),
			     0);
	}
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&begin);
}
