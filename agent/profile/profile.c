/* SPDX-License-Identifier: MIT */
/* profile.c - see profile.h. */
#include "agent/profile/profile.h"

#include <stdlib.h>

#include "base/mem.h"

static uint64_t key(const struct ag_cost_row *row, enum ag_cost_order order)
{
	return order == AG_BY_COST ? row->cost : row->count;
}

/* Equal ones by trace, so that equal profiles look the same. */
static int compare(const struct ag_cost_row *x, const struct ag_cost_row *y,
		   enum ag_cost_order order)
{
	const uint64_t a = key(x, order), b = key(y, order);

	if (a != b)
		return a < b ? 1 : -1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->class_number < y->class_number
		       ? -1
		       : x->class_number > y->class_number;
}

static int by_cost(const void *x, const void *y)
{
	return compare(x, y, AG_BY_COST);
}

static int by_count(const void *x, const void *y)
{
	return compare(x, y, AG_BY_COUNT);
}

void ag_cost_table_order(struct ag_cost_table *t, enum ag_cost_order order)
{
	double least;

	if (!t->rows)
		return;
	qsort(t->rows, t->count, sizeof *t->rows,
	      order == AG_BY_COST ? by_cost : by_count);
	t->total = 0;
	for (size_t i = 0; i < t->count; i++)
		t->total += key(&t->rows[i], order);
	least = t->cutoff * (double)t->total;
	while (t->count > 0 &&
	       (double)key(&t->rows[t->count - 1], order) < least)
		t->count--;
}

static void free_monitors(struct ag_monitor_report *m)
{
	hp_free(m->times.rows);
	hp_free(m->lines);
	hp_free(m->threads);
	for (size_t i = 0; i < m->monitor_count; i++)
		hp_free(m->monitors[i].waiters);
	hp_free(m->monitors);
}

void ag_profile_done(struct ag_profile *p)
{
	free_monitors(&p->monitors);
	hp_free(p->sites.rows);
	hp_free(p->life.rows);
	hp_free(p->samples.rows);
	hp_free(p->times.rows);
	hp_free(p->calls.rows);
	*p = (struct ag_profile){ 0 };
}
