/* SPDX-License-Identifier: MIT */
/*
 * set_counts.c - see set_counts.h.
 */
#include "report/set_counts.h"

#include <stdlib.h>

#include "base/mem.h"

enum { ROWS_FIRST = 1 << 10, ROWS_MOST = 1 << 20 };

enum hprof_status hp_set_counts_init(struct hp_set_counts *p)
{
	*p = (struct hp_set_counts){ .mask = ROWS_FIRST - 1 };
	p->rows = hp_calloc(ROWS_FIRST, sizeof *p->rows);
	return p->rows ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_set_counts_done(struct hp_set_counts *p)
{
	hp_free(p->rows);
}

static enum hprof_status grow(struct hp_set_counts *p)
{
	struct hp_set_counts larger = *p;

	larger.mask = 2 * p->mask + 1;
	larger.rows = hp_calloc(larger.mask + 1, sizeof *larger.rows);
	if (!larger.rows)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i <= p->mask; i++)
		if (p->rows[i].key)
			*hp_set_counts_find(&larger, p->rows[i].key) =
				p->rows[i];
	hp_free(p->rows);
	*p = larger;
	return HPROF_OK;
}

struct hp_set_count *hp_set_counts_add(struct hp_set_counts *p, uint64_t key)
{
	struct hp_set_count *row = &p->spare;

	if (p->count == ROWS_MOST) {
		p->too_many = true;
	} else {
		if (2 * ++p->count > p->mask && grow(p) != HPROF_OK)
			p->no_memory = true;
		row = hp_set_counts_find(p, key);
	}
	row->key = key;
	return row;
}

static int compare_rows(const void *left, const void *right)
{
	const struct hp_set_count *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

void hp_set_counts_sort(struct hp_set_count *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof *rows, compare_rows);
}

struct hp_set_count *
hp_set_counts_gather(const struct hp_set_counts *const *of_threads,
		     unsigned count, size_t *ret_count)
{
	struct hp_set_count *all;
	size_t most = 0, used = 0;

	for (unsigned i = 0; i < count; i++)
		most += of_threads[i]->count;
	all = hp_calloc(most + 1, sizeof *all);
	if (!all)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		for (size_t k = 0; k <= of_threads[i]->mask; k++)
			if (of_threads[i]->rows[k].key)
				all[used++] = of_threads[i]->rows[k];
	hp_set_counts_sort(all, used);
	*ret_count = used;
	return all;
}
