/* SPDX-License-Identifier: MIT */
/*
 * children_by_class.c - see children_by_class.h.
 */
#include "leaks/children_by_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- keys ---------------------------------------------------------------- */

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

/* ---- counting ------------------------------------------------------------ */

enum hprof_status
hp_children_by_class_init(struct hp_children_by_class_table *t, size_t count)
{
	t->count = 0;
	t->items = hp_calloc(count, sizeof *t->items);
	t->keys = hp_calloc(count, sizeof *t->keys);
	return t->items && t->keys ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_children_by_class_done(struct hp_children_by_class_table *t)
{
	hp_free(t->items);
	hp_free(t->keys);
}

static void forget(struct hp_children_by_class_table *t)
{
	while (t->count)
		t->items[t->keys[--t->count]].count = 0;
}

void hp_children_by_class_count(struct hp_children_by_class_table *t,
				const struct hprof_graph *graph,
				const uint32_t *key, const uint32_t *child,
				const uint32_t *end, uint64_t least)
{
	forget(t);
	for (; child < end; child++) {
		uint32_t of = key[hp_graph_kind(graph, *child)];
		struct hp_children_by_class *s = &t->items[of];
		uint64_t size = hprof_graph_retained(graph, *child);

		if (!s->count) {
			*s = (struct hp_children_by_class){ .largest = *child };
			t->keys[t->count++] = of;
		}
		s->count++;
		s->retained += size;
		s->large += size >= least;
		if (size > hprof_graph_retained(graph, s->largest))
			s->largest = *child;
	}
}

uint32_t
hp_children_by_class_largest(const struct hp_children_by_class_table *t)
{
	uint32_t best = HP_NO_NODE;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t key = t->keys[i];

		if (best == HP_NO_NODE ||
		    t->items[key].retained > t->items[best].retained ||
		    (t->items[key].retained == t->items[best].retained &&
		     key < best))
			best = key;
	}
	return best;
}
