/* SPDX-License-Identifier: MIT */
/*
 * sql_table_loader.c - the rows of class loaders: what each has defined, what it
 * keeps, and what holds it.
 */
#include "tools/tables/sql_table_rows.h"

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

static bool loader_row(const struct sql_tables_walk *walk, size_t i)
{
	const struct hprof_loader_use *use = &walk->loaders->rows[i];
	const struct hprof_path_step *steps = use->path.steps;
	size_t holder = holder_step(use);
	bool is_object = use->loader.object != HPROF_NO_OBJECT;
	bool is_held = holder != SIZE_MAX;
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_address(use->loader_id),
		cell_object(use->loader.object),
		use->parent == SIZE_MAX ? cell_null()
					: cell_number((int64_t)use->parent),
		cell_text(use->name),
		is_object ? cell_class(use->loader.class_row) : cell_null(),
		cell_text(state_word(use->state)),
		cell_number((int64_t)use->classes),
		cell_number((int64_t)use->duplicates),
		cell_number((int64_t)use->instances),
		cell_number((int64_t)use->shallow),
		cell_number((int64_t)use->retained),
		is_held ? cell_object(steps[holder].held.object) : cell_null(),
		is_held ? cell_text(steps[holder + 1].field) : cell_null(),
	};

	return walk->row(walk->user, SQL_TABLE_LOADER, cells);
}

enum hprof_status sql_table_loaders(const struct sql_tables_walk *walk)
{
	if (!walk->loaders || !walk->wanted[SQL_TABLE_LOADER])
		return HPROF_OK;
	for (size_t i = 0; i < walk->loaders->count; i++)
		if (!loader_row(walk, i))
			return HPROF_END;
	return HPROF_OK;
}
