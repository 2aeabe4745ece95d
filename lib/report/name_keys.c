/* SPDX-License-Identifier: MIT */
/*
 * name_keys.c - see name_keys.h.
 */
#include "report/name_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/object_kind.h"

struct named_row {
	const char *name;
	uint32_t row;
};

static int compare_names(const void *left, const void *right)
{
	const struct named_row *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static struct named_row *sort_names(const struct hprof_summary *summary)
{
	size_t count = summary->class_count;
	struct named_row *rows = hp_calloc(count + 1, sizeof *rows);

	if (!rows)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = summary->class_rows[i].name;

		rows[i] = (struct named_row){ name ? name : "", (uint32_t)i };
	}
	if (count)
		qsort(rows, count, sizeof *rows, compare_names);
	return rows;
}

uint32_t *hp_name_keys(const struct hprof_summary *summary)
{
	size_t count = summary->class_count;
	struct named_row *rows = sort_names(summary);
	uint32_t *keys = hp_calloc(hp_kind_count(count), sizeof *keys);
	uint32_t first = 0;

	if (!rows || !keys) {
		hp_free(rows);
		hp_free(keys);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(rows[i - 1].name, rows[i].name) != 0)
			first = rows[i].row;
		keys[hp_kind_of_instances(rows[i].row)] =
			hp_kind_of_instances(first);
		keys[hp_kind_of_class(rows[i].row)] = hp_kind_of_class(first);
	}
	keys[hp_kind_of_instances(count)] = hp_kind_of_instances(count);
	keys[hp_kind_of_class(count)] = hp_kind_of_class(count);
	hp_free(rows);
	return keys;
}
