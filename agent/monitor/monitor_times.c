/* SPDX-License-Identifier: MIT */
/*
 * monitor_times.c - see monitor_times.h. A hash table of chains; a thread that
 * waited for a monitor has lost more time than the lock here takes.
 */
#include "agent/monitor/monitor_times.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

enum { BUCKETS = 1024 };

struct cost {
	struct cost *next;
	struct ag_cost_row row;
};

struct ag_monitor_times {
	pthread_mutex_t lock;
	struct cost *costs[BUCKETS];
	size_t rows;
	uint64_t lost; /* waits for which there was no memory */
};

struct ag_monitor_times *ag_monitor_times_new(void)
{
	struct ag_monitor_times *t = hp_calloc(1, sizeof *t);

	if (t)
		pthread_mutex_init(&t->lock, NULL);
	return t;
}

static struct cost **find_cost(struct ag_monitor_times *t, uint32_t trace,
			       uint32_t class_number)
{
	struct cost **c = &t->costs[(trace * 31u + class_number) % BUCKETS];

	while (*c && ((*c)->row.trace != trace ||
		      (*c)->row.class_number != class_number))
		c = &(*c)->next;
	return c;
}

void ag_monitor_times_add(struct ag_monitor_times *t, uint32_t trace,
			  uint32_t class_number, uint64_t ns)
{
	struct cost **at;

	pthread_mutex_lock(&t->lock);
	at = find_cost(t, trace, class_number);
	if (!*at) {
		*at = hp_calloc(1, sizeof **at);
		if (*at) {
			(*at)->row.trace = trace;
			(*at)->row.class_number = class_number;
			t->rows++;
		}
	}
	if (*at) {
		(*at)->row.count++;
		(*at)->row.cost += ns;
	} else {
		t->lost++;
	}
	pthread_mutex_unlock(&t->lock);
}

void ag_monitor_times_clear(struct ag_monitor_times *t)
{
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < BUCKETS; i++)
		while (t->costs[i]) {
			struct cost *gone = t->costs[i];

			t->costs[i] = gone->next;
			hp_free(gone);
		}
	t->rows = 0;
	t->lost = 0;
	pthread_mutex_unlock(&t->lock);
}

void ag_monitor_times_free(struct ag_monitor_times *t)
{
	if (!t)
		return;
	ag_monitor_times_clear(t);
	pthread_mutex_destroy(&t->lock);
	hp_free(t);
}

/* With the lock. */
static void copy_rows(const struct ag_monitor_times *t,
		      struct ag_cost_table *table)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (const struct cost *c = t->costs[i]; c; c = c->next) {
			table->rows[table->count++] = c->row;
			table->total += c->row.cost;
		}
	table->failed = t->lost;
}

bool ag_monitor_times_rows(struct ag_monitor_times *t,
			   struct ag_cost_table *table)
{
	bool done;

	pthread_mutex_lock(&t->lock);
	table->rows = hp_calloc(t->rows + 1, sizeof *table->rows);
	done = table->rows != NULL;
	if (done)
		copy_rows(t, table);
	pthread_mutex_unlock(&t->lock);
	return done;
}
