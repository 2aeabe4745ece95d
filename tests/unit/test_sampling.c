/* SPDX-License-Identifier: MIT */
/*
 * test_sampling.c - the parts of the samplers that need no JVM: the ring, the
 * map of code, and the timers.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/sampling/code_map.h"
#include "agent/sampling/cpu_timers.h"
#include "agent/sampling/sample_ring.h"
#include "agent/sampling/thread_choice.h"
#include "base/mem.h"

/* ---- whose samples count ------------------------------------------------- */

Test(sampling, threads_that_differ_from_the_rest)
{
	struct ag_thread_choice c = { 0 };

	cr_assert(ag_choice_has(&c, 0) && ag_choice_has(&c, 7));
	cr_assert(ag_choice_one(&c, 7, false));
	cr_assert(!ag_choice_has(&c, 7) && ag_choice_has(&c, 8));
	cr_assert(ag_choice_one(&c, 7, false));
	cr_assert(ag_choice_one(&c, 7, true));
	cr_assert(ag_choice_has(&c, 7));
	cr_assert_eq(c.count, 0);
	ag_choice_all(&c, false);
	cr_assert(ag_choice_one(&c, 8, true));
	cr_assert(!ag_choice_has(&c, 0) && !ag_choice_has(&c, 7));
	cr_assert(ag_choice_has(&c, 8));
	ag_choice_all(&c, true);
	cr_assert(ag_choice_has(&c, 7) && ag_choice_has(&c, 8));
}

Test(sampling, too_many_threads_that_differ)
{
	struct ag_thread_choice c = { 0 };

	for (uint32_t i = 1; i <= AG_CHOICE_MOST; i++)
		cr_assert(ag_choice_one(&c, i, false));
	cr_assert_not(ag_choice_one(&c, 1000, false));
	cr_assert(ag_choice_has(&c, 1000));
	cr_assert(ag_choice_one(&c, 5, true));
	cr_assert(ag_choice_one(&c, 1000, false));
	cr_assert(ag_choice_has(&c, 5) && !ag_choice_has(&c, 1000));
}

/* ---- the ring ------------------------------------------------------------ */

enum { DEPTH = 3, WRITERS = 4, EACH = 20000 };

Test(sampling, a_full_ring_takes_no_more)
{
	struct ag_sample_ring *ring = ag_ring_new(DEPTH);
	uint64_t put = 0, taken = 0;
	struct ag_sample *s;

	cr_assert_not_null(ring);
	cr_assert_null(ag_ring_take(ring));
	while ((s = ag_ring_claim(ring)) != NULL) {
		s->weight = put++;
		ag_ring_put(s);
	}
	cr_assert_gt(put, 0);
	ag_ring_lose(ring, 2);
	cr_assert_eq(ag_ring_lost(ring), 2);
	cr_assert_eq(ag_ring_lost(ring), 0);
	while ((s = ag_ring_take(ring)) != NULL) {
		cr_assert_eq(s->weight, taken++);
		ag_ring_give_back(ring, s);
	}
	cr_assert_eq(taken, put);
	cr_assert_not_null(ag_ring_claim(ring));
	ag_ring_free(ring);
}

/* What is claimed but not put holds up the reader, not the writers. */
Test(sampling, a_sample_is_seen_when_it_is_complete)
{
	struct ag_sample_ring *ring = ag_ring_new(DEPTH);
	struct ag_sample *first = ag_ring_claim(ring);
	struct ag_sample *second = ag_ring_claim(ring);

	cr_assert(first && second && first != second);
	ag_ring_put(second);
	cr_assert_null(ag_ring_take(ring));
	ag_ring_put(first);
	cr_assert_eq(ag_ring_take(ring), first);
	ag_ring_give_back(ring, first);
	cr_assert_eq(ag_ring_take(ring), second);
	ag_ring_free(ring);
}

Test(sampling, no_memory_for_a_ring)
{
	hp_mem_fail_after(0);
	cr_assert_null(ag_ring_new(DEPTH));
	hp_mem_fail_after(-1);
}

struct writer {
	struct ag_sample_ring *ring;
	int32_t number;
	pthread_t thread;
};

static atomic_int ended;

static void *write_samples(void *writer)
{
	const struct writer *w = writer;

	for (int i = 0; i < EACH; i++) {
		struct ag_sample *s = ag_ring_claim(w->ring);

		if (!s) {
			ag_ring_lose(w->ring, 1);
			continue;
		}
		s->tid = w->number;
		s->weight = (uint64_t)i;
		for (int j = 0; j < DEPTH; j++)
			s->frames[j].location = w->number * EACH + i;
		ag_ring_put(s);
	}
	atomic_fetch_add(&ended, 1);
	return NULL;
}

/* Each sample is whole, in the order of its writer, and none is there twice. */
Test(sampling, many_writers)
{
	struct ag_sample_ring *ring = ag_ring_new(DEPTH);
	struct writer writers[WRITERS];
	int64_t last[WRITERS];
	uint64_t seen = 0;

	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ .ring = ring, .number = i };
		last[i] = -1;
		cr_assert_eq(pthread_create(&writers[i].thread, NULL,
					    write_samples, &writers[i]),
			     0);
	}
	for (bool more = true; more;) {
		struct ag_sample *s;

		more = atomic_load(&ended) < WRITERS;
		while ((s = ag_ring_take(ring)) != NULL) {
			cr_assert_gt((int64_t)s->weight, last[s->tid]);
			last[s->tid] = (int64_t)s->weight;
			for (int j = 0; j < DEPTH; j++)
				cr_assert_eq(s->frames[j].location,
					     s->tid * EACH + last[s->tid]);
			ag_ring_give_back(ring, s);
			seen++;
		}
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
	cr_assert_eq(seen + ag_ring_lost(ring), WRITERS * EACH);
	ag_ring_free(ring);
}

/* ---- the map of code ----------------------------------------------------- */

static jmethodID method(uintptr_t n)
{
	return (jmethodID)n;
}

static const void *code(uintptr_t address)
{
	return (const void *)address;
}

Test(sampling, code_is_found_by_any_of_its_addresses)
{
	ag_code_add(method(1), code(0x10000), 0x10);
	ag_code_add(method(2), code(0x10010), 0x5000); /* several pages */
	cr_assert_eq(ag_code_method(0x10000), method(1));
	cr_assert_eq(ag_code_method(0x1000f), method(1));
	cr_assert_eq(ag_code_method(0x10010), method(2));
	cr_assert_eq(ag_code_method(0x12345), method(2));
	cr_assert_eq(ag_code_method(0x1500f), method(2));
	cr_assert_null(ag_code_method(0x15010));
	cr_assert_null(ag_code_method(0xffff));
}

/* The place of code that is gone is used again, by less or more code. */
Test(sampling, code_is_removed_and_replaced)
{
	ag_code_add(method(1), code(0x20000), 0x3000);
	ag_code_remove(code(0x20000));
	cr_assert_null(ag_code_method(0x20000));
	cr_assert_null(ag_code_method(0x22000));
	ag_code_remove(code(0x20000));
	ag_code_add(method(2), code(0x20000), 0x3000);
	ag_code_add(method(3), code(0x20000), 0x100);
	cr_assert_eq(ag_code_method(0x20000), method(3));
	cr_assert_null(ag_code_method(0x22000));
	ag_code_add(method(4), code(0), 0);
	cr_assert_null(ag_code_method(0));
}

Test(sampling, no_memory_for_code)
{
	hp_mem_fail_after(0);
	ag_code_add(method(1), code(0x30000), 0x10);
	hp_mem_fail_after(-1);
	cr_assert_null(ag_code_method(0x30000));
}

/* ---- timers -------------------------------------------------------------- */

enum { INTERVAL_NS = 2000000, PERIODS = 100 };

static atomic_uint_least64_t weight, strangers;

static void on_signal(int number, siginfo_t *info, void *context)
{
	const uint64_t n = ag_timers_weight(info);

	(void)number;
	(void)context;
	atomic_fetch_add(&weight, n);
	atomic_fetch_add(&strangers, n == 0);
	ag_timers_rearm(info);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static volatile unsigned sink;

static uint64_t burn(uint64_t ns)
{
	const uint64_t start = cpu_ns();
	uint64_t used;

	do {
		for (unsigned i = 0; i < 10000; i++)
			sink += i;
		used = cpu_ns() - start;
	} while (used < ns);
	return used;
}

static void handle(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGPROF, &action, NULL);
}

/* As many periods as the thread's own clock says; one is still open. */
static void check_periods(void)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	uint64_t used, got;

	cr_assert(ag_timers_add(tid, 7));
	cr_assert(ag_timers_add(tid, 7)); /* it keeps the one it has */
	used = burn((uint64_t)PERIODS * INTERVAL_NS);
	cr_assert_eq(ag_timers_serial(tid), 7);
	ag_timers_remove(tid);
	cr_assert_eq(ag_timers_serial(tid), 0);
	got = atomic_load(&weight);
	cr_assert_geq(got, used / INTERVAL_NS * 8 / 10);
	cr_assert_leq(got, used / INTERVAL_NS * 11 / 10);
	burn(5 * INTERVAL_NS);
	cr_assert_eq(atomic_load(&weight), got);
	cr_assert_eq(atomic_load(&strangers), 0);
	ag_timers_remove(tid);
}

Test(sampling, a_thread_gets_a_signal_for_each_period)
{
	handle();
	ag_timers_init(SIGPROF, INTERVAL_NS);
	check_periods();
}

/*
 * With few file descriptors there are no counters, but timers of POSIX. The
 * test's own needs some afterwards.
 */
Test(sampling, without_counters)
{
	struct rlimit old, few;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ 3, old.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	handle();
	ag_timers_init(SIGPROF, INTERVAL_NS);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
	check_periods();
	cr_assert_eq(ag_timers_kind().counters, 0);
	cr_assert_eq(ag_timers_kind().timers, 1);
}

Test(sampling, signals_of_others_are_told_apart)
{
	handle();
	ag_timers_init(SIGPROF, INTERVAL_NS);
	cr_assert_eq(raise(SIGPROF), 0);
	cr_assert_eq(atomic_load(&strangers), 1);
	cr_assert_eq(atomic_load(&weight), 0);
}

Test(sampling, all_timers_end)
{
	const pid_t tid = (pid_t)syscall(SYS_gettid);
	uint64_t got;

	handle();
	ag_timers_init(SIGPROF, INTERVAL_NS);
	cr_assert(ag_timers_add(tid, 7));
	ag_timers_remove_all();
	got = atomic_load(&weight);
	burn(5 * INTERVAL_NS);
	cr_assert_eq(atomic_load(&weight), got);
}

Test(sampling, a_thread_that_is_gone_has_no_timer)
{
	ag_timers_init(SIGPROF, INTERVAL_NS);
	cr_assert_not(ag_timers_add(0x3fffffff, 7));
	cr_assert_eq(ag_timers_kind().refused, 1);
}
