/* SPDX-License-Identifier: MIT */
/*
 * dump_sets.c - what the rows of a diff retain, and the classes that match a
 * pattern.
 *
 * A row may stand for several classes or loaders of a dump. What they retain is
 * computed for all of them as one set: the sum of what each retains would count
 * objects several times.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/glob.h"
#include "tools/diff/dump_inputs.h"

/* A class, and the group that it belongs to. */
struct member {
	char *name, *loader; /* as they are in every run */
	char *raw;	     /* its name in this dump */
	size_t row;
};

/* One division of the classes into sets, while it is made. */
struct sets {
	struct hprof_retained_groups division;
	uint32_t *instances, *class_objects;
	struct hprof_set_sum *sums;
	struct dump_items *items; /* NULL: it is for a pattern */
	void *texts;		  /* the names of ITEMS, see tsearch */
};

static char *known_name(const char *name)
{
	size_t size = hprof_diff_name(name, NULL, 0) + 1;
	char *copy = cli_calloc(size, 1);

	hprof_diff_name(name, copy, size);
	return copy;
}

static const char *name_of(const struct dump_input *dump, size_t row)
{
	const struct hprof_summary *summary = dump->summary;
	const char *name = row < summary->class_count
				   ? summary->class_rows[row].name
				   : "(unknown class)";

	return name ? name : "(no name)";
}

static void make_sets(struct sets *sets, size_t rows)
{
	sets->instances = cli_calloc(rows + 1, sizeof(sets->instances[0]));
	sets->class_objects =
		cli_calloc(rows + 1, sizeof(sets->class_objects[0]));
	sets->sums = cli_calloc(rows + 2, sizeof(sets->sums[0]));
	sets->division = (struct hprof_retained_groups){
		.instances = sets->instances,
		.class_objects = sets->class_objects,
		.sums = sets->sums,
	};
}

static void free_sets(struct sets *sets)
{
	free(sets->instances);
	free(sets->class_objects);
	free(sets->sums);
}

/* ---- rows ---------------------------------------------------------------- */

static char *package_name(const char *name)
{
	size_t size = hprof_package_name(name, NULL, 0) + 1;
	char *package = cli_calloc(size, 1);

	hprof_package_name(name, package, size);
	return package;
}

/* The function of tsearch takes pointers to texts as they are. */
static int compare_texts(const void *left, const void *right)
{
	return strcmp(left, right);
}

/*
 * TEXT, or the equal one that there is already. A name may have 65,535 bytes, and a
 * dump as many classes of that name as it has room for: each must not have copies.
 */
static char *share(struct sets *sets, char *text)
{
	char **found;

	if (!text)
		return NULL;
	found = tsearch(text, &sets->texts, compare_texts);
	if (!found)
		cli_out_of_memory();
	if (*found != text) {
		free(text);
		return *found;
	}
	sets->items->names[sets->items->name_count++] = text;
	return text;
}

static void forget_texts(struct sets *sets)
{
	for (size_t i = 0; i < sets->items->name_count; i++)
		tdelete(sets->items->names[i], &sets->texts, compare_texts);
}

static struct member member_of(struct sets *sets, const struct dump_input *dump,
			       enum rollup_by by, size_t row)
{
	struct member member = { .row = row };
	uint64_t loader_id = 0;

	if (row < dump->summary->class_count)
		loader_id = dump->summary->class_rows[row].loader_id;
	if (by != ROLLUP_PACKAGE)
		member.loader = share(sets, dump_loader_name(dump, loader_id));
	if (by == ROLLUP_CLASS)
		member.raw = share(sets, cli_strdup(name_of(dump, row)));
	else if (by == ROLLUP_PACKAGE)
		member.raw = share(sets, package_name(name_of(dump, row)));
	else if (member.loader)
		member.raw = member.loader;
	else
		member.raw = share(sets, cli_strdup("(unknown loader)"));
	return member;
}

static int compare_raw(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	return a->raw < b->raw ? -1 : a->raw > b->raw;
}

/* Once for all that have one name in this dump; their order changes. */
static void add_known_names(struct sets *sets, struct member *members,
			    size_t count)
{
	qsort(members, count, sizeof(*members), compare_raw);
	for (size_t i = 0; i < count; i++)
		members[i].name =
			i && members[i].raw == members[i - 1].raw
				? members[i - 1].name
				: share(sets, known_name(members[i].raw));
}

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	/* Equal texts are the same. */
	if (a->name != b->name)
		return strcmp(a->name, b->name);
	if (a->loader == b->loader)
		return 0;
	if (!a->loader || !b->loader)
		return a->loader ? 1 : -1;
	return strcmp(a->loader, b->loader);
}

/* The row of java.lang.Class, or the row of unknown classes. */
static size_t class_of_classes(const struct dump_input *dump)
{
	const struct hprof_summary *summary = dump->summary;

	for (size_t i = 0; i < summary->class_count; i++)
		if (!strcmp(name_of(dump, i), "java.lang.Class"))
			return i;
	return summary->class_count;
}

/*
 * A class object is an instance of java.lang.Class, but it belongs to the
 * package and the loader of the class that it represents.
 */
static void place_class_objects(struct sets *sets,
				const struct dump_input *dump,
				enum rollup_by by)
{
	size_t rows = dump->summary->class_count;
	uint32_t all = sets->instances[class_of_classes(dump)];

	for (size_t i = 0; i <= rows; i++)
		sets->class_objects[i] =
			by == ROLLUP_CLASS ? all : sets->instances[i];
}

static void divide(struct sets *sets, const struct dump_input *dump,
		   enum rollup_by by)
{
	size_t rows = dump->summary->class_count, count = 0;
	struct member *members = cli_calloc(rows + 1, sizeof(*members));
	struct dump_items *items = sets->items;

	items->items = cli_calloc(rows + 1, sizeof(items->items[0]));
	items->names = cli_calloc(3 * rows + 3, sizeof(items->names[0]));
	for (size_t i = 0; i <= rows; i++)
		members[i] = member_of(sets, dump, by, i);
	add_known_names(sets, members, rows + 1);
	forget_texts(sets);
	qsort(members, rows + 1, sizeof(*members), compare_members);
	for (size_t i = 0; i <= rows; i++) {
		if (!i || compare_members(&members[i - 1], &members[i]))
			items->items[count++] = (struct hprof_diff_item){
				.name = members[i].raw,
				.loader = by == ROLLUP_CLASS ? members[i].loader
							     : NULL,
			};
		sets->instances[members[i].row] = (uint32_t)count - 1;
	}
	free(members);
	sets->division.set_count = (uint32_t)count;
	place_class_objects(sets, dump, by);
}

/* Rows without objects are left out. */
static void take_sums(const struct sets *sets)
{
	struct dump_items *items = sets->items;
	size_t used = 0;

	for (size_t i = 0; i < sets->division.set_count; i++) {
		const struct hprof_set_sum *sum = &sets->sums[i];

		if (!sum->objects)
			continue;
		items->items[used] = items->items[i];
		items->items[used].instances = sum->objects;
		items->items[used].bytes = sum->shallow;
		items->items[used++].retained = sum->retained;
	}
	items->table = (struct hprof_diff_side){ used, items->items };
}

/* ---- patterns ------------------------------------------------------------ */

static void divide_by(struct sets *sets, const struct dump_input *dump,
		      const char *pattern)
{
	size_t rows = dump->summary->class_count;

	for (size_t i = 0; i <= rows; i++) {
		char *name = known_name(name_of(dump, i));

		sets->instances[i] = glob_matches(pattern, name) ? 0 : 1;
		free(name);
	}
	sets->division.set_count = 1;
	place_class_objects(sets, dump, ROLLUP_CLASS);
}

/* ------------------------------------------------------------------------- */

static size_t divide_all(struct sets *sets, struct dump_input *dump,
			 const struct dump_inputs_wanted *wanted)
{
	size_t rows = dump->summary->class_count, count = 0;

	for (unsigned by = 0; by <= ROLLUP_LOADER; by++) {
		if (!(wanted->groups & 1U << by))
			continue;
		sets[count].items = &dump->sets[by];
		make_sets(&sets[count], rows);
		divide(&sets[count++], dump, (enum rollup_by)by);
	}
	for (size_t i = 0; i < wanted->pattern_count; i++) {
		make_sets(&sets[count], rows);
		divide_by(&sets[count++], dump, wanted->patterns[i]);
	}
	return count;
}

bool dump_sets_read(struct dump_input *dump, const struct hprof_graph *graph,
		    const struct dump_inputs_wanted *wanted)
{
	size_t most = ROLLUP_LOADER + 1 + wanted->pattern_count;
	struct sets *sets = cli_calloc(most, sizeof(*sets));
	struct hprof_retained_groups *divisions =
		cli_calloc(most, sizeof(*divisions));
	size_t count = divide_all(sets, dump, wanted), pattern = 0;
	struct hprof_error error = { 0 };
	enum hprof_status status;

	for (size_t i = 0; i < count; i++)
		divisions[i] = sets[i].division;
	status = hprof_retained_by_group(graph, divisions, count, &error);
	if (status < 0)
		cli_message("%s: retained sizes: %s", dump->path, error.text);
	dump->pattern_retained = cli_calloc(wanted->pattern_count,
					    sizeof(dump->pattern_retained[0]));
	for (size_t i = 0; i < count; i++) {
		if (sets[i].items)
			take_sums(&sets[i]);
		else
			dump->pattern_retained[pattern++] =
				sets[i].sums[0].retained;
		free_sets(&sets[i]);
	}
	free(divisions);
	free(sets);
	return status >= 0;
}
