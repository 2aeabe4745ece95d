/* SPDX-License-Identifier: MIT */
/*
 * shared_names.c - see shared_names.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/shared_names.h"

struct shared_names {
	const char **shared; /* sorted */
	size_t count;
};

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

struct shared_names *shared_names_new(const struct hprof_summary *summary)
{
	struct shared_names *names = cli_calloc(1, sizeof(*names));
	const char **all = cli_calloc(summary->class_count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < summary->class_count; i++)
		if (summary->class_rows[i].name)
			all[count++] = summary->class_rows[i].name;
	if (count)
		qsort((void *)all, count, sizeof(*all), compare);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(all[i - 1], all[i]) &&
		    (!names->count ||
		     strcmp(all[names->count - 1], all[i]) != 0))
			all[names->count++] = all[i];
	names->shared = all;
	return names;
}

void shared_names_free(struct shared_names *names)
{
	if (names)
		free((void *)names->shared);
	free(names);
}

bool shared_names_has(const struct shared_names *names, const char *name)
{
	return name && names &&
	       bsearch(&name, names->shared, names->count,
		       sizeof(*names->shared), compare) != NULL;
}
