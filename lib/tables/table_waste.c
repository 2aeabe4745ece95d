/* SPDX-License-Identifier: MIT */
/*
 * table_waste.c - the rows of what could be saved: by kind, class and
 * holder, by content, and of maps.
 */
#include "tables/table_rows.h"

static struct hprof_cell holder_static(const struct hprof_waste_holder *holder)
{
	return holder->class_row == SIZE_MAX
		       ? hprof_cell_null()
		       : hprof_cell_number(holder->is_static);
}

static bool waste_row(const struct hprof_tables_walk *walk, size_t i)
{
	const struct hprof_waste_row *row = &walk->waste->rows[i];
	const struct hprof_waste_holder *holder = &row->holder;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_text(hprof_waste_kind_name(row->kind)),
		hprof_cell_class(row->class_row),
		hprof_cell_number((int64_t)row->sum.objects),
		hprof_cell_number((int64_t)row->sum.bytes),
		hprof_cell_number((int64_t)row->sum.saved),
		hprof_cell_class(holder->class_row),
		hprof_cell_text(holder->field),
		holder_static(holder),
		row->fields ? hprof_cell_number((int64_t)row->fields)
			    : hprof_cell_null(),
		hprof_cell_object(row->example),
	};

	return walk->row(walk->user, HPROF_TABLE_WASTE, cells);
}

static bool duplicate_rows(const struct hprof_tables_walk *walk,
			   const struct hprof_waste_content *contents,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct hprof_waste_content *one = &contents[i];
		const struct hprof_cell cells[] = {
			hprof_cell_object(one->example),
			hprof_cell_class(one->class_row),
			hprof_cell_number((int64_t)one->length),
			hprof_cell_text(one->text),
			hprof_cell_number((int64_t)one->objects),
			hprof_cell_number((int64_t)one->saved),
			hprof_cell_class(one->holder.class_row),
			hprof_cell_text(one->holder.field),
			holder_static(&one->holder),
			hprof_cell_number((int64_t)one->held),
		};

		if (!walk->row(walk->user, HPROF_TABLE_DUPLICATE, cells))
			return false;
	}
	return true;
}

static bool map_row(const struct hprof_tables_walk *walk, size_t i)
{
	const struct hprof_waste_map *map = &walk->waste->maps[i];
	bool weak = map->kind == HPROF_WASTE_WEAK_MAPS;
	const struct hprof_cell cells[] = {
		hprof_cell_number((int64_t)i),
		hprof_cell_text(hprof_waste_kind_name(map->kind)),
		hprof_cell_object(map->object),
		hprof_cell_class(map->class_row),
		hprof_cell_number((int64_t)map->entries),
		weak ? hprof_cell_null()
		     : hprof_cell_number((int64_t)map->used),
		map->deepest ? hprof_cell_number((int64_t)map->deepest)
			     : hprof_cell_null(),
		weak ? hprof_cell_number((int64_t)map->refer_back)
		     : hprof_cell_null(),
		hprof_cell_class(map->key_row),
		hprof_cell_class(map->holder.class_row),
		hprof_cell_text(map->holder.field),
		holder_static(&map->holder),
	};

	return walk->row(walk->user, HPROF_TABLE_WASTE_MAP, cells);
}

enum hprof_status hp_table_waste(const struct hprof_tables_walk *walk)
{
	const struct hprof_waste_table *waste = walk->waste;

	if (!waste)
		return HPROF_OK;
	if (walk->wanted[HPROF_TABLE_WASTE])
		for (size_t i = 0; i < waste->row_count; i++)
			if (!waste_row(walk, i))
				return HPROF_END;
	if (walk->wanted[HPROF_TABLE_DUPLICATE] &&
	    (!duplicate_rows(walk, waste->strings, waste->string_count) ||
	     !duplicate_rows(walk, waste->arrays, waste->array_count)))
		return HPROF_END;
	if (walk->wanted[HPROF_TABLE_WASTE_MAP])
		for (size_t i = 0; i < waste->map_count; i++)
			if (!map_row(walk, i))
				return HPROF_END;
	return HPROF_OK;
}
