/* SPDX-License-Identifier: MIT */
/*
 * fuzz_graph.c - the graph of any bytes is what the slow reference says, with
 * one thread and with several; that of many objects adds up and is the same. So is
 * what could be saved.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../same_waste.h"
#include "../slow_heap.h"
#include "../inputs.h"
#include "target.h"

static void fail(const struct hprof_graph_options *o, const char *what,
		 uint64_t at)
{
	fprintf(stderr, "%u threads, hold %u%s: object %llu: %s\n", o->threads,
		o->hold, o->unreachable ? ", unreachable too" : "",
		(unsigned long long)at, what);
	abort();
}

/* The retained sizes of the roots' children add up to all reachable bytes. */
static uint64_t add_up(const struct hprof_heap *heap,
		       const struct hprof_graph_options *o)
{
	struct hprof_graph *g;
	uint64_t live = 0, hash = 0;

	if (hprof_graph_build(heap, o, &g, NULL) != HPROF_OK)
		fail(o, "no graph", 0);
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		uint64_t above = hprof_graph_dominator(g, i);
		if (above == HPROF_NO_OBJECT && hprof_graph_is_reachable(g, i))
			live += hprof_graph_retained(g, i);
		hash = (hash ^ above ^ hprof_graph_retained(g, i) << 8) *
		       0x9e3779b97f4a7c15;
	}
	if (live != hprof_graph_totals(g)->reachable_shallow)
		fail(o, "does not add up", 0);
	hprof_graph_free(g);
	return hash;
}

static void try_options(const struct hprof_heap *heap, bool unreachable,
			unsigned hold, unsigned threads)
{
	struct hprof_graph_options o = {
		.size = sizeof o,
		.threads = threads,
		.hold = hold,
		.unreachable = unreachable,
		.dominators = true,
	};
	uint64_t at = 0, hash;
	const char *wrong;

	if (hprof_heap_count(heap) <= SLOW_MOST) {
		wrong = graph_wrong(heap, &o, &at);
		if (wrong)
			fail(&o, wrong, at);
		return;
	}
	hash = add_up(heap, &o);
	o.threads = 4 - threads;
	o.edges = true;
	if (add_up(heap, &o) != hash)
		fail(&o, "threads make a difference", 0);
}

static void try_waste(const struct hprof_heap *heap, unsigned hold)
{
	const char *what = waste_differs(heap, hold);

	if (!what)
		return;
	fprintf(stderr, "waste, hold %u: %s\n", hold, what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct hprof_heap *heap;
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (hprof_heap_open(INPUT_PATH(path), NULL, &heap, NULL) >= 0) {
		try_options(heap, false, 0, 1);
		try_options(heap, true, size % 16, 3);
		try_waste(heap, size % 16);
		hprof_heap_close(heap);
	}
	close(fd);
	return 0;
}
