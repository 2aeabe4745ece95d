/* SPDX-License-Identifier: MIT */
/*
 * build_context.c - see build_context.h.
 */
#include "graph/build_context.h"

#include <time.h>

#include "base/error.h"

static double seconds(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum hprof_status hp_build_phase(struct hp_build *job, const char *name)
{
	double wall = seconds(CLOCK_MONOTONIC);
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

	if (job->phase && job->phase_count < HP_PHASES)
		job->phases[job->phase_count++] = (struct hprof_phase){
			.name = job->phase,
			.seconds = wall - job->wall,
			.cpu = cpu - job->cpu,
			.bytes = job->tables.peak,
		};
	job->phase = name;
	job->wall = wall;
	job->cpu = cpu;
	job->tables.peak = job->tables.held + job->tables.spare_bytes;
	hp_tables_trim_memory(&job->tables);
	return hp_build_progress(job, 0, 0);
}

enum hprof_status hp_build_progress(const struct hp_build *job, uint64_t done,
				    uint64_t total)
{
	if (!job->progress || !job->phase ||
	    job->progress(job->progress_user, job->phase, done, total))
		return HPROF_OK;
	return hp_cancelled(job->error);
}
