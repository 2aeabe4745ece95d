/* SPDX-License-Identifier: MIT */
/* prefix_sums.c - see prefix_sums.h. Each range is summed up before it is changed. */
#include "graph/prefix_sums.h"

#include "graph/edge_partitions.h"

struct summing {
	const struct hp_build *build;
	uint32_t *const *tables;
	unsigned count;
	/* Of each range, then of all before it, then up to its end. */
	uint32_t sums[HP_RANGES];
};

static void sum_range(void *user, const struct hp_range *range)
{
	struct summing *s = user;
	uint32_t sum = 0;

	for (uint64_t v = range->begin; v < range->end; v++) {
		for (unsigned i = 0; i < s->count; i++)
			sum += s->tables[i][v];
		hp_build_trim_memory(s->build, v);
	}
	s->sums[range->number] = sum;
}

static void change_range(void *user, const struct hp_range *range)
{
	struct summing *s = user;
	uint32_t sum = s->sums[range->number];

	for (uint64_t v = range->begin; v < range->end; v++) {
		for (unsigned i = 0; i < s->count; i++) {
			const uint32_t n = s->tables[i][v];
			s->tables[i][v] = sum;
			sum += n;
		}
		hp_build_trim_memory(s->build, v);
	}
	s->sums[range->number] = sum;
}

uint32_t hp_prefix_sums(const struct hp_build *build, uint32_t *const *tables,
			unsigned count, uint64_t rows)
{
	struct summing s = { build, tables, count, { 0 } };
	uint32_t all = 0;

	/* A single range begins with 0. */
	if (build->threads > 1)
		hp_ranges_run(build, rows, sum_range, &s);
	for (unsigned i = 0; i < HP_RANGES; i++) {
		const uint32_t n = s.sums[i];
		s.sums[i] = all;
		all += n;
	}
	hp_ranges_run(build, rows, change_range, &s);
	return build->threads > 1 ? all : s.sums[0];
}
