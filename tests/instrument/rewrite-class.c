/* SPDX-License-Identifier: MIT */
/*
 * rewrite-class.c - rewrites class files as the agent does with cpu=times.
 *
 * rewrite-class OUT < NAMES: each line names a class file below the current
 * directory; the result is written to the same name below OUT, whose folders
 * exist. Prints what was left out, and at the end the counts. Exit status 1 if
 * a file is no class file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/instrument/class_rewrite.h"

static unsigned long classes, damaged, states[AG_METHOD_UNWANTED + 1];

static uint8_t *read_all(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long size = -1;

	if (f && fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size >= 0 && fseek(f, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)size + 1);
	if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		exit(2);
	}
	fclose(f);
	*ret_size = (size_t)size;
	return bytes;
}

static void write_all(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
		perror(path);
		exit(2);
	}
}

static void count_methods(const struct ag_rewritten *r)
{
	for (uint32_t i = 0; i < r->n_methods; i++) {
		const struct ag_class_method *m = &r->methods[i];

		states[m->state]++;
		if (m->state == AG_METHOD_TOO_LONG)
			printf("too long: %.*s.%.*s\n", (int)r->name.size,
			       (const char *)r->name.bytes, (int)m->name.size,
			       (const char *)m->name.bytes);
	}
}

static void rewrite(const char *name, const char *out)
{
	static const struct ag_tracking tracking = {
		.tracker = "java/lang/HprofTracker",
		.enter = "enter",
		.caught = "caught",
		.exit = "exit",
		.first = 1,
	};
	struct ag_rewritten r;
	char path[8192];
	size_t size;
	uint8_t *bytes = read_all(name, &size);
	enum hprof_status status = ag_class_rewrite(bytes, size, &tracking, &r);

	classes++;
	if (status != HPROF_OK) {
		printf("status %d: %s\n", status, name);
		damaged++;
	} else {
		count_methods(&r);
		snprintf(path, sizeof path, "%s/%s", out, name);
		write_all(path, r.bytes ? r.bytes : bytes,
			  r.bytes ? r.size : size);
		ag_rewritten_done(&r);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	char name[4096];

	if (argc != 2) {
		fprintf(stderr, "usage: %s OUT < NAMES\n", argv[0]);
		return 2;
	}
	while (fgets(name, sizeof name, stdin)) {
		name[strcspn(name, "\n")] = '\0';
		rewrite(name, argv[1]);
	}
	printf("%lu classes, %lu refused; methods: %lu tracked, %lu without "
	       "code, %lu too long\n",
	       classes, damaged, states[AG_METHOD_TRACKED],
	       states[AG_METHOD_NO_CODE], states[AG_METHOD_TOO_LONG]);
	return damaged ? 1 : 0;
}
