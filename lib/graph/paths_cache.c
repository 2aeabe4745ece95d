/* SPDX-License-Identifier: MIT */
/*
 * paths_cache.c - the tree of shortest paths in a file beside that of its
 * graph, see graph_cache.h.
 */
#include "graph/graph_cache.h"

#include "base/mem.h"

/*
 * One file for all policies that begin at the roots, and one for the others:
 * these depend on what was asked for, and a file for each would fill the folder.
 */
static void paths_file_name(const struct hprof_graph *g,
			    const struct hp_path_policy *policy,
			    char name[HP_CACHE_NAME])
{
	struct hp_cache_key key = hp_graph_cache_key(g);

	key.words[HP_HEAP_KEY_END + 1] = policy->starts != NULL;
	hp_graph_cache_file(g, &key, "paths", name);
}

/* The graph's key, with the policy in place of an option that matters not. */
static struct hp_cache_key key_of_paths(const struct hprof_graph *g,
					const struct hp_path_policy *policy)
{
	struct hp_cache_key key = hp_graph_cache_key(g);
	size_t kinds = hp_kind_count(g->heap->infos->count);
	size_t words = hp_bit_words(g->edges.count);
	uint64_t hash = 0;

	if (policy->late)
		hash = hp_cache_hash(1, policy->late,
				     kinds * sizeof *policy->late);
	if (policy->starts)
		hash = hp_cache_hash(hash, policy->starts,
				     words * sizeof *policy->starts);
	key.words[HP_HEAP_KEY_END + 1] = hash;
	return key;
}

void hp_paths_save(const struct hprof_graph *g,
		   const struct hp_path_policy *policy, const uint32_t *before)
{
	struct hp_cache_key key = key_of_paths(g, policy);
	struct hp_cache_writer w;
	char name[HP_CACHE_NAME];

	/* Packed references tell nothing of the objects that are left out. */
	if (!hp_graph_can_be_kept(g) || g->heap->summary->errors ||
	    !g->options.edges)
		return;
	paths_file_name(g, policy, name);
	hp_cache_begin(&w, g->heap->cache.folder, name, &key);
	hp_cache_put(&w, before, g->edges.count, sizeof *before);
	hp_cache_end(&w, hp_heap_cache_holds(&g->heap->cache));
}

/*
 * Marks OBJECT and those before it up to one that has a mark, or that has none
 * before it; returns that.
 */
static inline uint32_t follow(const uint32_t *before, uint32_t object,
			      uint64_t *marks)
{
	while (!hp_bit(marks, object)) {
		hp_bit_set(marks, object);
		if (before[object] == 0)
			break;
		object = before[object] - 1;
	}
	return object;
}

/*
 * Paths must end. Each object is met once: a path that meets an object which
 * was met before, but not on a path whose end is known, goes around in a
 * circle.
 */
static bool good_paths(const uint32_t *before, uint32_t count)
{
	const size_t words = hp_bit_words(count);
	uint64_t *met = hp_calloc(2 * words + 1, sizeof *met);
	uint64_t *ended = met + words;
	bool good = met != NULL;

	for (uint32_t i = 0; good && i < count; i++)
		good = before[i] <= count;
	for (uint32_t i = 0; good && i < count; i++) {
		if (hp_bit(met, i))
			continue;
		uint32_t last = follow(before, i, met);
		good = before[last] == 0 || hp_bit(ended, last);
		if (good)
			follow(before, i, ended);
	}
	hp_free(met);
	return good;
}

bool hp_paths_restore(const struct hprof_graph *g,
		      const struct hp_path_policy *policy,
		      struct hp_cache_map *map,
		      struct hp_mapped_table *ret_before)
{
	struct hp_cache_key key = key_of_paths(g, policy);
	const uint32_t *before;
	uint64_t count = 0;
	char name[HP_CACHE_NAME];

	if (!hp_graph_can_be_kept(g))
		return false;
	paths_file_name(g, policy, name);
	if (!hp_cache_open(g->heap->cache.folder, name, &key,
			   g->options.threads, map))
		return false;
	before = hp_cache_rows(map, 0, sizeof *before, &count);
	if (!before || count != g->edges.count ||
	    !good_paths(before, g->edges.count)) {
		hp_cache_close(map);
		return false;
	}
	*ret_before =
		hp_mapped_table_borrow(before, (size_t)count * sizeof *before);
	return true;
}
