/* SPDX-License-Identifier: MIT */
/*
 * test_cache.c - what is kept of a dump in a folder: the same answers as
 * without it, and no trust in what is found there.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_file.h"
#include "base/mem.h"
#include "fixture.h"
#include "heap/heap.h"
#include "hprof/paths.h"

enum { KEY_AT = 16 }; /* of the key in a file */

static void write_file(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "w");

	cr_assert(file);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	cr_assert_eq(fclose(file), 0);
	chmod(name, 0600);
}

static uint8_t *read_file(const char *name, size_t *ret_size)
{
	FILE *file = fopen(name, "r");
	uint8_t *bytes = malloc(1 << 20);

	cr_assert(file && bytes);
	*ret_size = fread(bytes, 1, 1 << 20, file);
	cr_assert_lt(*ret_size, 1 << 20);
	fclose(file);
	return bytes;
}

/* The only file in the folder whose name ends in SUFFIX. */
static char *file_named(const char *suffix)
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

static bool add_referrer(void *user, uint64_t object)
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

static uint64_t sum_graph(const struct hprof_graph *graph)
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

/* The graph of the dump; NULL: it cannot be opened. */
static struct hprof_graph *build_graph(const char *folder)
{
	const struct hprof_heap_options how = { .size = sizeof how,
						.cache = folder };
	const struct hprof_graph_options what = { .size = sizeof what,
						  .threads = 1,
						  .dominators = true,
						  .edges = true,
						  .strengths = true };
	struct hprof_input input = hprof_input_path("dump.hprof");
	struct hprof_heap *heap = NULL;
	struct hprof_graph *graph = NULL;

	input.threads = 1;
	if (hprof_heap_open(&input, &how, &heap, NULL) < 0)
		return NULL;
	cr_assert_eq(hprof_graph_build(heap, &what, &graph, NULL), HPROF_OK);
	return graph;
}

static void free_graph(struct hprof_graph *graph)
{
	struct hprof_heap *heap =
		(struct hprof_heap *)(uintptr_t)hprof_graph_heap(graph);

	hprof_graph_free(graph);
	hprof_heap_close(heap);
}

/*
 * The sum of the paths to the objects of all classes, with the names of fields;
 * 0: they cannot be read.
 */
static uint64_t sum_merged(const struct hprof_graph *graph)
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

static uint64_t sum_of_merged(const char *folder)
{
	struct hprof_graph *graph = build_graph(folder);
	uint64_t sum = sum_merged(graph);

	free_graph(graph);
	return sum;
}

/*
 * The sum of all that the dump says. 0: it cannot be opened. RET_KEPT: whether
 * heap and graph came from the folder.
 */
static uint64_t sum_dump(const char *folder, bool *ret_kept)
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

static void use_fixture(const char *name)
{
	struct fixture fixture = fixture_load(name);

	enter_folder();
	write_file("dump.hprof", fixture.bytes, fixture.size);
	fixture_free(&fixture);
	mkdir("kept", 0700);
}

/* Makes the files; returns what the dump says. */
static uint64_t keep(const char *fixture)
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

Test(cache, every_fixture)
{
	unsigned used = 0;
	bool kept;

	for (char **name = fixture_names(); *name; name++) {
		use_fixture(*name);
		uint64_t sum = sum_dump(NULL, &kept);
		cr_expect_eq(sum_dump("kept", &kept), sum, "%s", *name);
		cr_expect_not(kept, "%s", *name);
		cr_expect_eq(sum_dump("kept", &kept), sum, "%s", *name);
		used += kept;
	}
	cr_expect_gt(used, 20);
}

/* ---- files that are not what they were ----------------------------------- */

static const char *const suffixes[] = { ".heap", ".graph", ".paths" };

/*
 * The next place to try: each byte of a header, then samples, since most of a
 * file are tables whose bytes are all alike, and a dump is read for each.
 */
static size_t next_place(size_t place)
{
	enum { HEADER = 512 };

	return place +
	       (place < HEADER ? sweep_step(1, 37) : sweep_step(13, 61));
}

Test(cache, cut_anywhere)
{
	const uint64_t sum = keep("graph");
	bool kept;

	for (unsigned s = 0; s < 3; s++) {
		char *name = strdup(file_named(suffixes[s]));
		size_t size;
		uint8_t *bytes = read_file(name, &size);
		for (size_t cut = 0; cut < size; cut = next_place(cut)) {
			write_file(name, bytes, cut);
			cr_expect_eq(sum_dump("kept", &kept), sum,
				     "%s cut at %zu", suffixes[s], cut);
			cr_expect(s == 2 || !kept);
		}
		free(bytes);
		free(name);
	}
}

/* What was read stays, and there is no SIGBUS. */
Test(cache, cut_while_in_use)
{
	const uint64_t sum = keep("graph");
	struct hprof_graph *graph = build_graph("kept");

	cr_assert(graph && hprof_graph_heap(graph)->restored);
	for (unsigned s = 0; s < 3; s++)
		cr_assert_eq(truncate(file_named(suffixes[s]), 0), 0);
	cr_expect_eq(sum_graph(graph), sum);
	free_graph(graph);
}

Test(cache, flipped_anywhere)
{
	const uint64_t sum = keep("graph");
	bool kept;

	for (unsigned s = 0; s < 3; s++) {
		char *name = strdup(file_named(suffixes[s]));
		size_t size;
		uint8_t *bytes = read_file(name, &size);
		for (size_t i = 0; i < size; i = next_place(i)) {
			bytes[i] ^= 1u << i % 8;
			write_file(name, bytes, size);
			bytes[i] ^= 1u << i % 8;
			cr_expect_eq(sum_dump("kept", &kept), sum,
				     "%s flipped at %zu", suffixes[s], i);
		}
		free(bytes);
		free(name);
	}
}

/* Fields whose references are not null are named alike with a file and without. */
Test(cache, fields_cut_or_flipped)
{
	keep("graph");
	const uint64_t sum = sum_of_merged(NULL);
	char *name = strdup(file_named(".fields"));
	size_t size;
	uint8_t *bytes = read_file(name, &size);

	cr_assert(sum);
	cr_expect_eq(sum_of_merged("kept"), sum);
	for (size_t i = 0; i < size; i = next_place(i)) {
		write_file(name, bytes, i);
		cr_expect_eq(sum_of_merged("kept"), sum, "cut at %zu", i);
		bytes[i] ^= 1u << i % 8;
		write_file(name, bytes, size);
		bytes[i] ^= 1u << i % 8;
		cr_expect_eq(sum_of_merged("kept"), sum, "flipped at %zu", i);
	}
	free(bytes);
	free(name);
}

Test(cache, of_another_dump)
{
	uint64_t sum = keep("graph"), other;
	char *name = strdup(file_named(".graph"));
	size_t size;
	uint8_t *bytes = read_file(name, &size);
	bool kept;

	unlink(name);
	other = keep("stat-shop");
	cr_assert_neq(sum, other);
	write_file(file_named(".graph"), bytes, size);
	cr_expect_eq(sum_dump("kept", &kept), other);
	cr_expect_not(kept);
	free(bytes);
	free(name);
}

Test(cache, only_private_files)
{
	const uint64_t sum = keep("graph");
	char *name = file_named(".heap");
	bool kept;

	chmod(name, 0620);
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect_not(kept);
	/* It was replaced by one that is private. */
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect(kept);
	rename(name, "elsewhere");
	cr_assert_eq(symlink("../elsewhere", name), 0);
	cr_expect_eq(sum_dump("kept", &kept), sum);
	cr_expect_not(kept);
}

/* ---- right sums, wrong numbers ------------------------------------------- */

/* The tables of a file, to be written again with other contents. */
struct tables {
	struct hp_cache_key key;
	struct hp_cache_table of[HP_CACHE_TABLES];
	uint8_t *bytes[HP_CACHE_TABLES];
	size_t count;
};

static void take_tables(const char *name, struct tables *ret)
{
	struct hp_cache_map map;
	size_t size;
	uint8_t *bytes = read_file(name, &size);

	memcpy(&ret->key, bytes + KEY_AT, sizeof ret->key);
	free(bytes);
	cr_assert(hp_cache_open(".", name, &ret->key, 1, &map));
	ret->count = map.count;
	for (size_t i = 0; i < map.count; i++) {
		size_t n = (size_t)(map.tables[i].count * map.tables[i].width);
		ret->of[i] = map.tables[i];
		ret->bytes[i] = malloc(n + 1);
		memcpy(ret->bytes[i], map.at + map.tables[i].at, n);
	}
	hp_cache_close(&map);
}

static void put_tables(const char *name, const struct tables *tables)
{
	struct hp_cache_writer w;

	hp_cache_begin(&w, ".", name, &tables->key);
	for (size_t i = 0; i < tables->count; i++)
		hp_cache_put(&w, tables->bytes[i], tables->of[i].count,
			     (size_t)tables->of[i].width);
	cr_assert(hp_cache_end(&w, true, NULL));
}

/* A wrong file may give wrong answers, but it must give some. */
static void ask(void)
{
	const struct hprof_heap_options how = { .size = sizeof how,
						.cache = "kept" };
	const struct hprof_graph_options what = { .size = sizeof what,
						  .threads = 1,
						  .dominators = true,
						  .edges = true,
						  .strengths = true };
	struct hprof_input input = hprof_input_path("dump.hprof");
	struct hprof_shortest_paths *paths = NULL;
	struct hprof_cursor *cursor = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_graph *graph = NULL;
	struct hprof_object object;

	input.threads = 1;
	cr_assert_eq(hprof_heap_open(&input, &how, &heap, NULL), HPROF_OK);
	cr_assert_eq(hprof_cursor_new(heap, &cursor, NULL), HPROF_OK);
	if (hprof_graph_build(heap, &what, &graph, NULL) == HPROF_OK &&
	    hprof_shortest_paths_build(graph, &paths, NULL) == HPROF_OK) {
		for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
			uint64_t up = i, sum = 0;
			while (up != HPROF_NO_OBJECT)
				up = hprof_graph_dominator(graph, up);
			hprof_shortest_paths_depth(paths, i);
			hprof_graph_referrers(graph, i, add_referrer, &sum,
					      NULL);
			hprof_cursor_seek(cursor, i, &object);
		}
	}
	if (paths)
		sum_merged(graph);
	hprof_shortest_paths_free(paths);
	hprof_graph_free(graph);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

/* A table that is large for so small a dump has mostly equal bytes. */
static size_t spoil_step(size_t n)
{
	if (n > 4096)
		return sweep_step(13, 61);
	return sweep_step(1, n > 256 ? 37 : 1);
}

/* Bytes of each table in turn, in a file whose sums are right. */
static void spoil(const char *suffix)
{
	static const uint8_t values[] = { 0xff, 0x80, 1 };
	char *name = strdup(file_named(suffix));
	struct tables tables = { 0 };

	take_tables(name, &tables);
	for (size_t t = 0; t < tables.count; t++) {
		const struct hp_cache_table *of = &tables.of[t];
		size_t n = (size_t)(of->count * of->width);
		for (size_t i = 0; i < n; i += spoil_step(n)) {
			uint8_t old = tables.bytes[t][i];
			tables.bytes[t][i] = old ^ values[i % 3];
			put_tables(name, &tables);
			ask();
			tables.bytes[t][i] = old;
		}
	}
	for (size_t t = 0; t < tables.count; t++)
		free(tables.bytes[t]);
	free(name);
}

Test(cache, wrong_heap)
{
	keep("graph");
	spoil(".heap");
}

Test(cache, wrong_graph)
{
	keep("graph");
	spoil(".graph");
}

Test(cache, wrong_paths)
{
	keep("graph");
	spoil(".paths");
}

Test(cache, wrong_fields)
{
	keep("graph");
	spoil(".fields");
}

/* Without memory there is no file, and no answer is lost but for that. */
Test(cache, no_memory)
{
	bool kept;
	const uint64_t sum = keep("graph");

	for (int64_t n = 0; n < 400; n++) {
		const struct hprof_heap_options how = { .size = sizeof how,
							.cache = "kept" };
		struct hprof_input input = hprof_input_path("dump.hprof");
		struct hprof_heap *heap = NULL;
		input.threads = 1;
		hp_mem_fail_after(n);
		enum hprof_status status =
			hprof_heap_open(&input, &how, &heap, NULL);
		hp_mem_fail_after(-1);
		cr_expect(status == HPROF_OK || status == HPROF_E_NOMEM);
		hprof_heap_close(heap);
	}
	cr_expect_eq(sum_dump("kept", &kept), sum);
}
