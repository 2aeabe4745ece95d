/* SPDX-License-Identifier: MIT */
/* populate.c - see populate.h. */
#include "base/populate.h"

#include <sys/mman.h>

#include "base/thread.h"

enum { STEP = 2 << 20 };

/* The next STEP bytes from *AT to END. False: there are none, or no memory. */
static bool populate_step(const struct hp_mapped_table *t, size_t *at,
			  size_t end)
{
	size_t step = end - *at < STEP ? end - *at : STEP;
	char *from = (char *)t->at + *at;

	*at += step;
#ifdef MADV_POPULATE_WRITE
	return step && madvise(from, step, MADV_POPULATE_WRITE) == 0;
#else
	(void)from;
	return false;
#endif
}

/*
 * Where to stop in front, of which AT bytes are populated. If there is nothing to
 * do but that, waits until there is more of it. False: it is over.
 */
static bool go_on(struct hp_populate *p, bool wait, size_t at, size_t *ret_end)
{
	bool stop;

	pthread_mutex_lock(&p->lock);
	while (wait && !p->stop && p->wanted <= at)
		pthread_cond_wait(&p->changed, &p->lock);
	*ret_end = p->wanted;
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return !stop;
}

static void *populate(void *argument)
{
	struct hp_populate *p = argument;
	size_t at[HP_POPULATE_MOST], front = 0, end;
	unsigned left = p->count;

	for (unsigned i = 0; i < p->count; i++)
		at[i] = p->tables[i]->fresh;
	while ((left || p->front) && go_on(p, !left, front, &end)) {
		left = 0;
		for (unsigned i = 0; i < p->count; i++)
			left += populate_step(p->tables[i], &at[i],
					      p->tables[i]->bytes);
		if (front < end && !populate_step(p->front, &front, end))
			return NULL;
	}
	return NULL;
}

static void drop_lock(struct hp_populate *p)
{
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
}

void hp_populate_begin(struct hp_populate *p,
		       const struct hp_mapped_table *const *tables,
		       unsigned count, const struct hp_mapped_table *front)
{
	*p = (struct hp_populate){ .count = 0 };
	if (front && front->place == HP_MAPPED_TABLE_MAPPED)
		p->front = front;
	for (unsigned i = 0; i < count && p->count < HP_POPULATE_MOST; i++)
		if (tables[i]->fresh < tables[i]->bytes)
			p->tables[p->count++] = tables[i];
	if (!p->count && !p->front)
		return;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	p->started = hp_thread_start(&p->thread, populate, p);
	if (!p->started)
		drop_lock(p);
}

void hp_populate_front(struct hp_populate *p, uint64_t bytes)
{
	if (!p->started || !p->front)
		return;
	pthread_mutex_lock(&p->lock);
	p->wanted = bytes < p->front->bytes ? (size_t)bytes : p->front->bytes;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

void hp_populate_end(struct hp_populate *p)
{
	if (!p->started)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	drop_lock(p);
	p->started = false;
}
