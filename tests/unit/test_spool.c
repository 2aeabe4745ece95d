/* SPDX-License-Identifier: MIT */
/*
 * test_spool.c - all bytes come out as they went in, through memory and file,
 * whoever is slower; and without a file when there is no room for one.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tools/capture/spool.h"

#define MIB ((uint64_t)1 << 20)

/* The byte at an offset: no piece looks like another. */
static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at ^ at >> 8 ^ at >> 16 ^ at >> 24);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

struct putter {
	struct spool *spool;
	uint64_t total, most; /* bytes; of one put */
	_Atomic uint64_t put;
	pthread_t thread;
};

static void *put_all(void *arg)
{
	struct putter *p = arg;
	uint32_t random = 1;

	while (p->put < p->total) {
		size_t room;
		uint8_t *out = spool_room(p->spool, &room);
		if (!out) {
			spool_wait_room(p->spool, 1000);
			continue;
		}
		size_t size = 1 + next_random(&random) % p->most;
		if (size > room)
			size = room;
		if (size > p->total - p->put)
			size = (size_t)(p->total - p->put);
		for (size_t i = 0; i < size; i++)
			out[i] = byte_at(p->put + i);
		spool_put(p->spool, size);
		p->put += size;
	}
	spool_end(p->spool);
	return NULL;
}

static void start(struct putter *p, uint64_t total, uint64_t most)
{
	*p = (struct putter){ .spool = spool_new(".", false),
			      .total = total,
			      .most = most };
	cr_assert_not_null(p->spool);
	cr_assert_eq(pthread_create(&p->thread, NULL, put_all, p), 0);
}

/* Takes COUNT bytes, or to the end; compares each. */
static void take(struct putter *p, uint64_t *at, uint64_t count)
{
	static uint8_t bytes[1 << 16];
	uint32_t random = 2;

	for (uint64_t end = *at + count; *at < end;) {
		size_t room = 1 + next_random(&random) % sizeof bytes;
		int64_t n = spool_take(p->spool, bytes, room);
		cr_assert_geq(n, 0);
		if (n == 0)
			break;
		for (int64_t i = 0; i < n; i++)
			if (bytes[i] != byte_at(*at + (uint64_t)i))
				cr_assert_fail("wrong at %llu",
					       (unsigned long long)*at);
		*at += (uint64_t)n;
	}
}

/* Waits until so many bytes have come in all. */
static void wait_for_put(const struct putter *p, uint64_t put)
{
	while (p->put < put && p->put < p->total)
		sched_yield();
}

static void stop(struct putter *p)
{
	pthread_join(p->thread, NULL);
	spool_free(p->spool);
}

Test(spool, as_they_come)
{
	struct putter p;
	uint64_t at = 0;

	start(&p, 100 * MIB, 3 * MIB);
	take(&p, &at, UINT64_MAX / 2);
	cr_assert_eq(at, 100 * MIB);
	cr_assert_eq(spool_taken(p.spool), at);
	stop(&p);
}

/* The putter never waits: all is in memory and file before one is taken. */
Test(spool, through_the_file)
{
	struct putter p;
	uint64_t at = 0;

	start(&p, 150 * MIB, 2 * MIB);
	pthread_join(p.thread, NULL);
	cr_assert_eq(p.put, 150 * MIB);
	take(&p, &at, UINT64_MAX / 2);
	cr_assert_eq(at, 150 * MIB);
	spool_free(p.spool);
}

/* Sometimes one side is faster, sometimes the other. */
Test(spool, by_turns)
{
	struct putter p;
	uint64_t at = 0;

	start(&p, 300 * MIB, 1 * MIB);
	for (unsigned i = 0; i < 6; i++) {
		wait_for_put(&p, at + 10 * MIB);
		take(&p, &at, 50 * MIB);
	}
	take(&p, &at, UINT64_MAX / 2);
	cr_assert_eq(at, 300 * MIB);
	stop(&p);
}

/* No room for a file: the putter waits, and nothing is lost. */
Test(spool, no_file)
{
	const struct rlimit limit = { 3 * MIB + 17, 3 * MIB + 17 };
	struct putter p;
	uint64_t at = 0;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	start(&p, 200 * MIB, 2 * MIB);
	wait_for_put(&p, 25 * MIB); /* there is memory for more */
	while (at < p.total) {
		cr_assert_lt(p.put, at + 40 * MIB, "it waits");
		take(&p, &at, MIB);
	}
	stop(&p);
}

Test(spool, no_folder)
{
	struct putter p = { .total = 80 * MIB, .most = MIB };
	uint64_t at = 0;

	p.spool = spool_new("/nonexistent", false);
	cr_assert_eq(pthread_create(&p.thread, NULL, put_all, &p), 0);
	take(&p, &at, UINT64_MAX / 2);
	cr_assert_eq(at, 80 * MIB);
	stop(&p);
}

/* As much as the memory holds, and then it waits, though there is a folder. */
Test(spool, in_memory)
{
	struct putter p = { .total = 80 * MIB, .most = MIB };
	uint64_t at = 0;

	p.spool = spool_new(".", true);
	cr_assert_eq(pthread_create(&p.thread, NULL, put_all, &p), 0);
	while (at < p.total) {
		cr_assert_lt(p.put, at + 40 * MIB, "it waits");
		take(&p, &at, MIB);
	}
	cr_assert_eq(at, 80 * MIB);
	stop(&p);
}

/* The rest is not wanted: neither side waits any more. */
Test(spool, dropped)
{
	struct putter p;
	uint64_t at = 0;
	uint8_t byte;

	start(&p, 400 * MIB, MIB);
	take(&p, &at, 10 * MIB);
	spool_drop(p.spool);
	cr_assert_eq(spool_take(p.spool, &byte, 1), 0);
	pthread_join(p.thread, NULL);
	cr_assert_eq(p.put, 400 * MIB);
	cr_assert_eq(spool_take(p.spool, &byte, 1), 0);
	spool_free(p.spool);
}

Test(spool, nothing)
{
	struct spool *spool = spool_new(NULL, false);
	uint8_t byte;

	spool_end(spool);
	cr_assert_eq(spool_take(spool, &byte, 1), 0);
	spool_free(spool);
	spool_free(NULL);
}
