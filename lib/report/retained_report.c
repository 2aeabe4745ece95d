/* SPDX-License-Identifier: MIT */
/*
 * retained_report.c - hprof_retained_read: what is big, by object, class,
 * package and loader.
 *
 * One pass over all objects fills all three tables of sets (retained_sets.h).
 */
#include "hprof/retained.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/retained_sets.h"
#include "graph/top_objects.h"
#include "base/error.h"
#include "report/object_info.h"
#include "base/mem.h"
#include "base/options.h"

enum { TOP = 25, TOP_MAX = 1 << 24, PACKAGE_MAX = 4096 };

/* One of the tables of sets, while it is computed. */
struct sets {
	uint32_t *key;		     /* of each kind */
	struct hprof_set_row *names; /* of each key */
	struct hp_sum *sums;
	size_t count;
};

struct retained {
	struct hprof_retained_table table;
	struct hp_arena arena;
	size_t kind_count;
	const bool *wanted; /* of the options */
	struct hp_look look;
	struct hp_class_keys classes;
	struct hp_sum *class_sums;
	struct sets packages, loaders;
};

static void sets_done(struct sets *sets)
{
	hp_free(sets->key);
	hp_free(sets->names);
	hp_free(sets->sums);
}

/* ---- the biggest objects ------------------------------------------------- */

static enum hprof_status describe_biggest(struct retained *r,
					  const struct hp_top_objects *b,
					  struct hprof_error *error)
{
	struct hprof_big_row *rows =
		hp_arena_take(&r->arena, (b->count + 1) * sizeof *rows);

	if (!rows)
		return hp_no_memory(error);
	for (size_t i = 0; i < b->count; i++) {
		uint64_t dominator =
			hprof_graph_dominator(r->look.graph, b->objects[i]);

		HP_TRY(hp_object_info_get(&r->look, b->objects[i],
					  &rows[i].held, error));
		HP_TRY(hp_object_info_get(&r->look, dominator,
					  &rows[i].dominator, error));
	}
	r->table.big = rows;
	r->table.big_count = b->count;
	return HPROF_OK;
}

static bool is_wanted(const void *user, const struct hprof_graph *graph,
		      uint32_t object)
{
	const bool *wanted = user;

	return wanted[hp_kind_row(hp_graph_kind(graph, object))];
}

static enum hprof_status find_biggest(struct retained *r, size_t top,
				      struct hprof_error *error)
{
	struct hp_top_objects b;
	enum hprof_status status;

	if (hp_top_objects_find(&b, r->look.graph, top,
				r->wanted ? is_wanted : NULL, r->wanted) != 0)
		return hp_no_memory(error);
	status = describe_biggest(r, &b, error);
	hp_top_objects_done(&b);
	return status;
}

/* ---- packages and loaders ------------------------------------------------ */

static enum hprof_status sets_init(struct sets *sets, size_t kind_count)
{
	sets->key = hp_calloc(kind_count, sizeof *sets->key);
	sets->names = hp_calloc(kind_count, sizeof *sets->names);
	sets->sums = hp_calloc(kind_count, sizeof *sets->sums);
	return sets->key && sets->names && sets->sums ? HPROF_OK
						      : HPROF_E_NOMEM;
}

/* A class row with what it is grouped by. */
struct member {
	uint32_t row;
	uint64_t loader_id;
	const char *name;
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (!order && a->loader_id != b->loader_id)
		order = a->loader_id < b->loader_id ? -1 : 1;
	return order;
}

/*
 * Assigns each class and each class object to the set of its name and loader;
 * those that are not WANTED to one that gets no row.
 */
static void divide(struct sets *sets, struct member *members, size_t count,
		   const bool *wanted)
{
	if (count)
		qsort(members, count, sizeof *members, compare_members);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_members(&members[i - 1], &members[i]))
			sets->names[sets->count++] = (struct hprof_set_row){
				.name = members[i].name,
				.class_row = SIZE_MAX,
				.loader_id = members[i].loader_id,
			};
		sets->key[hp_kind_of_instances(members[i].row)] =
			(uint32_t)sets->count - 1;
		sets->key[hp_kind_of_class(members[i].row)] =
			(uint32_t)sets->count - 1;
	}
	for (size_t row = 0; wanted && row < count; row++)
		if (!wanted[row])
			sets->key[hp_kind_of_instances(row)] =
				sets->key[hp_kind_of_class(row)] =
					(uint32_t)sets->count;
}

static enum hprof_status divide_packages(struct retained *r,
					 struct member *members)
{
	const struct hprof_summary *summary = hprof_heap_summary(r->look.heap);
	char package[PACKAGE_MAX];

	for (size_t i = 0; i < summary->class_count; i++) {
		const char *name = summary->class_rows[i].name;

		hprof_package_name(name ? name : "", package, sizeof package);
		members[i] = (struct member){ (uint32_t)i, 0, NULL };
		members[i].name =
			hp_arena_text(&r->arena, package, strlen(package));
		if (!members[i].name)
			return HPROF_E_NOMEM;
	}
	members[summary->class_count] =
		(struct member){ (uint32_t)summary->class_count, 0,
				 "(unknown class)" };
	divide(&r->packages, members, summary->class_count + 1, r->wanted);
	return HPROF_OK;
}

static void divide_loaders(struct retained *r, struct member *members)
{
	const struct hprof_summary *summary = hprof_heap_summary(r->look.heap);
	size_t count = summary->class_count;

	for (size_t i = 0; i < count; i++)
		members[i] =
			(struct member){ (uint32_t)i,
					 summary->class_rows[i].loader_id, "" };
	members[count] =
		(struct member){ (uint32_t)count, 0, "(unknown class)" };
	divide(&r->loaders, members, count + 1, r->wanted);
}

/* "class @0xid "name"", or "<boot>". */
static enum hprof_status name_loader(struct retained *r,
				     struct hprof_set_row *set,
				     struct hprof_error *error)
{
	uint64_t object = hprof_heap_find(r->look.heap, set->loader_id);
	struct hprof_object_info held = { 0 };
	struct hprof_field field;
	const char *name = NULL;
	char label[1024];
	int length;

	HP_TRY(hp_object_info_get(&r->look, object, &held, error));
	if (held.class_name &&
	    hprof_cursor_field_named(r->look.cursor, "java.lang.ClassLoader",
				     "name", &field) == HPROF_OK) {
		struct hprof_object text;

		object = hprof_heap_find(r->look.heap, field.value);
		if (hprof_cursor_seek(r->look.cursor, object, &text) !=
			    HPROF_OK ||
		    hprof_cursor_text(r->look.cursor, 200, &name, NULL) !=
			    HPROF_OK)
			name = NULL;
	}
	length = snprintf(label, sizeof label, "%s @0x%" PRIx64 "%s%s%s",
			  held.class_name ? held.class_name : "(no class)",
			  set->loader_id, name ? " \"" : "", name ? name : "",
			  name ? "\"" : "");
	if (length >= (int)sizeof label)
		length = sizeof label - 1;
	set->name = hp_arena_text(&r->arena, label, (size_t)length);
	return set->name ? HPROF_OK : hp_no_memory(error);
}

static enum hprof_status name_loaders(struct retained *r,
				      struct hprof_error *error)
{
	for (size_t i = 0; i < r->loaders.count; i++) {
		struct hprof_set_row *set = &r->loaders.names[i];

		if (*set->name)
			continue; /* unknown classes */
		if (set->loader_id)
			HP_TRY(name_loader(r, set, error));
		else
			set->name = "<boot>";
	}
	return HPROF_OK;
}

static enum hprof_status divide_all(struct retained *r,
				    struct hprof_error *error)
{
	size_t count = hprof_heap_summary(r->look.heap)->class_count;
	struct member *members = hp_calloc(count + 1, sizeof *members);
	bool good;

	r->class_sums = hp_calloc(count + 2, sizeof *r->class_sums);
	good = members && r->class_sums &&
	       hp_class_keys_init(&r->classes, r->look.heap) == HPROF_OK &&
	       sets_init(&r->packages, r->kind_count) == HPROF_OK &&
	       sets_init(&r->loaders, r->kind_count) == HPROF_OK &&
	       divide_packages(r, members) == HPROF_OK;
	if (good)
		divide_loaders(r, members);
	hp_free(members);
	return good ? name_loaders(r, error) : hp_no_memory(error);
}

/* ---- the table ----------------------------------------------------------- */

/* Instances of java.lang.Class count as such, whatever they represent. */
static void drop_unwanted(struct hprof_retained_table *table,
			  const bool *wanted, size_t class_count)
{
	size_t kept = 0;

	if (!wanted)
		return;
	for (size_t i = 0; i < table->class_count; i++) {
		size_t row = table->classes[i].class_row;

		if (wanted[row < class_count ? row : class_count])
			table->classes[kept++] = table->classes[i];
	}
	table->class_count = kept;
}

static enum hprof_status sum_up(struct retained *r, struct hprof_error *error)
{
	struct hprof_retained_table *t = &r->table;
	const struct hp_division divisions[] = {
		{ r->classes.key, r->class_sums },
		{ r->packages.key, r->packages.sums },
		{ r->loaders.key, r->loaders.sums },
	};

	HP_TRY(hp_retained_sets_all(r->look.graph, divisions,
				    sizeof divisions / sizeof divisions[0],
				    error));
	t->classes = hp_set_rows(&r->arena, r->class_sums, r->classes.names,
				 r->classes.count, &t->class_count);
	t->packages =
		hp_set_rows(&r->arena, r->packages.sums, r->packages.names,
			    r->packages.count, &t->package_count);
	t->loaders = hp_set_rows(&r->arena, r->loaders.sums, r->loaders.names,
				 r->loaders.count, &t->loader_count);
	if (!t->classes || !t->packages || !t->loaders)
		return hp_no_memory(error);
	drop_unwanted(t, r->wanted,
		      hprof_heap_summary(r->look.heap)->class_count);
	return HPROF_OK;
}

static void take_totals(struct hprof_retained_table *table,
			const struct hprof_graph_totals *totals)
{
	table->objects = totals->objects;
	table->shallow = totals->shallow;
	table->reachable_objects = totals->reachable;
	table->reachable_shallow = totals->reachable_shallow;
	table->unreachable_objects = totals->objects - totals->reachable;
	table->unreachable_shallow =
		totals->shallow - totals->reachable_shallow;
}

static enum hprof_status make_table(struct retained *r, size_t top,
				    struct hprof_error *error)
{
	take_totals(&r->table, hprof_graph_totals(r->look.graph));
	HP_TRY(hprof_cursor_new(r->look.heap, &r->look.cursor, error));
	r->kind_count =
		hp_kind_count(hprof_heap_summary(r->look.heap)->class_count);
	HP_TRY(find_biggest(r, top, error));
	HP_TRY(divide_all(r, error));
	return sum_up(r, error);
}

static void drop_work(struct retained *r)
{
	hprof_cursor_free(r->look.cursor);
	hp_class_keys_done(&r->classes);
	hp_free(r->class_sums);
	sets_done(&r->packages);
	sets_done(&r->loaders);
}

enum hprof_status
hprof_retained_read(const struct hprof_graph *graph,
		    const struct hprof_retained_options *given,
		    struct hprof_retained_table **ret_table,
		    struct hprof_error *ret_error)
{
	struct hprof_retained_options options;
	enum hprof_status status;
	struct retained *r;

	HP_TRY(hp_graph_need(graph, HP_GRAPH_DOMINATORS, ret_error));
	HP_NEED(ret_error, ret_table);
	if (!hp_options_take(given, &options, sizeof options))
		return hp_bad_options(ret_error);
	if (options.top > TOP_MAX)
		return hp_bad_argument(ret_error, "options.top",
				       "is more than 16777216");
	r = hp_calloc(1, sizeof *r);
	if (!r)
		return hp_no_memory(ret_error);
	r->table.impl = r;
	r->look.heap = graph->heap;
	r->look.graph = graph;
	r->wanted = options.wanted;
	status = make_table(r, options.top ? options.top : TOP, ret_error);
	drop_work(r);
	if (status < 0) {
		hprof_retained_table_free(&r->table);
		return status;
	}
	*ret_table = &r->table;
	return HPROF_OK;
}

void hprof_retained_table_free(struct hprof_retained_table *table)
{
	struct retained *r = table ? table->impl : NULL;

	if (!r)
		return;
	hp_arena_done(&r->arena);
	hp_free(r);
}
