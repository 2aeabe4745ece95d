/* SPDX-License-Identifier: MIT */
/*
 * fuzz_heap.c - the heap of any bytes agrees with itself, with its summary,
 * and is the same with one thread and with several.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../visit.h"
#include "../inputs.h"
#include "target.h"

static enum hprof_status visit_with(const char *path, unsigned threads,
				    uint64_t *ret_hash)
{
	struct hprof_heap *heap;
	enum hprof_status status = hprof_heap_open(
		INPUT(.path = path, .threads = threads), NULL, &heap, NULL);
	const struct hprof_summary *s;
	const char *wrong;

	if (status < 0)
		return status;
	s = hprof_heap_summary(heap);
	wrong = heap_visit(heap, ret_hash);
	if (!wrong && hprof_heap_count(heap) > s->objects)
		wrong = "more objects than the summary has";
	if (!wrong && hprof_heap_root_count(heap) != s->roots)
		wrong = "another number of roots";
	if (wrong) {
		fprintf(stderr, "%u threads: %s\n", threads, wrong);
		abort();
	}
	hprof_heap_close(heap);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint64_t one = 0, more = 0;
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (visit_with(path, 1, &one) !=
	    visit_with(path, size % 2 ? 2 : 3, &more))
		abort();
	if (one != more) {
		fprintf(stderr, "threads make a difference\n");
		abort();
	}
	close(fd);
	return 0;
}
