/* SPDX-License-Identifier: MIT */
/*
 * diff_parts.c - see diff_parts.h.
 */
#include "diff/diff_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum { PARTS_MAX = 3 };

/* A class in a row, with its figures in the first and the last tree. */
struct hp_diff_part {
	uint32_t row, name;
	bool is_class;
	uint64_t objects[2], bytes[2];
};

enum hprof_status hp_diff_parts_add(struct hp_diff_parts *p,
				    const struct hp_path_tree_overlay *overlay,
				    size_t node, uint32_t row)
{
	const struct hp_path_key *key = &overlay->nodes.items[node].key;
	const uint64_t *objects = hp_path_tree_overlay_objects(overlay, node);
	const uint64_t *shallow = hp_path_tree_overlay_shallow(overlay, node);
	size_t last = overlay->sides - 1;

	HP_TRY(hp_grow((void **)&p->items, &p->room, p->count,
		       sizeof *p->items));
	p->items[p->count++] = (struct hp_diff_part){
		.row = row,
		.name = key->class_name,
		.is_class = key->kind == HPROF_OBJECT_CLASS,
		.objects = { objects[0], objects[last] },
		.bytes = { shallow[0], shallow[last] },
	};
	return HPROF_OK;
}

void hp_diff_parts_done(struct hp_diff_parts *p)
{
	hp_free(p->items);
}

/* ---- one for each class -------------------------------------------------- */

static int compare_parts(const void *left, const void *right)
{
	const struct hp_diff_part *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (int)a->is_class - (int)b->is_class;
}

static void merge(struct hp_diff_parts *p)
{
	size_t used = 0;

	if (p->count)
		qsort(p->items, p->count, sizeof *p->items, compare_parts);
	for (size_t i = 0; i < p->count; i++) {
		struct hp_diff_part *to = &p->items[used ? used - 1 : 0];
		const struct hp_diff_part *part = &p->items[i];

		if (!used || compare_parts(to, part) != 0) {
			p->items[used++] = *part;
			continue;
		}
		for (unsigned k = 0; k < 2; k++) {
			to->objects[k] += part->objects[k];
			to->bytes[k] += part->bytes[k];
		}
	}
	p->count = used;
}

/* ---- those that changed most --------------------------------------------- */

static uint64_t change_of(const struct hp_diff_part *part)
{
	return part->bytes[1] > part->bytes[0]
		       ? part->bytes[1] - part->bytes[0]
		       : part->bytes[0] - part->bytes[1];
}

/* True if A changed more than B, or as much and its name comes first. */
static bool matters_more(const struct hp_path_tree_overlay *overlay,
			 const struct hp_diff_part *a,
			 const struct hp_diff_part *b)
{
	const char *a_name = overlay->nodes.texts[a->name];
	const char *b_name = overlay->nodes.texts[b->name];
	int order;

	if (change_of(a) != change_of(b))
		return change_of(a) > change_of(b);
	order = strcmp(a_name ? a_name : "", b_name ? b_name : "");
	return order ? order < 0 : a->is_class < b->is_class;
}

/*
 * Chooses those of COUNT parts from FIRST on that changed most, at most
 * PARTS_MAX.
 */
static size_t choose(const struct hp_path_tree_overlay *overlay,
		     const struct hp_diff_part *first, size_t count,
		     const struct hp_diff_part *best[PARTS_MAX + 1])
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = used;

		if (!change_of(&first[i]))
			continue;
		for (; at && matters_more(overlay, &first[i], best[at - 1]);
		     at--)
			best[at] = best[at - 1];
		best[at] = &first[i];
		if (used < PARTS_MAX)
			used++;
	}
	return used;
}

static enum hprof_status fill_row(const struct hp_path_tree_overlay *overlay,
				  struct hp_arena *arena,
				  const struct hp_diff_part *first,
				  size_t count, struct hprof_diff_path *row)
{
	const struct hp_diff_part *best[PARTS_MAX + 1];
	size_t used = choose(overlay, first, count, best);
	struct hprof_diff_part *parts =
		hp_arena_take(arena, (used + 1) * sizeof *parts);

	if (!parts)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < used; i++) {
		parts[i] = (struct hprof_diff_part){
			.class_name = overlay->nodes.texts[best[i]->name],
			.is_class = best[i]->is_class,
		};
		memcpy(parts[i].objects, best[i]->objects,
		       sizeof parts[i].objects);
		memcpy(parts[i].bytes, best[i]->bytes, sizeof parts[i].bytes);
	}
	row->parts = parts;
	row->part_count = used;
	return HPROF_OK;
}

enum hprof_status hp_diff_parts_fill(struct hp_diff_parts *p,
				     const struct hp_path_tree_overlay *overlay,
				     struct hp_arena *arena,
				     struct hprof_diff_path *rows, size_t count)
{
	size_t at = 0;

	merge(p);
	for (uint32_t row = 0; row < count; row++) {
		size_t first = at;

		while (at < p->count && p->items[at].row == row)
			at++;
		HP_TRY(fill_row(overlay, arena, &p->items[first], at - first,
				&rows[row]));
	}
	return HPROF_OK;
}
