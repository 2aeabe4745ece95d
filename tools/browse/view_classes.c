/* SPDX-License-Identifier: MIT */
/*
 * view_classes.c - classes, packages and loaders: what their objects take, and
 * once the graph is there what they retain.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/escape.h"
#include "tools/common/glob.h"
#include "tools/report/rollup.h"

enum { RETAINED, SHALLOW, OBJECTS };

static uint64_t whole_of(const struct view *v)
{
	return v->with_graph
		       ? hprof_graph_totals(v->tables->graph)->reachable_shallow
		       : v->tables->summary->shallow;
}

/* ---- classes ------------------------------------------------------------- */

/* By row of the summary; NULL: not known. */
static uint64_t *retained_by_class(const struct view *v)
{
	const struct hprof_retained_table *t = v->tables->retained;
	size_t count = v->tables->summary->class_count;
	uint64_t *retained;

	if (!v->with_graph)
		return NULL;
	retained = cli_calloc(count + 1, sizeof(*retained));
	for (size_t i = 0; i < t->class_count; i++)
		if (t->classes[i].class_row < count)
			retained[t->classes[i].class_row] =
				t->classes[i].retained;
	return retained;
}

static bool is_in_package(const char *name, const char *package)
{
	size_t size = hprof_package_name(name, NULL, 0);
	char *own;
	bool is;

	if (size != strlen(package))
		return false;
	own = cli_calloc(size + 1, 1);
	hprof_package_name(name, own, size + 1);
	is = strcmp(own, package) == 0;
	free(own);
	return is;
}

/* A part of a name, or a pattern for the name with its package or without. */
static bool is_named(const char *name, const char *pattern)
{
	const char *dot = strrchr(name, '.');

	if (!strpbrk(pattern, "*?["))
		return strstr(name, pattern) != NULL;
	return glob_matches(pattern, name) ||
	       (dot && glob_matches(pattern, dot + 1));
}

static bool is_wanted(const struct view *v, const struct hprof_class_row *row)
{
	switch (v->about.kind) {
	case TARGET_IN_PACKAGE:
		return is_in_package(row->name, v->about.text);
	case TARGET_IN_LOADER:
		return row->loader_id == v->about.number;
	case TARGET_CLASSES_NAMED:
		return is_named(row->name, v->about.text);
	default:
		return true;
	}
}

static char *classes_title(const struct view *v)
{
	char *name, *title;

	if (v->about.kind == TARGET_CLASSES)
		return cli_strdup("Classes");
	if (v->about.kind == TARGET_IN_LOADER)
		return v->about.number
			       ? describe_format(
					 "Classes of loader @0x%llx",
					 (unsigned long long)v->about.number)
			       : cli_strdup("Classes of the boot loader");
	name = escape_copy(v->about.text, DESCRIBE_NAME_LIMIT);
	title = describe_format(v->about.kind == TARGET_IN_PACKAGE
					? "Classes of package %s"
					: "Classes like %s",
				name);
	free(name);
	return title;
}

static void put_class(struct view *v, size_t i, const uint64_t *retained)
{
	const struct hprof_class_row *row = &v->tables->summary->class_rows[i];
	struct view_row *to =
		view_add(v, escape_copy(row->name, DESCRIBE_NAME_LIMIT));

	if (retained)
		to->values[RETAINED] = retained[i];
	to->values[SHALLOW] = row->shallow;
	to->values[OBJECTS] = row->instances;
	to->class_row = i;
	to->target = target_of(TARGET_INSTANCES, i);
	if (row->class_id)
		to->object = hprof_heap_find(v->tables->heap, row->class_id);
}

static void make_classes(struct view *v)
{
	const struct hprof_summary *s = v->tables->summary;
	uint64_t *retained = retained_by_class(v);

	view_title(v, classes_title(v));
	v->whole = whole_of(v);
	for (size_t i = 0; i < s->class_count; i++)
		if (is_wanted(v, &s->class_rows[i]))
			put_class(v, i, retained);
	free(retained);
}

const struct view_kind classes_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES },
		     [SHALLOW] = { "shallow", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "class",
	.has_share = true,
	.sortable = true,
	.improves = true,
	.make = make_classes,
};

/* ---- packages and loaders ------------------------------------------------ */

static int compare_sets(const void *left, const void *right)
{
	const struct hprof_set_row *a =
		*(const struct hprof_set_row *const *)left;
	const struct hprof_set_row *b =
		*(const struct hprof_set_row *const *)right;

	if (a->loader_id != b->loader_id)
		return a->loader_id < b->loader_id ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The sets, in that order, to look them up. */
static const struct hprof_set_row **sort_sets(const struct hprof_set_row *sets,
					      size_t count)
{
	const struct hprof_set_row **sorted =
		cli_calloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &sets[i];
	qsort(sorted, count, sizeof(*sorted), compare_sets);
	return sorted;
}

static int compare_loader(const void *id, const void *set)
{
	const uint64_t *wanted = id;
	const struct hprof_set_row *s =
		*(const struct hprof_set_row *const *)set;

	return (*wanted > s->loader_id) - (*wanted < s->loader_id);
}

static int compare_package(const void *name, const void *set)
{
	const struct hprof_set_row *s =
		*(const struct hprof_set_row *const *)set;

	return strcmp(name, s->name);
}

/* "app jdk.internal.loader.ClassLoaders$AppClassLoader@0x7f" */
static char *loader_text(const struct rollup_row *row)
{
	char *class_name, *name, *text;

	if (!row->id)
		return cli_strdup("<boot>");
	class_name = describe_kind(row->loader ? row->loader->class_name : NULL,
				   false);
	name = row->loader && row->loader->name
		       ? escape_copy(row->loader->name, DESCRIBE_NAME_LIMIT)
		       : cli_strdup("");
	text = describe_format("%s%s%s@0x%llx", name, *name ? " " : "",
			       class_name, (unsigned long long)row->id);
	free(name);
	free(class_name);
	return text;
}

static void put_group(struct view *v, const struct rollup_row *row,
		      const struct hprof_set_row *const *set, bool is_loader)
{
	struct view_row *to = view_add(
		v, is_loader ? loader_text(row)
			     : escape_copy(row->name, DESCRIBE_NAME_LIMIT));

	if (v->with_graph)
		to->values[RETAINED] = set ? (*set)->retained : 0;
	to->values[SHALLOW] = row->bytes;
	to->values[OBJECTS] = row->instances;
	to->target = target_of(is_loader ? TARGET_IN_LOADER : TARGET_IN_PACKAGE,
			       row->id);
	if (is_loader && row->id)
		to->object = hprof_heap_find(v->tables->heap, row->id);
	if (!is_loader)
		to->target.text = cli_strdup(row->name);
}

static void make_groups(struct view *v)
{
	bool is_loader = v->about.kind == TARGET_LOADERS;
	const struct hprof_retained_table *t =
		v->with_graph ? v->tables->retained : NULL;
	size_t count = !t ? 0 : is_loader ? t->loader_count : t->package_count;
	const struct hprof_set_row **sets =
		t ? sort_sets(is_loader ? t->loaders : t->packages, count)
		  : NULL;
	const struct cli_list all = { 0 };
	const struct rollup_options how = {
		.by = is_loader ? ROLLUP_LOADER : ROLLUP_PACKAGE,
		.match = &all,
		.loaders = v->tables->loaders,
	};
	struct rollup_table *table = rollup_table_new(v->tables->summary, &how);

	view_title(v, cli_strdup(is_loader ? "Class loaders" : "Packages"));
	v->whole = whole_of(v);
	for (size_t i = 0; i < table->count; i++) {
		const struct rollup_row *row = &table->rows[i];
		const void *set = NULL;

		if (sets)
			set = is_loader
				      ? bsearch(&row->id, sets, count,
						sizeof(*sets), compare_loader)
				      : bsearch(row->name, sets, count,
						sizeof(*sets), compare_package);
		put_group(v, row, set, is_loader);
	}
	rollup_table_free(table);
	free(sets);
}

const struct view_kind groups_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES },
		     [SHALLOW] = { "shallow", COLUMN_BYTES },
		     [OBJECTS] = { "objects", COLUMN_COUNT } },
	.text_title = "name",
	.has_share = true,
	.sortable = true,
	.improves = true,
	.make = make_groups,
};
