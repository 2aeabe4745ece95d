/* SPDX-License-Identifier: MIT */
/*
 * table_loader.c - the rows of class loaders: what each has defined, what it
 * keeps, and what holds it.
 */
#include "tables/table_rows.h"

static const char *state_word(enum hprof_loader_state state)
{
	static const char *const words[] = {
		[HPROF_LOADER_SYSTEM] = "system",
		[HPROF_LOADER_ALIVE] = "alive",
		[HPROF_LOADER_STOPPED] = "stopped",
		[HPROF_LOADER_UNREACHABLE] = "unreachable",
	};

	return words[state];
}

/* The step that people would say holds the loader; SIZE_MAX: not known. */
static size_t holder_step(const struct hprof_loader_use *use)
{
	if (use->path.count < 2)
		return SIZE_MAX;
	return use->owner_step == SIZE_MAX ? use->path.count - 2
					   : use->owner_step;
}

static bool loader_row(const struct hprof_tables_walk *walk, size_t i)
{
	const struct hprof_loader_use *use = &walk->loaders->rows[i];
	const struct hprof_path_step *steps = use->path.steps;
	size_t holder = holder_step(use);
	bool is_object = use->loader.object != HPROF_NO_OBJECT;
	bool is_held = holder != SIZE_MAX;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_address(use->loader_id),
		hprof_cell_object(use->loader.object),
		use->parent == SIZE_MAX
			? hprof_cell_null()
			: hprof_cell_number((int64_t)use->parent),
		hprof_cell_text(use->name),
		is_object ? hprof_cell_class(use->loader.class_row)
			  : hprof_cell_null(),
		hprof_cell_text(state_word(use->state)),
		hprof_cell_number((int64_t)use->classes),
		hprof_cell_number((int64_t)use->duplicates),
		hprof_cell_number((int64_t)use->instances),
		hprof_cell_number((int64_t)use->shallow),
		hprof_cell_number((int64_t)use->retained),
		is_held ? hprof_cell_object(steps[holder].held.object)
			: hprof_cell_null(),
		is_held ? hprof_cell_text(steps[holder + 1].field)
			: hprof_cell_null(),
	};

	return walk->row(walk->user, HPROF_TABLE_LOADER, cells);
}

enum hprof_status hp_table_loaders(const struct hprof_tables_walk *walk)
{
	if (!walk->loaders || !walk->wanted[HPROF_TABLE_LOADER])
		return HPROF_OK;
	for (size_t i = 0; i < walk->loaders->count; i++)
		if (!loader_row(walk, i))
			return HPROF_END;
	return HPROF_OK;
}
