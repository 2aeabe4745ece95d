/* SPDX-License-Identifier: MIT */
/*
 * test_cache_tables.c - what is kept of a dump in a folder, with right sums but wrong
 * numbers: answers may be wrong, but there are some.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache_file.h"
#include "fixture.h"
#include "keeping.h"

enum { KEY_AT = 16 }; /* of the key in a file */

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
	uint8_t *bytes = file_bytes(name, &size);

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
	struct hprof_shortest_paths *paths = NULL;
	struct hprof_cursor *cursor = NULL;
	struct hprof_heap *heap = NULL;
	struct hprof_graph *graph = NULL;
	struct hprof_object object;

	cr_assert_eq(open_kept("kept", &heap), HPROF_OK);
	cr_assert_eq(hprof_cursor_new(heap, &cursor, NULL), HPROF_OK);
	if (build_kept(heap, &graph) == HPROF_OK &&
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

Test(cache_tables, wrong_heap)
{
	keep("graph");
	spoil(".heap");
}

Test(cache_tables, wrong_graph)
{
	keep("graph");
	spoil(".graph");
}

Test(cache_tables, wrong_paths)
{
	keep("graph");
	spoil(".paths");
}

Test(cache_tables, wrong_fields)
{
	keep("graph");
	spoil(".fields");
}
