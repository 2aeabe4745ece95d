/* SPDX-License-Identifier: MIT */
/* job.c - see job.h. */
#include "base/job.h"

#include <stddef.h>

#include "base/thread.h"

static void *run(void *argument)
{
	struct hp_job *job = argument;

	job->run(job->user);
	return NULL;
}

void hp_job_begin(struct hp_job *job)
{
	if (job->run && !job->begun)
		job->begun = hp_thread_start(&job->thread, run, job);
}

void hp_job_end(struct hp_job *job)
{
	if (job->run && !job->begun)
		job->run(job->user);
	hp_job_leave(job);
}

void hp_job_leave(struct hp_job *job)
{
	if (job->begun)
		pthread_join(job->thread, NULL);
	job->begun = false;
	job->run = NULL;
}
