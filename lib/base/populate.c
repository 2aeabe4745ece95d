/* SPDX-License-Identifier: MIT */
/* populate.c - see populate.h. */
#include "base/populate.h"

#include <sys/mman.h>

#include "base/thread.h"

enum { STEP = 2 << 20 };

/* The next STEP bytes from *AT on. False: there are none, or no memory. */
static bool populate_step(const struct hp_mapped_table *t, size_t *at)
{
	size_t step = t->bytes - *at < STEP ? t->bytes - *at : STEP;
	char *from = (char *)t->at + *at;

	*at += step;
#ifdef MADV_POPULATE_WRITE
	return step && madvise(from, step, MADV_POPULATE_WRITE) == 0;
#else
	(void)from;
	return false;
#endif
}

static void *populate(void *argument)
{
	struct hp_populate *p = argument;
	size_t at[HP_POPULATE_MOST];
	unsigned left = p->count;

	for (unsigned i = 0; i < p->count; i++)
		at[i] = p->tables[i]->fresh;
	while (left && !__atomic_load_n(&p->stop, __ATOMIC_RELAXED)) {
		left = 0;
		for (unsigned i = 0; i < p->count; i++)
			left += populate_step(p->tables[i], &at[i]);
	}
	return NULL;
}

void hp_populate_begin(struct hp_populate *p,
		       const struct hp_mapped_table *const *tables,
		       unsigned count)
{
	*p = (struct hp_populate){ .count = 0 };
	for (unsigned i = 0; i < count && p->count < HP_POPULATE_MOST; i++)
		if (tables[i]->fresh < tables[i]->bytes)
			p->tables[p->count++] = tables[i];
	p->started = p->count && hp_thread_start(&p->thread, populate, p);
}

void hp_populate_end(struct hp_populate *p)
{
	if (!p->started)
		return;
	__atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
	pthread_join(p->thread, NULL);
	p->started = false;
}
