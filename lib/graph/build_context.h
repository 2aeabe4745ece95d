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
	HP_BREATH = 1 << 12, /* rows between two breaths */
	HP_SPARE = 64	     /* rows behind a table, for looking ahead */
};

struct hp_job {
	struct hp_tables tables;
	unsigned threads;
	void (*progress)(void *user, const char *phase, uint64_t done,
			 uint64_t total);
	void *progress_user;
	struct hprof_phase phases[HP_PHASES];
	size_t phase_count;
	const char *phase;
	double wall, cpu; /* when the phase began */
	struct hprof_error *error;
};

/* The phase before ends, NAME begins; NULL: none. */
void hp_job_phase(struct hp_job *job, const char *name);
void hp_job_progress(const struct hp_job *job, uint64_t done, uint64_t total);

/* Now and then in long loops: I is their counter. */
static inline void hp_job_breathe(const struct hp_job *job, uint64_t i)
{
	if (job->tables.spill && i % HP_BREATH == 0)
		hp_tables_breathe(&job->tables);
}

/* The same in loops inside that are mostly short. */
static inline void hp_job_breathe_within(const struct hp_job *job, uint64_t k)
{
	if (k % HP_BREATH == HP_BREATH - 1)
		hp_job_breathe(job, 0);
}

static inline enum hprof_status hp_job_table(struct hp_job *job,
					     struct hp_table *t,
					     uint64_t count, size_t width,
					     enum hp_table_use use)
{
	return hp_table_make(&job->tables, t, count, width, use, job->error);
}

static inline void hp_job_free(struct hp_job *job, struct hp_table *t)
{
	hp_table_free(&job->tables, t);
}

#endif
