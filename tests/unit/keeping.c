/* SPDX-License-Identifier: MIT */
/*
 * keeping.c - see keeping.h.
 */
#include "keeping.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_file.h"
#include "fixture.h"
#include "heap/heap.h"

void write_file(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "w");

	cr_assert(file);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	cr_assert_eq(fclose(file), 0);
	chmod(name, 0600);
}

uint8_t *file_bytes(const char *name, size_t *ret_size)
{
	FILE *file = fopen(name, "r");
	uint8_t *bytes = malloc(1 << 20);

	cr_assert(file && bytes);
	*ret_size = fread(bytes, 1, 1 << 20, file);
	cr_assert_lt(*ret_size, 1 << 20);
	fclose(file);
	return bytes;
}

char *file_named(const char *suffix)
{
	static char name[300];
	DIR *folder = opendir("kept");
	const struct dirent *entry;
	unsigned found = 0;

	cr_assert(folder);
	while ((entry = readdir(folder))) {
		const char *dot = strrchr(entry->d_name, '.');
		if (!dot || strcmp(dot, suffix) != 0)
			continue;
		snprintf(name, sizeof name, "kept/%s", entry->d_name);
		found++;
	}
	closedir(folder);
	cr_assert_eq(found, 1, "%u files %s", found, suffix);
	return name;
}

/* ---- all that a heap and its graph say ----------------------------------- */

static uint64_t add(uint64_t sum, uint64_t value)
{
	return hp_cache_hash(sum, &value, sizeof value);
}

bool add_referrer(void *user, uint64_t object)
{
	*(uint64_t *)user = add(*(uint64_t *)user, object);
	return true;
}

static uint64_t sum_object(const struct hprof_graph *graph,
			   struct hprof_cursor *cursor, uint64_t i,
			   uint64_t sum)
{
	struct hprof_object object = { 0 };

	cr_assert_eq(hprof_cursor_seek(cursor, i, &object), HPROF_OK);
	sum = add(sum, object.id);
	sum = add(sum, object.offset);
	sum = add(sum, hprof_heap_find(hprof_graph_heap(graph), object.id));
	sum = add(sum, hprof_graph_is_root(graph, i));
	sum = add(sum, hprof_graph_is_reachable(graph, i));
	sum = add(sum, hprof_graph_dominator(graph, i));
	sum = add(sum, hprof_graph_retained(graph, i));
	sum = add(sum, hprof_graph_shallow(graph, i));
	sum = add(sum, hprof_graph_strength(graph, i));
	cr_assert_eq(hprof_graph_referrers(graph, i, add_referrer, &sum, NULL),
		     HPROF_OK);
	return sum;
}

static uint64_t sum_summary(const struct hprof_summary *s)
{
	uint64_t sum = add(s->objects, s->roots);

	for (size_t i = 0; i < s->class_count; i++) {
		const struct hprof_class_row *row = &s->class_rows[i];
		sum = hp_cache_hash(sum, row->name, strlen(row->name));
		sum = add(sum, row->instances);
		sum = add(sum, row->shallow);
		sum = add(sum, row->largest);
	}
	for (size_t i = 0; i < s->tag_count; i++)
		sum = add(add(sum, s->tag_rows[i].count), s->tag_rows[i].bytes);
	for (size_t i = 0; i < s->diagnostic_count; i++) {
		const struct hprof_kept_diagnostic *d = &s->diagnostics[i];
		sum = hp_cache_hash(sum, d->text, strlen(d->text));
		sum = add(add(sum, d->count), d->offset);
		sum = hp_cache_hash(sum, d->code, strlen(d->code));
	}
	return sum;
}

uint64_t sum_graph(const struct hprof_graph *graph)
{
	const struct hprof_heap *heap = hprof_graph_heap(graph);
	const struct hprof_graph_totals *t = hprof_graph_totals(graph);
	uint64_t sum = sum_summary(hprof_heap_summary(heap));
	struct hprof_shortest_paths *paths = NULL;
	struct hprof_cursor *cursor = NULL;

	sum = add(add(sum, t->reachable), t->reachable_shallow);
	sum = add(add(add(sum, t->edges), t->weak), t->dangling);
	cr_assert_eq(hprof_cursor_new(heap, &cursor, NULL), HPROF_OK);
	cr_assert_eq(hprof_shortest_paths_build(graph, &paths, NULL), HPROF_OK);
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		sum = sum_object(graph, cursor, i, sum);
		sum = add(sum, hprof_shortest_paths_parent(paths, i));
	}
	hprof_shortest_paths_free(paths);
	hprof_cursor_free(cursor);
	return sum;
}

enum hprof_status open_kept(const char *folder, struct hprof_heap **ret)
{
	const struct hprof_heap_options how = { .size = sizeof how,
						.cache = folder };
	struct hprof_input input = hprof_input_path("dump.hprof");

	input.threads = 1;
	return hprof_heap_open(&input, &how, ret, NULL);
}

enum hprof_status build_kept(const struct hprof_heap *heap,
			     struct hprof_graph **ret)
{
	const struct hprof_graph_options what = { .size = sizeof what,
						  .threads = 1,
						  .dominators = true,
						  .edges = true,
						  .strengths = true };

	return hprof_graph_build(heap, &what, ret, NULL);
}

struct hprof_graph *build_graph(const char *folder)
{
	struct hprof_heap *heap = NULL;
	struct hprof_graph *graph = NULL;

	if (open_kept(folder, &heap) < 0)
		return NULL;
	cr_assert_eq(build_kept(heap, &graph), HPROF_OK);
	return graph;
}

void free_graph(struct hprof_graph *graph)
{
	struct hprof_heap *heap =
		(struct hprof_heap *)(uintptr_t)hprof_graph_heap(graph);

	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

uint64_t sum_merged(const struct hprof_graph *graph)
{
	const struct hprof_summary *s =
		hprof_heap_summary(hprof_graph_heap(graph));
	struct hprof_merged_paths *table = NULL;
	size_t *rows = calloc(s->class_count + 1, sizeof *rows);
	uint64_t sum = 1;

	cr_assert(rows);
	for (size_t i = 0; i < s->class_count; i++)
		rows[i] = i;
	if (hprof_merged_paths_read(graph, rows, s->class_count, &table, NULL) <
	    0)
		sum = 0;
	for (size_t i = 0; table && i < table->count; i++) {
		const struct hprof_merged_path_node *n = &table->nodes[i];
		const char *field = n->field ? n->field : "";
		sum = hp_cache_hash(sum, field, strlen(field));
		sum = add(add(add(sum, n->edge), n->kind), n->class_row);
		sum = add(add(add(sum, n->depth), n->objects), n->targets);
	}
	hprof_merged_paths_free(table);
	free(rows);
	return sum;
}

uint64_t sum_of_merged(const char *folder)
{
	struct hprof_graph *graph = build_graph(folder);
	uint64_t sum = sum_merged(graph);

	free_graph(graph);
	return sum;
}

uint64_t sum_dump(const char *folder, bool *ret_kept)
{
	struct hprof_graph *graph = build_graph(folder);
	const struct hprof_phase *phases;
	uint64_t sum;

	*ret_kept = false;
	if (!graph)
		return 0;
	cr_assert_gt(hprof_graph_phases(graph, &phases), 0);
	*ret_kept = hprof_graph_heap(graph)->restored &&
		    strcmp(phases[0].name, "index") == 0;
	sum = sum_graph(graph);
	free_graph(graph);
	return sum;
}

/* Each test has a folder of its own: all of them use the same names. */
static void enter_folder(void)
{
	static bool entered;
	char name[] = "cache-XXXXXX";

	if (!entered)
		cr_assert(mkdtemp(name) && chdir(name) == 0);
	entered = true;
}

void use_bytes(const void *bytes, size_t size)
{
	enter_folder();
	write_file("dump.hprof", bytes, size);
	mkdir("kept", 0700);
}

void use_fixture(const char *name)
{
	struct fixture fixture = fixture_load(name);

	use_bytes(fixture.bytes, fixture.size);
	fixture_free(&fixture);
}

uint64_t keep(const char *fixture)
{
	bool kept;
	uint64_t sum;

	use_fixture(fixture);
	sum = sum_dump("kept", &kept);
	cr_assert(sum && !kept);
	cr_assert_eq(sum_dump("kept", &kept), sum);
	cr_assert(kept);
	return sum;
}
