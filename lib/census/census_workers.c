/* SPDX-License-Identifier: MIT */
/*
 * census_workers.c - each thread has a tally of its own and takes the next unit
 * when it is free. Runs of objects that continue across the edges of units are
 * joined afterwards in file order, so that nothing depends on which thread
 * counted which unit.
 */
#include "census/census_workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread_pool.h"

struct worker {
	struct hp_census_workers *all;
	struct hp_tally tally;
	struct hp_extents extents;
	/* Of the tally after the last unit; protected by the pool's lock. */
	uint64_t sample_mask;
	size_t sample_count;
	uint64_t mask; /* the common sample_mask when it took the unit */
};

struct hp_census_workers {
	const struct hprof_reader *parent;
	const struct hp_object_scan_ops *ops;
	bool extents;
	struct hp_thread_pool *pool;
	struct hp_run **runs;
	size_t run_count, run_room;
	uint64_t sample_mask; /* required by the total of all samples */
	void **states;	      /* the workers' addresses */
	unsigned worker_count;
	struct worker workers[];
};

static void thin_to(struct hp_tally *t, uint64_t mask)
{
	while (t->sample_mask < mask)
		hp_tally_thin_samples(t);
	t->cursor.region = UINT64_MAX; /* forces a new look-up */
}

static bool count_unit(void *state, void *item)
{
	struct worker *worker = state;
	struct hp_run *run = item;
	struct hprof_reader_options options = { .size = sizeof options };
	struct hp_tally *t = &worker->tally;
	struct hp_census_worker counter = { t, NULL };
	const struct hp_object_scan pass = { worker->all->ops, &counter,
					     worker->all->extents
						     ? &worker->extents
						     : NULL };
	struct hprof_reader *reader;

	thin_to(t, worker->mask);
	options.diagnostic = hp_diag_list_add;
	options.user = &run->diagnostics;
	if (hprof_reader_open_unit(worker->all->parent, &run->unit, &options,
				   &reader, NULL) != HPROF_OK)
		return false;
	hp_tally_begin(t);
	if (run->unit.in_record)
		hp_tally_mark(t, run->unit.offset, true);
	hp_object_scan_read(&pass, reader);
	hp_tally_mark_end(t, run->unit.end);
	run->edge = t->cursor;
	bool proved = hprof_reader_unit_proved(reader);
	hprof_reader_close(reader);
	return proved && !t->no_memory && !t->overflowed &&
	       !worker->extents.no_memory;
}

static void take_mask(void *state)
{
	struct worker *worker = state;

	worker->mask = worker->all->sample_mask;
}

/*
 * Without this, each thread would fill a whole table of samples, most of which
 * the merge would drop. So all threads thin their samples as soon as they have
 * too many together.
 */
static void share_samples(void *state)
{
	struct worker *worker = state;
	struct hp_census_workers *all = worker->all;
	size_t count = 0;

	worker->sample_mask = worker->tally.sample_mask;
	worker->sample_count = worker->tally.sample_count;
	if (all->sample_mask < worker->sample_mask)
		all->sample_mask = worker->sample_mask;
	for (unsigned i = 0; i < all->worker_count; i++)
		if (all->workers[i].sample_mask == all->sample_mask)
			count += all->workers[i].sample_count;
	if (count >= HP_SAMPLE_MAX)
		all->sample_mask = all->sample_mask << 1 | 1;
}

static bool init_workers(struct hp_census_workers *c, unsigned threads,
			 const struct hp_before *before)
{
	for (unsigned i = 0; i < threads; i++) {
		struct worker *worker = &c->workers[i];
		worker->all = c;
		c->states[i] = worker;
		if (hp_tally_init(&worker->tally, before->id_size) !=
		    HPROF_OK) {
			hp_tally_done(&worker->tally);
			return i > 0;
		}
		hp_tally_know(&worker->tally, before);
		c->worker_count++;
	}
	return true;
}

struct hp_census_workers *
hp_census_workers_new(const struct hprof_reader *parent, unsigned threads,
		      const struct hp_before *before,
		      const struct hp_object_scan_ops *ops, bool extents)
{
	static const struct hp_thread_pool_ops pool_ops = {
		.run = count_unit, .take = take_mask, .give = share_samples
	};
	struct hp_census_workers *c =
		hp_calloc(1, sizeof *c + threads * sizeof c->workers[0]);

	if (!c)
		return NULL;
	c->parent = parent;
	c->ops = ops;
	c->extents = extents;
	c->states = hp_calloc(threads, sizeof *c->states);
	if (c->states && init_workers(c, threads, before))
		c->pool = hp_thread_pool_new(&pool_ops, c->states,
					     c->worker_count);
	if (!c->pool) {
		hp_census_workers_free(c);
		return NULL;
	}
	return c;
}

enum hprof_status hp_census_workers_add(struct hp_census_workers *c,
					const struct hprof_unit *unit)
{
	struct hp_run *run;

	if (hp_grow((void **)&c->runs, &c->run_room, c->run_count,
		    sizeof *c->runs) != HPROF_OK)
		return HPROF_E_NOMEM;
	run = hp_calloc(1, sizeof *run);
	if (!run)
		return HPROF_E_NOMEM;
	run->unit = *unit;
	c->runs[c->run_count++] = run;
	return hp_thread_pool_add(c->pool, run, unit->end - unit->offset);
}

uint64_t hp_census_workers_wait(struct hp_census_workers *c, unsigned ms,
				bool *ret_idle)
{
	return hp_thread_pool_wait(c->pool, ms, ret_idle);
}

/* ---- merging ------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
	const struct hp_run *x = *(struct hp_run *const *)a;
	const struct hp_run *y = *(struct hp_run *const *)b;

	return x->unit.offset < y->unit.offset
		       ? -1
		       : x->unit.offset > y->unit.offset;
}

/*
 * All runs by offset, in an array that the caller frees; NULL if out of memory.
 */
static struct hp_run **sorted_runs(struct hp_census_workers *c,
				   struct hp_run *own, size_t own_count)
{
	size_t count = c->run_count + own_count;
	struct hp_run **all = hp_calloc(count + 1, sizeof *all);

	if (!all)
		return NULL;
	for (size_t i = 0; i < c->run_count; i++)
		all[i] = c->runs[i];
	for (size_t i = 0; i < own_count; i++)
		all[c->run_count + i] = &own[i];
	qsort(all, count, sizeof *all, compare_runs);
	return all;
}

static void stitch(struct hp_tally *into, struct hp_run **all, size_t count)
{
	const struct hp_last_object *before = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!all[i]->edge.any)
			continue;
		if (before)
			hp_tally_stitch(into, before, &all[i]->edge);
		before = &all[i]->edge;
	}
}

/* Samples are needed only if ids do not ascend. */
static void drop_useless_samples(struct hp_census_workers *c,
				 struct hp_tally *into)
{
	uint64_t descents = into->descents;

	for (unsigned i = 0; i < c->worker_count; i++)
		descents += c->workers[i].tally.descents;
	if (descents)
		return;
	into->sample_count = 0;
	for (unsigned i = 0; i < c->worker_count; i++)
		c->workers[i].tally.sample_count = 0;
}

bool hp_census_workers_finish(struct hp_census_workers *c,
			      struct hp_census *into, struct hp_run *own,
			      size_t own_count)
{
	struct hp_run **all;

	if (!hp_thread_pool_join(c->pool))
		return false;
	all = sorted_runs(c, own, own_count);
	if (!all)
		return false;
	stitch(&into->tally, all, c->run_count + own_count);
	hp_free(all);
	drop_useless_samples(c, &into->tally);
	for (size_t i = 0; i < c->run_count; i++)
		hp_diag_list_move(&into->diagnostics, &c->runs[i]->diagnostics);
	for (unsigned i = 0; i < c->worker_count; i++)
		hp_tally_end_ids(&c->workers[i].tally);
	for (unsigned i = 0; i < c->worker_count; i++)
		if (hp_tally_merge(&into->tally, &c->workers[i].tally) !=
			    HPROF_OK ||
		    hp_extents_append(&into->extents, &c->workers[i].extents))
			return false;
	return !into->tally.no_memory && !into->tally.overflowed;
}

void hp_census_workers_free(struct hp_census_workers *c)
{
	if (!c)
		return;
	hp_thread_pool_free(c->pool);
	for (unsigned i = 0; i < c->worker_count; i++) {
		hp_tally_done(&c->workers[i].tally);
		hp_extents_done(&c->workers[i].extents);
	}
	for (size_t i = 0; i < c->run_count; i++) {
		hp_diag_list_done(&c->runs[i]->diagnostics);
		hp_free(c->runs[i]);
	}
	hp_free(c->runs);
	hp_free(c->states);
	hp_free(c);
}
