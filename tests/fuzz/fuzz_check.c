/* SPDX-License-Identifier: MIT */
/*
 * fuzz_check.c - any bytes have a verdict: only known codes, sorted, counted
 * right; single readers add theirs and change nothing else.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hprof.h>

#include "../inputs.h"
#include "target.h"

static const struct hprof_check_code *find(const char *name)
{
	const struct hprof_check_code *code;

	for (unsigned i = 0; (code = hprof_check_code(i)); i++)
		if (strcmp(code->code, name) == 0)
			return code;
	fprintf(stderr, "unknown code %s\n", name);
	abort();
}

struct listed {
	uint64_t offset;
	size_t count;
};

static void look_at(void *user, const struct hprof_diagnostic *d)
{
	struct listed *listed = user;

	if (d->severity > find(d->code)->severity || !d->text[0] ||
	    d->offset < listed->offset)
		abort();
	listed->offset = d->offset;
	listed->count++;
}

static struct hprof_check_result *check(const char *path, unsigned readers)
{
	struct hprof_check_options options = { .size = sizeof(options),
					       .readers = readers };
	struct hprof_check_result *result = NULL;
	struct listed listed = { 0 };
	uint64_t count = 0, most = 0;

	if (hprof_check(INPUT_PATH(path), &options, &result, NULL) < 0)
		return NULL;
	hprof_check_result_list(result, look_at, &listed);
	for (size_t i = 0; i < result->code_count; i++) {
		const struct hprof_check_code *code =
			find(result->codes[i].code);
		if (code->readers & ~readers)
			abort();
		count += result->codes[i].count;
		most += result->codes[i].count < 10 ? result->codes[i].count
						    : 10;
	}
	if (count != result->errors + result->warnings + result->notes ||
	    listed.count != most)
		abort();
	return result;
}

static uint64_t common(const struct hprof_check_result *result)
{
	uint64_t count = 0;

	for (size_t i = 0; i < result->code_count; i++)
		if (find(result->codes[i].code)->readers == 0)
			count += result->codes[i].count;
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct hprof_check_result *plain, *all;
	char path[64];

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	plain = check(path, 0);
	all = check(path, HPROF_FOR_JDK | HPROF_FOR_MAT | HPROF_FOR_VISUALVM);
	if (!plain != !all || (plain && (common(plain) != common(all) ||
					 plain->objects != all->objects ||
					 plain->references != all->references)))
		abort();
	hprof_check_result_free(plain);
	hprof_check_result_free(all);
	close(fd);
	return 0;
}
