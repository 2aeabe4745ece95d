/* SPDX-License-Identifier: MIT */
/* wait_lines.c - see wait_lines.h. */
#include "agent/monitor/wait_lines.h"

#include <pthread.h>

#include "base/mem.h"

enum { MOST_LINES = 65536 }; /* further ones are only counted */

struct ag_wait_lines {
	pthread_mutex_t lock;
	struct ag_wait_line *lines;
	size_t count, room;
	uint64_t lost;
};

struct ag_wait_lines *ag_wait_lines_new(void)
{
	struct ag_wait_lines *l = hp_calloc(1, sizeof *l);

	if (l)
		pthread_mutex_init(&l->lock, NULL);
	return l;
}

void ag_wait_lines_free(struct ag_wait_lines *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	hp_free(l->lines);
	hp_free(l);
}

void ag_wait_lines_add(struct ag_wait_lines *l, struct ag_wait_line line)
{
	pthread_mutex_lock(&l->lock);
	if (l->count < MOST_LINES &&
	    !hp_grow((void **)&l->lines, &l->room, l->count, sizeof line))
		l->lines[l->count++] = line;
	else
		l->lost++;
	pthread_mutex_unlock(&l->lock);
}

void ag_wait_lines_clear(struct ag_wait_lines *l)
{
	pthread_mutex_lock(&l->lock);
	l->count = 0;
	l->lost = 0;
	pthread_mutex_unlock(&l->lock);
}

void ag_wait_lines_take(struct ag_wait_lines *l, struct ag_monitor_report *ret)
{
	pthread_mutex_lock(&l->lock);
	ret->lines = l->lines;
	ret->line_count = l->count;
	ret->lines_lost = l->lost;
	l->lines = NULL;
	l->count = l->room = 0;
	l->lost = 0;
	pthread_mutex_unlock(&l->lock);
}
