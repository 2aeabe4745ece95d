/* SPDX-License-Identifier: MIT */
/*
 * dump_items.c - the rows of one dump, under names that are the same in other
 * dumps.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/diff/dump_inputs.h"

static char *loader_name(struct dump_items *items,
			 const struct dump_input *dump, uint64_t id)
{
	char *name = dump_loader_name(dump, id);

	if (name)
		items->names[items->name_count++] = name;
	return name;
}

/* "<boot>", or class and name of the loader; NULL: not known. */
char *dump_loader_name(const struct dump_input *dump, uint64_t id)
{
	const struct hprof_loader_table *loaders = dump->loaders;
	const struct hprof_loader_row *row;

	if (!id)
		return cli_strdup("<boot>");
	if (!loaders)
		return NULL;
	row = rollup_find_loader(loaders, id);
	if (!row || !row->class_name)
		return cli_strdup("(unknown loader)");
	if (!row->name)
		return cli_strdup(row->class_name);
	return describe_format("%s \"%s\"", row->class_name, row->name);
}

static void make_room(struct dump_items *items, size_t count)
{
	items->items = cli_calloc(count, sizeof(items->items[0]));
	items->names = cli_calloc(count, sizeof(items->names[0]));
	items->table = (struct hprof_diff_side){ count, items->items };
}

static void from_groups(struct dump_items *items, const struct dump_input *dump,
			enum rollup_by by, const struct cli_list *match)
{
	struct rollup_options how = { .by = by,
				      .match = match,
				      .loaders = dump->loaders };
	const struct rollup_table *groups;

	groups = items->groups = rollup_table_new(dump->summary, &how);
	make_room(items, groups->count);
	for (size_t i = 0; i < groups->count; i++) {
		const struct rollup_row *row = &groups->rows[i];
		struct hprof_diff_item *item = &items->items[i];

		*item = (struct hprof_diff_item){
			.name = row->name,
			.instances = row->instances,
			.bytes = row->bytes,
		};
		if (by == ROLLUP_CLASS)
			item->loader = loader_name(items, dump,
						   row->class_row->loader_id);
		if (by == ROLLUP_LOADER)
			item->name = loader_name(items, dump, row->id);
		if (!item->name)
			item->name = "(unknown loader)";
	}
}

void dump_items_make(struct dump_items *items, const struct dump_input *dump,
		     enum rollup_by by, const struct cli_list *match)
{
	*items = (struct dump_items){ .groups = NULL };
	if (dump->tree)
		items->table = dump->sets[by].table;
	else
		from_groups(items, dump, by, match);
}

void dump_items_done(struct dump_items *items)
{
	for (size_t i = 0; i < items->name_count; i++)
		free(items->names[i]);
	free(items->names);
	free(items->items);
	rollup_table_free(items->groups);
}
