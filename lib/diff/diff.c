/* SPDX-License-Identifier: MIT */
/*
 * diff.c - hprof_diff_match: rows of several dumps side by side.
 *
 * The items of all dumps are sorted by the name by which they are matched, then
 * by loader and dump. A run of one name becomes one row, or one for each
 * loader.
 */
#include "hprof/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/string_map.h"
#include "base/u64_map.h"

struct entry {
	const char *name; /* from hprof_diff_name; equal ones are the same */
	const struct hprof_diff_item *item;
	size_t side;
};

struct diff {
	struct hprof_diff_table table;
	struct hp_arena arena;
	struct entry *entries;
	size_t entry_count;
	const char **seen; /* loaders, by side */
	/* While entries are made: names by what was given, and by their text. */
	struct hp_u64_map given;
	struct hp_string_map texts;
};

/* ---- names --------------------------------------------------------------- */

static char *convert_name(struct diff *d, const char *name)
{
	size_t length, room = strlen(name) + 1; /* it gets no longer */
	char *copy = hp_arena_take(&d->arena, room);
	struct hprof_bytes known;

	if (!copy)
		return NULL;
	length = hprof_diff_name(name, copy, room);
	if (hp_string_map_get(&d->texts, copy, length, &known))
		memcpy(&copy, known.data, sizeof copy);
	else if (!hp_string_map_put(&d->texts, copy, length, &copy,
				    sizeof copy))
		return NULL;
	return copy;
}

/* Many classes may share a long name: it is converted and compared once. */
static const char *take_name(struct diff *d, const char *name)
{
	char *taken = hp_u64_map_get(&d->given, (uintptr_t)name);

	if (taken)
		return taken;
	taken = convert_name(d, name);
	if (!taken ||
	    hp_u64_map_put(&d->given, (uintptr_t)name, taken) != HPROF_OK)
		return NULL;
	return taken;
}

static enum hprof_status
take_items(struct diff *d, const struct hprof_diff_side *sides, size_t count)
{
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(all, sides[i].count, &all))
			return HPROF_E_NOMEM;
	d->entries = hp_calloc(all + 1, sizeof *d->entries);
	if (!d->entries)
		return HPROF_E_NOMEM;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < sides[i].count; k++) {
			const struct hprof_diff_item *item = &sides[i].items[k];
			const char *name = take_name(d, item->name);

			if (!name)
				return HPROF_E_NOMEM;
			d->entries[d->entry_count++] =
				(struct entry){ name, item, i };
		}
	}
	return HPROF_OK;
}

/* Unknown loaders come first. */
static int compare_loaders(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = a->name == b->name ? 0 : strcmp(a->name, b->name);

	if (!order)
		order = compare_loaders(a->item->loader, b->item->loader);
	if (!order)
		order = (a->side > b->side) - (a->side < b->side);
	return order;
}

/* ---- rows ---------------------------------------------------------------- */

static void add_values(struct hprof_diff_cell *cell,
		       const uint64_t values[HPROF_DIFF_MEASURES])
{
	for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++)
		if (__builtin_add_overflow(cell->values[m], values[m],
					   &cell->values[m]))
			cell->values[m] = UINT64_MAX;
}

static void add_entry(struct diff *d, struct hprof_diff_row *row,
		      const struct entry *entry)
{
	const struct hprof_diff_item *item = entry->item;
	const uint64_t values[HPROF_DIFF_MEASURES] = { item->instances,
						       item->bytes,
						       item->retained };

	row->cells[entry->side].items++;
	add_values(&row->cells[entry->side], values);
	d->table.totals[entry->side].items++;
	add_values(&d->table.totals[entry->side], values);
}

static void compare_cells(const struct diff *d, struct hprof_diff_row *row)
{
	for (unsigned m = 0; m < HPROF_DIFF_MEASURES; m++) {
		row->grows[m] = d->table.side_count > 1;
		for (size_t i = 1; i < d->table.side_count; i++) {
			uint64_t before = row->cells[i - 1].values[m];
			uint64_t after = row->cells[i].values[m];

			row->differs |= before != after;
			row->grows[m] &= before < after;
		}
	}
}

/* Makes one row of the COUNT entries from FIRST on. */
static enum hprof_status make_row(struct diff *d, const struct entry *first,
				  size_t count, bool by_loader)
{
	struct hprof_diff_row *row = &d->table.rows[d->table.count];
	size_t size = d->table.side_count * sizeof *row->cells;

	*row = (struct hprof_diff_row){ .name = first->name };
	row->cells = hp_arena_take(&d->arena, size);
	if (!row->cells)
		return HPROF_E_NOMEM;
	memset(row->cells, 0, size);
	if (by_loader) {
		const char *loader = first->item->loader;

		row->loader = hp_arena_text(&d->arena, loader, strlen(loader));
		if (!row->loader)
			return HPROF_E_NOMEM;
	}
	for (size_t i = 0; i < count; i++)
		add_entry(d, row, &first[i]);
	compare_cells(d, row);
	d->table.count++;
	return HPROF_OK;
}

/* True if any dump has several loaders, and all loaders are known. */
static bool needs_loaders(struct diff *d, const struct entry *first,
			  size_t count)
{
	bool several = false;

	memset(d->seen, 0, d->table.side_count * sizeof *d->seen);
	for (size_t i = 0; i < count; i++) {
		const char *loader = first[i].item->loader;
		const char **seen = &d->seen[first[i].side];

		if (!loader)
			return false;
		several |= *seen && strcmp(*seen, loader) != 0;
		*seen = loader;
	}
	return several;
}

/* The length of the run of FIRST: of one name, or of one name and loader. */
static size_t run_length(const struct entry *first, size_t count,
			 bool by_loader)
{
	size_t i = 1;

	while (i < count && first[i].name == first->name &&
	       (!by_loader ||
		!compare_loaders(first[i].item->loader, first->item->loader)))
		i++;
	return i;
}

static enum hprof_status make_rows(struct diff *d)
{
	for (size_t at = 0; at < d->entry_count;) {
		const struct entry *first = &d->entries[at];
		size_t run = run_length(first, d->entry_count - at, false);
		bool by_loader = needs_loaders(d, first, run);

		at += run;
		for (size_t used; run; first += used, run -= used) {
			used = by_loader ? run_length(first, run, true) : run;
			HP_TRY(make_row(d, first, used, by_loader));
		}
	}
	return HPROF_OK;
}

/* -------------------------------------------------------------------------- */

static enum hprof_status
make_table(struct diff *d, const struct hprof_diff_side *sides, size_t count)
{
	d->table.side_count = count;
	d->table.totals = hp_calloc(count + 1, sizeof *d->table.totals);
	d->seen = hp_calloc(count + 1, sizeof *d->seen);
	if (!d->table.totals || !d->seen)
		return HPROF_E_NOMEM;
	HP_TRY(take_items(d, sides, count));
	d->table.rows = hp_calloc(d->entry_count + 1, sizeof *d->table.rows);
	if (!d->table.rows)
		return HPROF_E_NOMEM;
	if (d->entry_count)
		qsort(d->entries, d->entry_count, sizeof *d->entries,
		      compare_entries);
	return make_rows(d);
}

static enum hprof_status check_sides(const struct hprof_diff_side *sides,
				     size_t count, struct hprof_error *error)
{
	HP_NEED(error, sides);
	if (!count)
		return hp_bad_argument(error, "count", "is 0");
	for (size_t i = 0; i < count; i++) {
		if (!sides[i].items && sides[i].count)
			return hp_bad_argument(error, "sides.items", "is NULL");
		for (size_t k = 0; k < sides[i].count; k++)
			if (!sides[i].items[k].name)
				return hp_bad_argument(
					error, "sides.items.name", "is NULL");
	}
	return HPROF_OK;
}

enum hprof_status hprof_diff_match(const struct hprof_diff_side *sides,
				   size_t count,
				   struct hprof_diff_table **ret_table,
				   struct hprof_error *ret_error)
{
	enum hprof_status status;
	struct diff *d;

	HP_TRY(check_sides(sides, count, ret_error));
	HP_NEED(ret_error, ret_table);
	d = hp_calloc(1, sizeof *d);
	if (!d || hp_u64_map_init(&d->given, 2) != HPROF_OK) {
		hp_free(d);
		return hp_no_memory(ret_error);
	}
	d->table.impl = d;
	status = make_table(d, sides, count);
	hp_u64_map_done(&d->given);
	hp_string_map_done(&d->texts);
	hp_free(d->entries);
	hp_free((void *)d->seen);
	if (status != HPROF_OK) {
		hprof_diff_table_free(&d->table);
		return hp_no_memory(ret_error);
	}
	*ret_table = &d->table;
	return HPROF_OK;
}

void hprof_diff_table_free(struct hprof_diff_table *table)
{
	struct diff *d = table ? table->impl : NULL;

	if (!d)
		return;
	hp_arena_done(&d->arena);
	hp_free(d->table.rows);
	hp_free(d->table.totals);
	hp_free(d);
}
