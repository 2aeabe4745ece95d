/* SPDX-License-Identifier: MIT */
/*
 * worker.h - a thread that does what takes long, one task after the other,
 * while the screen goes on.
 */
#ifndef TOOLS_BROWSE_WORKER_H
#define TOOLS_BROWSE_WORKER_H

#include <stdbool.h>

struct worker;

/* Part of what the task is about; zeroed. The members are the worker's. */
struct worker_task {
	void (*run)(void *user);
	void *user;
	struct worker_task *next;
	bool queued, done;
};

/* Does not return without memory or a thread. */
struct worker *worker_new(void);

/*
 * Tasks that have not begun are not run. Waits for the one that runs, but not
 * for long; false: it still runs, and the worker lives as long as the program.
 */
bool worker_free(struct worker *worker);

/* TASK, which is not queued, must live until it is done. */
void worker_add(struct worker *worker, struct worker_task *task);

/* Has the task been done? If so, what it wrote can be read. */
bool worker_is_done(struct worker *worker, const struct worker_task *task);

/* Is there nothing to do? */
bool worker_is_idle(struct worker *worker);
void worker_wait(struct worker *worker);

#endif
