/* SPDX-License-Identifier: MIT */
/*
 * build_context.h - what all parts of building a graph share: tables, progress,
 * phases.
 */
#ifndef HP_BUILD_CONTEXT_H
#define HP_BUILD_CONTEXT_H

#include "hprof/graph.h"
#include "base/mapped_table.h"
#include "base/bits.h"

enum {
	HP_PHASES = 16,
	HP_TRIM_INTERVAL = 1 << 12, /* rows between two calls */
	HP_SPARE = 64 /* rows after a table's end, for prefetching */
};

struct hp_build {
	struct hp_mapped_tables tables;
	unsigned threads;
	hprof_progress_fn *progress;
	void *progress_user;
	struct hprof_phase phases[HP_PHASES];
	size_t phase_count;
	const char *phase;
	double wall, cpu; /* when the phase began */
	struct hprof_error *error;
};

/*
 * Ends the current phase and begins phase NAME; NULL begins none. This and
 * hp_build_progress return HPROF_E_CANCELLED once the caller has cancelled.
 */
enum hprof_status hp_build_phase(struct hp_build *build, const char *name);
enum hprof_status hp_build_progress(const struct hp_build *build, uint64_t done,
				    uint64_t total);

/* To be called in long loops, whose counter is I. */
static inline void hp_build_trim_memory(const struct hp_build *build,
					uint64_t i)
{
	if (build->tables.spill && i % HP_TRIM_INTERVAL == 0)
		hp_tables_trim_memory(&build->tables);
}

/* The same for inner loops that are mostly short. */
static inline void hp_build_trim_memory_within(const struct hp_build *build,
					       uint64_t k)
{
	if (k % HP_TRIM_INTERVAL == HP_TRIM_INTERVAL - 1)
		hp_build_trim_memory(build, 0);
}

static inline enum hprof_status hp_build_table(struct hp_build *build,
					       struct hp_mapped_table *t,
					       uint64_t count, size_t width,
					       enum hp_mapped_table_use use)
{
	return hp_mapped_table_make(&build->tables, t, count, width, use,
				    build->error);
}

static inline void hp_build_free(struct hp_build *build,
				 struct hp_mapped_table *t)
{
	hp_mapped_table_free(&build->tables, t);
}

#endif
