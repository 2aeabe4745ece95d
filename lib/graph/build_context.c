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

enum hprof_status hp_build_phase(struct hp_build *build, const char *name)
{
	double wall = seconds(CLOCK_MONOTONIC);
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

	if (build->phase && build->phase_count < HP_PHASES)
		build->phases[build->phase_count++] = (struct hprof_phase){
			.name = build->phase,
			.seconds = wall - build->wall,
			.cpu = cpu - build->cpu,
			.bytes = build->tables.peak,
		};
	build->phase = name;
	build->wall = wall;
	build->cpu = cpu;
	build->tables.peak =
		build->tables.held + hp_mapped_tables_spare(&build->tables);
	hp_tables_trim_memory(&build->tables);
	return hp_build_progress(build, 0, 0);
}

enum hprof_status hp_build_progress(const struct hp_build *build, uint64_t done,
				    uint64_t total)
{
	if (!build->progress || !build->phase ||
	    build->progress(build->progress_user, build->phase, done, total))
		return HPROF_OK;
	return hp_cancelled(build->error);
}
