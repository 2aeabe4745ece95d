/* SPDX-License-Identifier: MIT */
/*
 * thread_names.c - names of threads in sentences. Virtual threads mostly have none, and
 * an empty one is none.
 */
#include "tools/common/describe.h"
#include "tools/report/thread_groups.h"

#include <stdlib.h>
#include <string.h>

bool thread_has_name(const struct hprof_thread_row *row)
{
	return row->name && *row->name;
}

char *thread_group_names(const struct thread_group *group, size_t most)
{
	char *first, *last, *names;

	if (group->nameless == group->count)
		return describe_format("without names");
	first = describe_thread_quoted(group->first->name, most);
	last = describe_thread_quoted(group->last->name, most);
	if (!strcmp(first, last) && !group->nameless)
		names = describe_format("%s", first);
	else if (!group->nameless)
		names = describe_format("%s to %s", first, last);
	else if (!strcmp(first, last))
		names = describe_format("%s, %zu without a name", first,
					group->nameless);
	else
		names = describe_format("%s to %s, %zu without a name", first,
					last, group->nameless);
	free(first);
	free(last);
	return names;
}
