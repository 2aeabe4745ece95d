/* SPDX-License-Identifier: MIT */
/*
 * dump_items.c - the rows of one dump, under names that other dumps have too.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/diff/dump_inputs.h"

static char *loader_name(struct side_items *items, const struct side *side,
			 uint64_t id)
{
	char *name = side_loader_name(side, id);

	if (name)
		items->names[items->name_count++] = name;
	return name;
}

/* <boot>, or class and name of the loader; NULL: not known. */
char *side_loader_name(const struct side *side, uint64_t id)
{
	const struct hprof_loader_table *loaders = side->loaders;
	const struct hprof_loader_row *row;

	if (!id)
		return cli_strdup("<boot>");
	if (!loaders)
		return NULL;
	row = group_find_loader(loaders, id);
	if (!row || !row->class_name)
		return cli_strdup("(unknown loader)");
	if (!row->name)
		return cli_strdup(row->class_name);
	return label_format("%s \"%s\"", row->class_name, row->name);
}

static void make_room(struct side_items *items, size_t count)
{
	items->items = cli_calloc(count, sizeof(items->items[0]));
	items->names = cli_calloc(count, sizeof(items->names[0]));
	items->table = (struct hprof_diff_side){ count, items->items };
}

static void from_groups(struct side_items *items, const struct side *side,
			enum group_by by, const struct cli_list *match)
{
	struct group_options how = { .by = by,
				     .match = match,
				     .loaders = side->loaders };
	const struct group_table *groups;

	groups = items->groups = group_table_new(side->summary, &how);
	make_room(items, groups->count);
	for (size_t i = 0; i < groups->count; i++) {
		const struct group_row *row = &groups->rows[i];
		struct hprof_diff_item *item = &items->items[i];

		*item = (struct hprof_diff_item){
			.name = row->name,
			.instances = row->instances,
			.bytes = row->bytes,
		};
		if (by == GROUP_CLASS)
			item->loader = loader_name(items, side,
						   row->class_row->loader_id);
		if (by == GROUP_LOADER)
			item->name = loader_name(items, side, row->id);
		if (!item->name)
			item->name = "(unknown loader)";
	}
}

void side_items_make(struct side_items *items, const struct side *side,
		     enum group_by by, const struct cli_list *match)
{
	*items = (struct side_items){ .groups = NULL };
	if (side->tree)
		items->table = side->sets[by].table;
	else
		from_groups(items, side, by, match);
}

void side_items_done(struct side_items *items)
{
	for (size_t i = 0; i < items->name_count; i++)
		free(items->names[i]);
	free(items->names);
	free(items->items);
	group_table_free(items->groups);
}
