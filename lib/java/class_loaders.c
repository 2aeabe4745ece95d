/* SPDX-License-Identifier: MIT */
/*
 * class_loaders.c - hprof_summary_loaders: the defining loaders of all classes.
 */
#include "hprof/report.h"

#include <stdlib.h>

#include "base/error.h"
#include "java/object_inspect.h"
#include "base/mem.h"

static int compare_rows(const void *a, const void *b)
{
	const struct hprof_loader_row *x = a, *y = b;

	return x->loader_id < y->loader_id ? -1 : x->loader_id > y->loader_id;
}

/*
 * One row per distinct loader id. Row 0 is the boot loader, which is listed
 * even if no class in the dump was defined by it.
 */
static enum hprof_status list_loaders(const struct hp_class_table *classes,
				      struct hprof_loader_table *table)
{
	size_t kept = 1;

	table->rows = hp_calloc(classes->count + 1, sizeof *table->rows);
	if (!table->rows)
		return HPROF_E_NOMEM;
	table->count = 1;
	for (size_t i = 0; i < classes->count; i++)
		if (classes->rows[i].info)
			table->rows[table->count++].loader_id =
				classes->rows[i].info->loader_id;
	qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
	for (size_t i = 1; i < table->count; i++)
		if (table->rows[i].loader_id != table->rows[kept - 1].loader_id)
			table->rows[kept++] = table->rows[i];
	table->count = kept;
	table->rows[0].name = "<boot>";
	return HPROF_OK;
}

/*
 * A dump made by hand may name a class object as a loader. Class objects have
 * no INSTANCE_DUMP, so they are not among the fetched objects.
 */
static const char *loader_class_name(struct hp_object_inspect *in, uint64_t id)
{
	const struct hp_object *object = hp_object_fetch_get(&in->objects, id);
	uint32_t index = hp_class_table_find(in->layouts.classes, id);

	if (!object && index != HP_NO_CLASS &&
	    in->layouts.classes->rows[index].info)
		return "java.lang.Class";
	return hp_object_inspect_class_name(in, object);
}

static enum hprof_status name_loaders(struct hp_object_inspect *in,
				      struct hprof_loader_table *table,
				      struct hprof_error *error)
{
	struct hp_object_fetch *objects = &in->objects;
	struct hprof_loader_row *rows = table->rows;

	for (size_t i = 1; i < table->count; i++)
		hp_object_fetch_want(objects, rows[i].loader_id);
	HP_TRY(hp_object_fetch_fetch(objects, error));
	/* The first round fetches the name String, the second its array. */
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 1; i < table->count; i++) {
			uint64_t name = hp_field_lookup_ref(
				&in->layouts,
				hp_object_fetch_get(objects, rows[i].loader_id),
				HP_LOADER_NAME);
			hp_object_fetch_want(objects, name);
			hp_strings_want(&in->strings, name);
		}
		HP_TRY(hp_object_fetch_fetch(objects, error));
	}
	for (size_t i = 1; i < table->count; i++) {
		const struct hp_object *loader =
			hp_object_fetch_get(objects, rows[i].loader_id);
		rows[i].class_name = loader_class_name(in, rows[i].loader_id);
		rows[i].name = hp_strings_text(
			&in->strings, hp_field_lookup_ref(&in->layouts, loader,
							  HP_LOADER_NAME));
	}
	return hp_object_inspect_status(in, error);
}

static enum hprof_status make_table(const struct hprof_summary *summary,
				    struct hprof_loader_table *table,
				    struct hprof_error *error)
{
	struct hp_object_inspect in;
	enum hprof_status status;

	if (list_loaders(&summary->impl->classes, table) != HPROF_OK)
		return hp_no_memory(error);
	status = hp_object_inspect_open(&in, summary, table->impl, error);
	if (status == HPROF_OK)
		status = name_loaders(&in, table, error);
	hp_object_inspect_done(&in);
	return status;
}

enum hprof_status hprof_summary_loaders(const struct hprof_summary *summary,
					struct hprof_loader_table **ret_table,
					struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_loader_table *table;
	enum hprof_status status;

	HP_NEED(error, summary);
	HP_NEED(error, ret_table);
	table = hp_calloc(1, sizeof *table);
	if (table)
		table->impl = hp_calloc(1, sizeof(struct hp_arena));
	if (!table || !table->impl) {
		hp_free(table);
		return hp_no_memory(error);
	}
	status = make_table(summary, table, error);
	if (status < 0) {
		hprof_loader_table_free(table);
		return status;
	}
	*ret_table = table;
	return HPROF_OK;
}

void hprof_loader_table_free(struct hprof_loader_table *table)
{
	if (!table)
		return;
	if (table->impl)
		hp_arena_done(table->impl);
	hp_free(table->impl);
	hp_free(table->rows);
	hp_free(table);
}
