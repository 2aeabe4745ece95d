/* SPDX-License-Identifier: MIT */
/*
 * children_by_class.c - see children_by_class.h.
 */
#include "leaks/children_by_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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
				const struct hp_leak_explained *explained,
				const uint32_t *key, const uint32_t *child,
				const uint32_t *end, uint64_t least)
{
	forget(t);
	for (; child < end; child++) {
		uint32_t of = key[hp_graph_kind(explained->graph, *child)];
		struct hp_children_by_class *s = &t->items[of];
		uint64_t size = hp_leak_explained_rest(explained, *child);

		if (!size && hp_bit(explained->touched, *child))
			continue;
		if (!s->count) {
			*s = (struct hp_children_by_class){ .largest = *child };
			t->keys[t->count++] = of;
		}
		s->count++;
		s->retained += size;
		s->large += size >= least;
		if (size > hp_leak_explained_rest(explained, s->largest))
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
