/* SPDX-License-Identifier: MIT */
/*
 * waits.c - see waits.h. A hash table of chains; a thread that waits for a
 * monitor has lost more time than the lock here takes.
 */
#include "agent/monitor/waits.h"

#include <pthread.h>

#include "base/mem.h"

enum { BUCKETS = 1024 };

struct waiting {
	struct waiting *next;
	uint64_t thread, since_ns, kept;
	enum ag_wait what;
};

struct ag_waits {
	pthread_mutex_t lock;
	uint64_t lost;
	struct waiting *waiting[BUCKETS];
};

struct ag_waits *ag_waits_new(void)
{
	struct ag_waits *w = hp_calloc(1, sizeof *w);

	if (w)
		pthread_mutex_init(&w->lock, NULL);
	return w;
}

void ag_waits_clear(struct ag_waits *w)
{
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < BUCKETS; i++)
		while (w->waiting[i]) {
			struct waiting *gone = w->waiting[i];

			w->waiting[i] = gone->next;
			hp_free(gone);
		}
	pthread_mutex_unlock(&w->lock);
}

void ag_waits_free(struct ag_waits *w)
{
	if (!w)
		return;
	ag_waits_clear(w);
	pthread_mutex_destroy(&w->lock);
	hp_free(w);
}

/* With the lock. */
static struct waiting **find(struct ag_waits *w, enum ag_wait what,
			     uint64_t thread)
{
	struct waiting **at = &w->waiting[thread % BUCKETS];

	while (*at && ((*at)->thread != thread || (*at)->what != what))
		at = &(*at)->next;
	return at;
}

void ag_waits_begin(struct ag_waits *w, enum ag_wait what, uint64_t thread,
		    uint64_t kept, uint64_t now_ns)
{
	struct waiting **at;

	pthread_mutex_lock(&w->lock);
	at = find(w, what, thread);
	if (!*at)
		*at = hp_calloc(1, sizeof **at);
	if (*at) {
		(*at)->thread = thread;
		(*at)->what = what;
		(*at)->kept = kept;
		(*at)->since_ns = now_ns;
	} else {
		w->lost++;
	}
	pthread_mutex_unlock(&w->lock);
}

bool ag_waits_end(struct ag_waits *w, enum ag_wait what, uint64_t thread,
		  uint64_t now_ns, uint64_t *ret_ns, uint64_t *ret_kept)
{
	struct waiting **at, *found;

	pthread_mutex_lock(&w->lock);
	at = find(w, what, thread);
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&w->lock);
	if (!found)
		return false;
	*ret_ns = now_ns > found->since_ns ? now_ns - found->since_ns : 0;
	*ret_kept = found->kept;
	hp_free(found);
	return true;
}

uint64_t ag_waits_lost(struct ag_waits *w)
{
	uint64_t lost;

	pthread_mutex_lock(&w->lock);
	lost = w->lost;
	pthread_mutex_unlock(&w->lock);
	return lost;
}
