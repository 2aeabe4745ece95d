/* SPDX-License-Identifier: MIT */
/*
 * sql_table_waste.c - the rows of what could be saved: by kind, class and
 * holder, by content, and of maps.
 */
#include "tools/tables/sql_table_rows.h"

static struct sql_cell holder_static(const struct hprof_waste_holder *holder)
{
	return holder->class_row == SIZE_MAX ? cell_null()
					     : cell_number(holder->is_static);
}

static bool waste_row(const struct sql_tables_walk *walk, size_t i)
{
	const struct hprof_waste_row *row = &walk->waste->rows[i];
	const struct hprof_waste_holder *holder = &row->holder;
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_text(hprof_waste_kind_name(row->kind)),
		cell_class(row->class_row),
		cell_number((int64_t)row->sum.objects),
		cell_number((int64_t)row->sum.bytes),
		cell_number((int64_t)row->sum.saved),
		cell_class(holder->class_row),
		cell_text(holder->field),
		holder_static(holder),
		row->kind == HPROF_WASTE_NULL_FIELDS
			? cell_number((int64_t)row->fields)
			: cell_null(),
		cell_object(row->example),
	};

	return walk->row(walk->user, SQL_TABLE_WASTE, cells);
}

static bool duplicate_rows(const struct sql_tables_walk *walk,
			   const struct hprof_waste_content *contents,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct hprof_waste_content *one = &contents[i];
		const struct sql_cell cells[] = {
			cell_object(one->example),
			cell_class(one->class_row),
			cell_number((int64_t)one->length),
			cell_text(one->text),
			cell_number((int64_t)one->objects),
			cell_number((int64_t)one->saved),
			cell_class(one->holder.class_row),
			cell_text(one->holder.field),
			holder_static(&one->holder),
			cell_number((int64_t)one->held),
		};

		if (!walk->row(walk->user, SQL_TABLE_DUPLICATE, cells))
			return false;
	}
	return true;
}

static bool map_row(const struct sql_tables_walk *walk, size_t i)
{
	const struct hprof_waste_map *map = &walk->waste->maps[i];
	bool weak = map->kind == HPROF_WASTE_WEAK_MAPS;
	const struct sql_cell cells[] = {
		cell_number((int64_t)i),
		cell_text(hprof_waste_kind_name(map->kind)),
		cell_object(map->object),
		cell_class(map->class_row),
		cell_number((int64_t)map->entries),
		weak ? cell_null() : cell_number((int64_t)map->used),
		map->deepest ? cell_number((int64_t)map->deepest) : cell_null(),
		weak ? cell_number((int64_t)map->refer_back) : cell_null(),
		cell_class(map->key_row),
		cell_class(map->holder.class_row),
		cell_text(map->holder.field),
		holder_static(&map->holder),
	};

	return walk->row(walk->user, SQL_TABLE_WASTE_MAP, cells);
}

enum hprof_status sql_table_waste(const struct sql_tables_walk *walk)
{
	const struct hprof_waste_table *waste = walk->waste;

	if (!waste)
		return HPROF_OK;
	if (walk->wanted[SQL_TABLE_WASTE])
		for (size_t i = 0; i < waste->row_count; i++)
			if (!waste_row(walk, i))
				return HPROF_END;
	if (walk->wanted[SQL_TABLE_DUPLICATE] &&
	    (!duplicate_rows(walk, waste->strings, waste->string_count) ||
	     !duplicate_rows(walk, waste->arrays, waste->array_count)))
		return HPROF_END;
	if (walk->wanted[SQL_TABLE_WASTE_MAP])
		for (size_t i = 0; i < waste->map_count; i++)
			if (!map_row(walk, i))
				return HPROF_END;
	return HPROF_OK;
}
