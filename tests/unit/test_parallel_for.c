/* SPDX-License-Identifier: MIT */
/*
 * test_parallel_for.c - loops in threads come to each object once, one after the
 * other, and do something else once beside.
 */
#include <criterion/criterion.h>

#include <sched.h>
#include <string.h>

#include "base/parallel_for.h"

enum { MOST = 300000 };

static unsigned char seen[MOST];

/* Of one thread. */
struct walker {
	uint64_t count;
	uint32_t end; /* of its last span */
	bool bad;
};

static void walk(void *state, uint32_t begin, uint32_t end)
{
	struct walker *w = state;

	w->bad |= begin % 64 != 0 || begin < w->end || begin >= end;
	for (uint32_t i = begin; i < end; i++)
		seen[i]++;
	w->count += end - begin;
	w->end = end;
}

struct aside {
	const struct walker *walkers;
	unsigned runs;
	uint64_t before; /* objects that the only thread had come to */
};

static void run_aside(void *user)
{
	struct aside *a = user;

	a->runs++;
	a->before = a->walkers[0].count;
}

static void check(uint32_t count, unsigned threads)
{
	static struct walker walkers[HP_PARALLEL_FOR_MOST + 50];
	void *states[HP_PARALLEL_FOR_MOST + 50] = { NULL };
	struct aside aside = { .walkers = walkers };
	struct hp_beside beside = { run_aside, &aside };
	uint64_t sum = 0;

	memset(walkers, 0, sizeof walkers);
	memset(seen, 0, sizeof seen);
	for (unsigned i = 0; i < threads; i++)
		states[i] = &walkers[i];
	hp_parallel_for_crew(count, threads, states, walk, NULL, &beside);
	for (unsigned i = 0; i < threads; i++) {
		cr_expect(!walkers[i].bad, "%u in %u", i, threads);
		sum += walkers[i].count;
	}
	cr_expect_eq(sum, count);
	for (uint32_t i = 0; i < MOST; i++)
		cr_assert_eq(seen[i], i < count, "%u of %u", i, count);
	hp_beside_run(&beside);
	cr_expect_eq(aside.runs, 1);
	cr_expect_eq(aside.before, 0);
}

Test(parallel_for, comes_to_each_object_once)
{
	static const uint32_t counts[] = { 0,	 1,	63,    64,  65,
					   1000, 65536, 65537, MOST };
	static const unsigned threads[] = { 1, 2, 3, 64,
					    HP_PARALLEL_FOR_MOST + 50 };

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++)
			check(counts[i], threads[k]);
}

static void note_span(void *state, uint32_t begin, uint32_t end)
{
	(void)end;
	__atomic_fetch_add((unsigned *)state, begin == 0, __ATOMIC_RELAXED);
	__atomic_fetch_add((unsigned *)state + 1, 1, __ATOMIC_RELAXED);
}

/* Also a thousand objects are work for two; one thread takes all at once. */
Test(parallel_for, divides_small_counts)
{
	unsigned spans[2] = { 0, 0 };
	void *states[] = { spans, spans };

	hp_parallel_for(1000, 2, states, note_span);
	cr_expect_eq(spans[0], 1);
	cr_expect_eq(spans[1], 16);
	hp_parallel_for(1000, 1, states, note_span);
	cr_expect_eq(spans[1], 17);
	hp_beside_run(NULL);
}

/* As many objects as there can be: nothing wraps around. */
static void add_span(void *state, uint32_t begin, uint32_t end)
{
	__atomic_fetch_add((uint64_t *)state, end - begin, __ATOMIC_RELAXED);
}

Test(parallel_for, takes_all_that_32_bits_can_number)
{
	uint64_t sum = 0;
	void *states[] = { &sum, &sum, &sum };

	hp_parallel_for(UINT32_MAX, 3, states, add_span);
	cr_expect_eq(sum, UINT32_MAX);
}

/* ---- a crew -------------------------------------------------------------- */

enum { CREW = 3 };

struct working {
	struct hp_crew crew;
	uint64_t counts[CREW]; /* objects, by thread */
	void *states[CREW];
	unsigned until; /* this thread has taken something, or all is taken */
};

static void begin_working(struct working *w)
{
	*w = (struct working){ .until = CREW };
	hp_crew_init(&w->crew, CREW);
	for (unsigned i = 0; i < CREW; i++)
		w->states[i] = &w->counts[i];
}

static uint64_t taken(struct working *w)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CREW; i++)
		sum += __atomic_load_n(&w->counts[i], __ATOMIC_RELAXED);
	return sum;
}

/* The first thread takes nothing before. */
static void wait_for_thread(void *user)
{
	struct working *w = user;

	while (taken(w) < MOST &&
	       (w->until == CREW ||
		!__atomic_load_n(&w->counts[w->until], __ATOMIC_RELAXED)))
		sched_yield();
}

static void return_one(void *user)
{
	struct working *w = user;

	hp_crew_return(&w->crew);
	wait_for_thread(w);
}

/* Others, if they may, can take something meanwhile. */
static void add_slowly(void *state, uint32_t begin, uint32_t end)
{
	for (unsigned i = 0; i < 100; i++)
		sched_yield();
	add_span(state, begin, end);
}

static void loop(struct working *w, void (*aside)(void *))
{
	struct hp_beside beside = { aside, w };

	hp_parallel_for_crew(MOST, CREW, w->states, add_slowly, &w->crew,
			     &beside);
	cr_expect_eq(taken(w), MOST);
	hp_crew_done(&w->crew);
}

Test(parallel_for, leaves_as_many_threads_out_as_are_away, .timeout = 120)
{
	struct working w;

	begin_working(&w);
	hp_crew_leave(&w.crew);
	loop(&w, wait_for_thread);
	cr_expect_eq(w.counts[1], MOST);
	begin_working(&w);
	hp_crew_leave(&w.crew);
	hp_crew_leave(&w.crew);
	hp_crew_leave(&w.crew);
	loop(&w, NULL);
	cr_expect_eq(w.counts[0], MOST);
}

/* One of three is away: a loop for two need not wait. */
Test(parallel_for, leaves_nobody_out_if_there_are_processors, .timeout = 120)
{
	struct working w;
	struct hp_beside beside = { wait_for_thread, &w };

	begin_working(&w);
	hp_crew_leave(&w.crew);
	w.until = 1;
	hp_parallel_for_crew(MOST, 2, w.states, add_slowly, &w.crew, &beside);
	cr_expect_gt(w.counts[1], 0);
	cr_expect_eq(taken(&w), MOST);
	hp_crew_done(&w.crew);
}

Test(parallel_for, takes_threads_back_as_soon_as_they_return, .timeout = 120)
{
	struct working w;

	begin_working(&w);
	hp_crew_leave(&w.crew);
	hp_crew_leave(&w.crew);
	w.until = 1;
	loop(&w, return_one);
	cr_expect_gt(w.counts[1], 0);
	cr_expect_eq(w.counts[2], 0);
}

/* ---- several loops ------------------------------------------------------- */

enum { PASSES = 3 };

/* Each pass adds 1 to what the one before has made, and sees nothing unfinished. */
struct passing {
	unsigned char number;
	unsigned *wrong;
};

static void pass_on(void *state, uint32_t begin, uint32_t end)
{
	const struct passing *p = state;
	unsigned wrong = 0;

	for (uint32_t i = begin; i < end; i++)
		wrong += __atomic_load_n(&seen[MOST - 1 - i],
					 __ATOMIC_RELAXED) < p->number;
	for (uint32_t i = begin; i < end; i++)
		__atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(p->wrong, wrong, __ATOMIC_RELAXED);
}

static void count_run(void *user)
{
	++*(unsigned *)user;
}

/* Ends only when others have gone through all passes. */
static void wait_for_last(void *user)
{
	const unsigned *spans = user;

	while (!__atomic_load_n(&spans[1], __ATOMIC_RELAXED))
		sched_yield();
}

Test(parallel_for, goes_through_all_passes_beside_something_else)
{
	uint64_t sum = 0;
	unsigned spans[2] = { 0, 0 };
	struct hp_beside beside = { wait_for_last, spans };
	const struct hp_parallel_pass passes[] = {
		{ MOST, add_span, NULL, &sum },
		{ 64, note_span, NULL, spans },
	};

	hp_parallel_passes(passes, 2, 2, &beside);
	cr_expect_eq(sum, MOST);
	cr_expect_eq(spans[1], 1);
}

Test(parallel_for, begins_a_pass_when_the_one_before_is_done)
{
	for (unsigned threads = 1; threads <= 5; threads++) {
		unsigned wrong = 0, runs = 0, spans[2] = { 0, 0 };
		struct hp_beside beside = { count_run, &runs };
		struct passing states[PASSES];
		struct hp_parallel_pass passes[PASSES + 2] = {
			[PASSES] = { 0, pass_on, NULL, NULL },
			[PASSES + 1] = { 65, note_span, NULL, spans },
		};

		memset(seen, 0, sizeof seen);
		for (unsigned i = 0; i < PASSES; i++) {
			states[i] =
				(struct passing){ (unsigned char)i, &wrong };
			passes[i] =
				(struct hp_parallel_pass){ MOST, pass_on, NULL,
							   &states[i] };
		}
		hp_parallel_passes(passes, PASSES + 2, threads, &beside);
		cr_expect_eq(wrong, 0, "%u threads", threads);
		cr_expect_eq(runs, 1);
		cr_expect_eq(spans[0], 1);
		for (uint32_t i = 0; i < MOST; i++)
			cr_assert_eq(seen[i], PASSES);
	}
}
