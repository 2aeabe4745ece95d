/* SPDX-License-Identifier: MIT */
/*
 * fuzz_summary.c - the summary of any bytes is the same with one thread and
 * with several, and adds up.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../same.h"
#include "../inputs.h"
#include "target.h"

static enum hprof_status read_with(const char *path, unsigned threads,
				   struct hprof_summary **ret)
{
	*ret = NULL;
	return hprof_summary_read(INPUT(.path = path, .threads = threads), NULL,
				  ret, NULL);
}

static void add_up(const struct hprof_summary *s)
{
	uint64_t shallow = 0, data = 0;

	for (size_t i = 0; i < s->class_count; i++) {
		shallow += s->class_rows[i].shallow;
		data += s->class_rows[i].data;
	}
	if (shallow != s->shallow || data != s->data)
		abort();
}

static void compare(const char *path, unsigned threads)
{
	struct hprof_summary *one, *more;
	enum hprof_status status = read_with(path, 1, &one);
	const char *what = NULL;

	if (read_with(path, threads, &more) != status)
		abort();
	if (status >= 0) {
		add_up(one);
		what = summary_difference(one, more);
	}
	if (what) {
		fprintf(stderr, "%u threads: another %s\n", threads, what);
		abort();
	}
	hprof_summary_free(more);
	hprof_summary_free(one);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	compare(path, size % 2 ? 2 : 3);
	close(fd);
	return 0;
}
