/* SPDX-License-Identifier: MIT */
/*
 * thread_names.c - names of threads in sentences. Virtual threads mostly have none, and
 * an empty one is none.
 *
 * "pool-1" to "pool-9" is said only of names that differ in numbers: threads with the
 * same stack may have nothing else in common.
 */
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/series.h"
#include "tools/report/thread_groups.h"

#include <stdlib.h>
#include <string.h>

bool thread_has_name(const struct hprof_thread_row *row)
{
	return row->name && *row->name;
}

/* Do all that have names have those of one series, as those of a pool? */
static bool is_series(const struct thread_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (thread_has_name(group->items[i].row) &&
		    series_compare(group->items[i].row->name,
				   group->first->name))
			return false;
	return true;
}

/* All have the same name: there is no other one in between. */
static bool is_one(const struct thread_group *group)
{
	return !strcmp(group->first->name, group->last->name);
}

/* Of threads that have names. */
static char *describe_names(const struct thread_group *group, const char *first,
			    const char *last)
{
	size_t named = group->count - group->nameless;

	if (named == 1 || is_one(group))
		return cli_strdup(first);
	if (is_series(group))
		return describe_format("%s to %s", first, last);
	if (named == 2)
		return describe_format("%s and %s", first, last);
	return describe_format("%s, %s and %zu %s", first, last, named - 2,
			       named == 3 ? "other" : "others");
}

char *thread_group_names(const struct thread_group *group, size_t most)
{
	char *first, *last, *names, *all;

	if (group->nameless == group->count)
		return describe_format("without names");
	first = describe_thread_quoted(group->first->name, most);
	last = describe_thread_quoted(group->last->name, most);
	names = describe_names(group, first, last);
	free(first);
	free(last);
	if (!group->nameless)
		return names;
	all = describe_format("%s, %zu without a name", names, group->nameless);
	free(names);
	return all;
}
