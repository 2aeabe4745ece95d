/* SPDX-License-Identifier: MIT */
/*
 * worker.c - see worker.h.
 */
#include "tools/browse/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/common/cli.h"

enum { PATIENCE_MS = 500 };

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a task was added or is done, or it ends */
	pthread_t thread;
	struct worker_task *first, *last;
	bool busy, ending;
};

/* The next task, or NULL at the end. Called with the lock held. */
static struct worker_task *take(struct worker *w)
{
	struct worker_task *task;

	while (!w->first && !w->ending)
		pthread_cond_wait(&w->changed, &w->lock);
	if (w->ending)
		return NULL;
	task = w->first;
	w->first = task->next;
	w->busy = true;
	return task;
}

static void *work(void *user)
{
	struct worker *w = user;
	struct worker_task *task;

	pthread_mutex_lock(&w->lock);
	while ((task = take(w))) {
		pthread_mutex_unlock(&w->lock);
		task->run(task->user);
		pthread_mutex_lock(&w->lock);
		task->done = true;
		w->busy = false;
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct worker *worker_new(void)
{
	struct worker *w = cli_calloc(1, sizeof(*w));
	int code;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	code = pthread_create(&w->thread, NULL, work, w);
	if (code) {
		cli_message("cannot start a thread: %s", strerror(code));
		exit(CLI_TROUBLE);
	}
	return w;
}

/* With the lock held: the task that runs is done, or it takes too long. */
static bool wait_a_while(struct worker *w)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (w->busy)
		if (pthread_cond_timedwait(&w->changed, &w->lock, &until))
			break;
	return !w->busy;
}

bool worker_free(struct worker *w)
{
	bool is_idle;

	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->changed);
	is_idle = wait_a_while(w);
	pthread_mutex_unlock(&w->lock);
	if (!is_idle)
		return false;
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
	return true;
}

void worker_add(struct worker *w, struct worker_task *task)
{
	pthread_mutex_lock(&w->lock);
	task->queued = true;
	task->done = false;
	task->next = NULL;
	if (w->first)
		w->last->next = task;
	else
		w->first = task;
	w->last = task;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool worker_is_done(struct worker *w, const struct worker_task *task)
{
	bool done;

	pthread_mutex_lock(&w->lock);
	done = task->done;
	pthread_mutex_unlock(&w->lock);
	return done;
}

bool worker_is_idle(struct worker *w)
{
	bool idle;

	pthread_mutex_lock(&w->lock);
	idle = !w->first && !w->busy;
	pthread_mutex_unlock(&w->lock);
	return idle;
}

void worker_wait(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->first || w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}
