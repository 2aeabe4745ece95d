/* SPDX-License-Identifier: MIT */
/*
 * rollup.c - see rollup.h.
 *
 * Whatever the grouping, the rows that match the patterns are chosen first. The
 * figures of each row then count for one group, its package or its loader; or,
 * for superclasses, for each class up the chain.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/glob.h"
#include "tools/report/rollup.h"

static const char unnamed[] = "(no name)";

/* ---- sums --------------------------------------------------------------- */

static void add_figures(struct rollup_row *to, const struct rollup_row *row)
{
	to->classes += row->classes;
	to->instances += row->instances;
	to->bytes += row->bytes;
	to->data += row->data;
	if (row->largest > to->largest)
		to->largest = row->largest;
}

static struct rollup_row row_of_class(const struct hprof_class_row *row)
{
	return (struct rollup_row){
		.name = row->name ? row->name : unnamed,
		.class_row = row,
		.id = row->class_id,
		.classes = row->instances != 0,
		.instances = row->instances,
		.bytes = row->shallow,
		.largest = row->largest,
		.data = row->data,
	};
}

static bool name_fits(const char *name, const struct cli_list *match)
{
	if (!match || !match->count)
		return true;
	for (size_t i = 0; i < match->count; i++)
		if (glob_matches(match->items[i], name))
			return true;
	return false;
}

static bool fits(const struct hprof_class_row *row,
		 const struct cli_list *match)
{
	return name_fits(row->name ? row->name : unnamed, match);
}

bool *rollup_matching(const struct hprof_summary *summary,
		      const struct cli_list *match)
{
	size_t count = summary->class_count;
	bool *matching;

	if (!match || !match->count)
		return NULL;
	matching = cli_calloc(count + 1, sizeof(*matching));
	for (size_t i = 0; i < count; i++)
		matching[i] = fits(&summary->class_rows[i], match);
	matching[count] = name_fits(unnamed, match);
	return matching;
}

/*
 * Takes every class with instances that matches, in the order of the summary.
 */
static void take_classes(struct rollup_table *table,
			 const struct hprof_summary *summary,
			 const struct cli_list *match)
{
	table->rows = cli_calloc(summary->class_count, sizeof(table->rows[0]));
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		table->whole += row->shallow;
		if (!row->instances || !fits(row, match))
			continue;
		table->rows[table->count] = row_of_class(row);
		add_figures(&table->total, &table->rows[table->count]);
		table->count++;
	}
}

/* ---- sorting ------------------------------------------------------------ */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : compare_numbers(a->id, b->id);
}

static int compare_ids(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;

	return compare_numbers(a->id, b->id);
}

static int compare_bytes(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;
	int order = compare_numbers(b->bytes, a->bytes);

	return order ? order : compare_names(a, b);
}

static int compare_instances(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;
	int order = compare_numbers(b->instances, a->instances);

	return order ? order : compare_names(a, b);
}

static int compare_largest(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;
	int order = compare_numbers(b->largest, a->largest);

	return order ? order : compare_names(a, b);
}

typedef int compare_fn(const void *left, const void *right);

static void sort_rows(struct rollup_table *table, compare_fn *compare)
{
	if (table->count)
		qsort(table->rows, table->count, sizeof(table->rows[0]),
		      compare);
}

static void sort_by(struct rollup_table *table, enum rollup_sort sort)
{
	switch (sort) {
	case ROLLUP_SORT_BYTES:
		sort_rows(table, compare_bytes);
		break;
	case ROLLUP_SORT_INSTANCES:
		sort_rows(table, compare_instances);
		break;
	case ROLLUP_SORT_LARGEST:
		sort_rows(table, compare_largest);
		break;
	case ROLLUP_SORT_NAME:
		sort_rows(table, compare_names);
		break;
	}
}

static uint64_t loader_of(const struct rollup_row *row)
{
	return row->class_row ? row->class_row->loader_id : 0;
}

static int compare_loaders(const void *left, const void *right)
{
	const struct rollup_row *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : compare_numbers(loader_of(a), loader_of(b));
}

static void mark_shared_names(struct rollup_table *table)
{
	sort_rows(table, compare_loaders);
	for (size_t i = 1; i < table->count; i++) {
		struct rollup_row *row = &table->rows[i];

		if (strcmp(row[-1].name, row->name))
			continue;
		row[-1].shared_name = row->shared_name = true;
		if (loader_of(row - 1) == loader_of(row))
			row[-1].shared_loader = row->shared_loader = true;
	}
}

/* Adds up adjacent rows that are equal by COMPARE. */
static void merge_rows(struct rollup_table *table, compare_fn *compare)
{
	size_t used = 0;

	sort_rows(table, compare);
	for (size_t i = 0; i < table->count; i++) {
		struct rollup_row *row = &table->rows[i];

		if (used && !compare(&table->rows[used - 1], row))
			add_figures(&table->rows[used - 1], row);
		else
			table->rows[used++] = *row;
	}
	table->count = used;
}

/* ---- packages ----------------------------------------------------------- */

static char *package_of(const struct rollup_row *row)
{
	size_t length = hprof_package_name(row->name, NULL, 0);
	char *copy = cli_calloc(length + 1, 1);

	hprof_package_name(row->name, copy, length + 1);
	return copy;
}

static void group_packages(struct rollup_table *table)
{
	table->names = cli_calloc(table->count, sizeof(table->names[0]));
	for (size_t i = 0; i < table->count; i++) {
		struct rollup_row *row = &table->rows[i];

		row->name = table->names[i] = package_of(row);
		row->class_row = NULL;
		row->id = 0;
	}
	table->name_count = table->count;
	merge_rows(table, compare_names);
}

/* ---- loaders ------------------------------------------------------------ */

static int compare_loader(const void *key, const void *item)
{
	const struct hprof_loader_row *row = item;

	return compare_numbers(*(const uint64_t *)key, row->loader_id);
}

const struct hprof_loader_row *
rollup_find_loader(const struct hprof_loader_table *loaders, uint64_t id)
{
	return loaders ? bsearch(&id, loaders->rows, loaders->count,
				 sizeof(loaders->rows[0]), compare_loader)
		       : NULL;
}

/* "<boot>", or the loader's class, identifier and name: CLASS @0xID "NAME" */
static char *loader_label(const struct rollup_row *row)
{
	const char *class_name = "(no class)", *name = NULL;
	size_t room;
	char *label;

	if (!row->id)
		return cli_strdup("<boot>");
	if (row->loader) {
		name = row->loader->name;
		if (row->loader->class_name)
			class_name = row->loader->class_name;
	}
	room = strlen(class_name) + (name ? strlen(name) : 0) + 32;
	label = cli_calloc(room, 1);
	snprintf(label, room, "%s @0x%" PRIx64 "%s%s%s", class_name, row->id,
		 name ? " \"" : "", name ? name : "", name ? "\"" : "");
	return label;
}

static void group_loaders(struct rollup_table *table,
			  const struct hprof_loader_table *loaders)
{
	for (size_t i = 0; i < table->count; i++) {
		table->rows[i].id = table->rows[i].class_row->loader_id;
		table->rows[i].class_row = NULL;
	}
	merge_rows(table, compare_ids);
	table->names = cli_calloc(table->count, sizeof(table->names[0]));
	for (size_t i = 0; i < table->count; i++) {
		struct rollup_row *row = &table->rows[i];

		row->loader = rollup_find_loader(loaders, row->id);
		row->name = table->names[i] = loader_label(row);
	}
	table->name_count = table->count;
}

/* ---- superclasses ------------------------------------------------------- */

struct chain {
	size_t super;	/* index of the superclass; SIZE_MAX: none */
	size_t waiting; /* direct subclasses that have not been added */
	bool is_super;
};

static size_t find_class(const struct rollup_table *table, uint64_t id)
{
	const struct rollup_row wanted = { .id = id }, *found = NULL;

	if (id)
		found = bsearch(&wanted, table->rows, table->count,
				sizeof(wanted), compare_ids);
	return found ? (size_t)(found - table->rows) : SIZE_MAX;
}

/*
 * Takes the other classes as well, with figures of 0: they may be superclasses.
 */
static void take_all_classes(struct rollup_table *table,
			     const struct hprof_summary *summary,
			     const struct cli_list *match)
{
	table->count = 0;
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];
		struct rollup_row *to = &table->rows[table->count++];

		*to = row_of_class(row);
		if (!fits(row, match))
			to->classes = to->instances = to->bytes = to->largest =
				to->data = 0;
	}
	sort_rows(table, compare_ids);
}

static struct chain *link_chains(const struct rollup_table *table)
{
	struct chain *chains = cli_calloc(table->count, sizeof(chains[0]));

	for (size_t i = 0; i < table->count; i++) {
		const struct hprof_class_row *row = table->rows[i].class_row;
		size_t super = find_class(table, row->super_id);

		chains[i].super = super;
		if (super != SIZE_MAX) {
			chains[super].waiting++;
			chains[super].is_super = true;
		}
	}
	return chains;
}

/*
 * Adds each class to its superclass as soon as all of its own subclasses have
 * been added to it. That takes linear time however deep the chains are. In a
 * damaged dump they may be circular; classes on a circle are never added to
 * each other.
 */
static void add_up_chains(struct rollup_table *table, struct chain *chains)
{
	for (size_t i = 0; i < table->count; i++) {
		size_t at = i;

		while (chains[at].waiting == 0) {
			size_t super = chains[at].super;

			chains[at].waiting = SIZE_MAX; /* done */
			if (super == SIZE_MAX)
				break;
			add_figures(&table->rows[super], &table->rows[at]);
			chains[super].waiting--;
			at = super;
		}
	}
}

static void group_supers(struct rollup_table *table,
			 const struct hprof_summary *summary,
			 const struct cli_list *match)
{
	struct chain *chains;
	size_t used = 0;

	take_all_classes(table, summary, match);
	chains = link_chains(table);
	add_up_chains(table, chains);
	for (size_t i = 0; i < table->count; i++)
		if (chains[i].is_super && table->rows[i].instances)
			table->rows[used++] = table->rows[i];
	table->count = used;
	free(chains);
}

/* ------------------------------------------------------------------------- */

struct rollup_table *rollup_table_new(const struct hprof_summary *summary,
				      const struct rollup_options *options)
{
	struct rollup_table *table = cli_calloc(1, sizeof(*table));

	table->by = options->by;
	table->filtered = options->match && options->match->count;
	take_classes(table, summary, options->match);
	switch (options->by) {
	case ROLLUP_CLASS:
		break;
	case ROLLUP_PACKAGE:
		group_packages(table);
		break;
	case ROLLUP_SUPER:
		group_supers(table, summary, options->match);
		break;
	case ROLLUP_LOADER:
		group_loaders(table, options->loaders);
		break;
	}
	mark_shared_names(table);
	sort_by(table, options->sort);
	return table;
}

void rollup_table_free(struct rollup_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->name_count; i++)
		free(table->names[i]);
	free(table->names);
	free(table->rows);
	free(table);
}

const char *rollup_word(enum rollup_by by, uint64_t count)
{
	static const char *const words[][2] = {
		[ROLLUP_CLASS] = { "class", "classes" },
		[ROLLUP_PACKAGE] = { "package", "packages" },
		[ROLLUP_SUPER] = { "superclass", "superclasses" },
		[ROLLUP_LOADER] = { "loader", "loaders" },
	};

	return words[by][count != 1];
}
