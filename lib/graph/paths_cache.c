/* SPDX-License-Identifier: MIT */
/*
 * paths_cache.c - the tree of shortest paths in a file beside that of its
 * graph, see graph_cache.h.
 *
 * Whether the paths in a file end is checked where one is followed: to check all
 * of them takes longer than to read them, and most questions follow few.
 */
#include "graph/graph_cache.h"

#include "base/mem.h"

/*
 * One file for all policies that begin at the roots, and some for the others:
 * these depend on what was asked for, and a file for each would fill the folder.
 */
enum { OTHERS = 4 };

static void paths_file_name(const struct hprof_graph *g,
			    const struct hp_path_policy *policy,
			    const struct hp_cache_key *of,
			    char name[HP_CACHE_NAME])
{
	struct hp_cache_key key = *of;
	uint64_t *word = &key.words[HP_HEAP_KEY_END + 1];

	*word = policy->starts ? 1 + *word % OTHERS : 0;
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
	if (policy->passing)
		hash = hp_cache_hash(hash + 1, policy->passing,
				     words * sizeof *policy->passing);
	key.words[HP_HEAP_KEY_END + 1] = hash;
	return key;
}

bool hp_paths_can_be_kept(const struct hprof_graph *g)
{
	/* Packed references tell nothing of the objects that are left out. */
	return hp_graph_can_be_kept(g) && g->options.edges;
}

void hp_paths_save(const struct hprof_graph *g,
		   const struct hp_path_policy *policy, const uint32_t *before)
{
	struct hp_cache_key key = key_of_paths(g, policy);
	struct hp_cache_writer w;
	char name[HP_CACHE_NAME];

	if (policy->wanted || !hp_paths_can_be_kept(g) ||
	    g->heap->summary->errors)
		return;
	paths_file_name(g, policy, &key, name);
	hp_cache_begin(&w, g->heap->cache.folder, name, &key);
	hp_cache_put(&w, before, g->edges.count, sizeof *before);
	hp_heap_cache_end(&g->heap->cache, &w, true);
}

/* ---- paths that end ------------------------------------------------------ */

/* Other threads may set bits of the same word. */
static inline bool is_known(const uint64_t *ended, uint32_t object)
{
	return __atomic_load_n(&ended[object >> 6], __ATOMIC_RELAXED) >>
		       (object & 63) &
	       1;
}

static inline void note(uint64_t *ended, uint32_t object)
{
	__atomic_fetch_or(&ended[object >> 6], (uint64_t)1 << (object & 63),
			  __ATOMIC_RELAXED);
}

bool hp_kept_paths_end(struct hp_kept_paths *kept, const uint32_t *before,
		       uint32_t object)
{
	uint32_t at = object, steps = 0;

	if (__atomic_load_n(&kept->broken, __ATOMIC_RELAXED))
		return false;
	for (; !is_known(kept->ended, at) && before[at]; at = before[at] - 1)
		if (before[at] > kept->count || ++steps > kept->count) {
			__atomic_store_n(&kept->broken, true, __ATOMIC_RELAXED);
			return false;
		}
	for (at = object; !is_known(kept->ended, at); at = before[at] - 1) {
		note(kept->ended, at);
		if (!before[at])
			break;
	}
	return true;
}

/* ---- restoring ----------------------------------------------------------- */

bool hp_paths_restore(const struct hprof_graph *g,
		      const struct hp_path_policy *policy,
		      struct hp_kept_paths *kept,
		      struct hp_mapped_table *ret_before)
{
	struct hp_cache_key key = key_of_paths(g, policy);
	const uint32_t *before;
	uint64_t count = 0;
	char name[HP_CACHE_NAME];

	if (!hp_paths_can_be_kept(g))
		return false;
	paths_file_name(g, policy, &key, name);
	if (!hp_cache_open(g->heap->cache.folder, name, &key,
			   g->options.threads, &kept->map))
		return false;
	before = hp_cache_rows(&kept->map, 0, sizeof *before, &count);
	kept->count = g->edges.count;
	kept->ended =
		hp_calloc(hp_bit_words(kept->count) + 1, sizeof *kept->ended);
	if (!before || count != kept->count || !kept->ended) {
		hp_kept_paths_done(kept);
		return false;
	}
	*ret_before =
		hp_mapped_table_borrow(before, (size_t)count * sizeof *before);
	return true;
}

void hp_kept_paths_done(struct hp_kept_paths *kept)
{
	hp_free(kept->ended);
	hp_cache_close(&kept->map);
	*kept = (struct hp_kept_paths){ 0 };
}
