/* SPDX-License-Identifier: MIT */
/*
 * site_changes.c - see site_changes.h.
 */
#include "agent/profile/site_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_site(const void *a, const void *b)
{
	const struct ag_site_row *x = a, *y = b;

	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->class_number > y->class_number) -
	       (x->class_number < y->class_number);
}

static bool is_known(const struct ag_site_changes *c,
		     const struct ag_site_row *row)
{
	const struct ag_site_row *was =
		c->count ? bsearch(row, c->rows, c->count, sizeof *row, by_site)
			 : NULL;

	return was && was->live_bytes == row->live_bytes &&
	       was->live_objects == row->live_objects &&
	       was->bytes == row->bytes && was->objects == row->objects;
}

void ag_site_changes_heed(struct ag_site_changes *c, struct ag_site_table *t,
			  bool only_changes)
{
	struct ag_site_row *now = hp_calloc(t->count + 1, sizeof *now);
	const size_t count = t->count;

	if (!now)
		return;
	if (count) {
		memcpy(now, t->rows, count * sizeof *now);
		qsort(now, count, sizeof *now, by_site);
	}
	t->incremental = only_changes;
	for (size_t i = t->count = 0; i < count; i++)
		if (!only_changes || !is_known(c, &t->rows[i]))
			t->rows[t->count++] = t->rows[i];
	hp_free(c->rows);
	c->rows = now;
	c->count = count;
}

void ag_site_changes_free(struct ag_site_changes *c)
{
	hp_free(c->rows);
	*c = (struct ag_site_changes){ 0 };
}
