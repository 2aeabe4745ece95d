/* SPDX-License-Identifier: MIT */
/*
 * table_suspects.c - the rows of leak suspects, of work that the JVM has not
 * done, and of what holds them: the steps of their first paths.
 */
#include "tables/table_rows.h"

static struct hprof_cell class_of(const struct hprof_object_info *info)
{
	return info->object == HPROF_NO_OBJECT
		       ? hprof_cell_null()
		       : hprof_cell_class(info->class_row);
}

static struct hprof_cell count_or_null(uint64_t count)
{
	return count ? hprof_cell_number((int64_t)count) : hprof_cell_null();
}

/* The field in which the owner holds it, if the path begins there. */
static const char *owner_field(const struct hprof_leak *leak)
{
	const struct hprof_path *path = leak->path_count ? leak->paths : NULL;

	if (!path || leak->owner_step == SIZE_MAX ||
	    leak->owner_step + 1 >= path->count)
		return NULL;
	return path->steps[leak->owner_step + 1].field;
}

static bool leak_row(const struct hprof_tables_walk *walk, size_t i)
{
	static const struct hprof_leak_local none;
	const struct hprof_leak *leak = &walk->leaks->leaks[i];
	const struct hprof_leak_local *local =
		leak->local ? leak->local : &none;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_text(hprof_leak_kind_name(leak->kind)),
		hprof_cell_number((int64_t)leak->retained),
		hprof_cell_number((int64_t)leak->objects),
		hprof_cell_object(leak->point.object),
		class_of(&leak->point),
		hprof_cell_object(leak->owner.object),
		class_of(&leak->owner),
		hprof_cell_text(owner_field(leak)),
		hprof_cell_object(leak->collection.object),
		count_or_null(leak->elements),
		hprof_cell_text(leak->item_class),
		count_or_null(leak->items),
		hprof_cell_text(leak->member_class),
		count_or_null(leak->members),
		hprof_cell_text(leak->crowd_name),
		hprof_cell_text(local->class_name),
		hprof_cell_text(local->field),
		count_or_null(local->threads),
		count_or_null(local->of_threads),
		count_or_null(local->values),
		count_or_null(local->retained),
	};

	return walk->row(walk->user, HPROF_TABLE_SUSPECT, cells);
}

static bool backlog_row(const struct hprof_tables_walk *walk, size_t i)
{
	const struct hprof_backlog *backlog = &walk->leaks->backlogs[i];
	const struct hprof_set_row *most =
		backlog->class_count ? backlog->classes : NULL;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)(walk->leaks->count + i)),
		hprof_cell_text(hprof_backlog_kind_name(backlog->kind)),
		hprof_cell_number((int64_t)backlog->retained),
		hprof_cell_number((int64_t)backlog->count),
		hprof_cell_object(backlog->holder.object),
		class_of(&backlog->holder),
		hprof_cell_object(backlog->owner.object),
		class_of(&backlog->owner),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_text(most ? most->name : NULL),
		count_or_null(most ? most->objects : 0),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
		hprof_cell_null(),
	};

	return walk->row(walk->user, HPROF_TABLE_SUSPECT, cells);
}

static bool step_rows(const struct hprof_tables_walk *walk, size_t suspect,
		      const struct hprof_path *path)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct hprof_path_step *step = &path->steps[i];
		bool is_element = i > 0 && step->edge == HPROF_EDGE_ELEMENT;
		char root[32];
		const struct hprof_cell cells[] = {
			hprof_cell_number((int64_t)suspect),
			hprof_cell_number((int64_t)i),
			hprof_cell_text(
				i ? NULL
				  : hprof_root_word(path->root.tag, root)),
			hprof_cell_object(step->held.object),
			class_of(&step->held),
			hprof_cell_text(step->field),
			is_element ? hprof_cell_number((int64_t)step->number)
				   : hprof_cell_null(),
		};

		if (!walk->row(walk->user, HPROF_TABLE_SUSPECT_PATH, cells))
			return false;
	}
	return true;
}

static bool path_rows(const struct hprof_tables_walk *walk)
{
	const struct hprof_leak_table *leaks = walk->leaks;

	for (size_t i = 0; i < leaks->count; i++)
		if (leaks->leaks[i].path_count &&
		    !step_rows(walk, i, leaks->leaks[i].paths))
			return false;
	for (size_t i = 0; i < leaks->backlog_count; i++)
		if (leaks->backlogs[i].path_count &&
		    !step_rows(walk, leaks->count + i,
			       leaks->backlogs[i].paths))
			return false;
	return true;
}

enum hprof_status hp_table_suspects(const struct hprof_tables_walk *walk)
{
	if (!walk->leaks)
		return HPROF_OK;
	if (walk->wanted[HPROF_TABLE_SUSPECT]) {
		for (size_t i = 0; i < walk->leaks->count; i++)
			if (!leak_row(walk, i))
				return HPROF_END;
		for (size_t i = 0; i < walk->leaks->backlog_count; i++)
			if (!backlog_row(walk, i))
				return HPROF_END;
	}
	if (walk->wanted[HPROF_TABLE_SUSPECT_PATH] && !path_rows(walk))
		return HPROF_END;
	return HPROF_OK;
}
