/* SPDX-License-Identifier: MIT */
/*
 * job.h - something to do that another thread may do while the one that needs it does
 * something else.
 */
#ifndef HP_JOB_H
#define HP_JOB_H

#include <pthread.h>
#include <stdbool.h>

/* Zeroed, there is nothing to do. */
struct hp_job {
	void (*run)(void *user); /* NULL: it is done, or nothing */
	void *user;
	pthread_t thread;
	bool begun;
};

/* In a thread of its own, unless the system refuses one. */
void hp_job_begin(struct hp_job *job);
/* Waits for that; does it if it has not begun. */
void hp_job_end(struct hp_job *job);
/* The same, but what has not begun is not done. */
void hp_job_leave(struct hp_job *job);

#endif
