/* SPDX-License-Identifier: MIT */
/*
 * graph_cache.h - a graph in a file beside that of its heap, see
 * heap/heap_cache.h: references, dominators, retained sizes, reachability.
 *
 * Kept are graphs with dominators and edges; these also answer for graphs
 * without edges. Lists of referrers are made anew from the references.
 */
#ifndef HP_GRAPH_CACHE_H
#define HP_GRAPH_CACHE_H

#include "graph/graph.h"

/*
 * True if a graph with the options of GRAPH can be kept. It should then be
 * built with edges.
 */
bool hp_graph_can_be_kept(const struct hprof_graph *graph);

/*
 * Fills GRAPH, whose heap and options are set, from the cache. False: it has no
 * such graph; then GRAPH is as before.
 */
bool hp_graph_restore(struct hprof_graph *graph);

enum { HP_CACHE_NAME = 64 };

/* The options that the contents depend on, and the convention of sizes. */
struct hp_cache_key hp_graph_cache_key(const struct hprof_graph *graph);

/* The NAME of a file of KIND: there is one for each choice of options in KEY. */
void hp_graph_cache_file(const struct hprof_graph *graph,
			 const struct hp_cache_key *key, const char *kind,
			 char name[HP_CACHE_NAME]);

/* Of a graph that has been built. */
void hp_graph_save(const struct hprof_graph *graph);

/* Shortest paths that were restored. */
struct hp_kept_paths {
	struct hp_cache_map map;
	uint64_t *ended; /* bits: the path from there ends; NULL: none kept */
	uint32_t count;	 /* objects */
	bool broken;	 /* some path does not end */
};

/*
 * The shortest paths of GRAPH by POLICY: u32[count], parent plus 1; 0: none.
 * *RET_BEFORE borrows from *RET_KEPT, which must be zeroed; free it with
 * hp_kept_paths_done. False: there are none.
 */
bool hp_paths_restore(const struct hprof_graph *graph,
		      const struct hp_path_policy *policy,
		      struct hp_kept_paths *ret_kept,
		      struct hp_mapped_table *ret_before);
void hp_kept_paths_done(struct hp_kept_paths *kept);

/*
 * Whether the path from OBJECT in BEFORE, which was restored, ends: only then
 * may it be followed. Threads may ask at the same time.
 */
bool hp_kept_paths_end(struct hp_kept_paths *kept, const uint32_t *before,
		       uint32_t object);
bool hp_paths_can_be_kept(const struct hprof_graph *graph);
/* Does nothing if they cannot be kept, or are not all paths. */
void hp_paths_save(const struct hprof_graph *graph,
		   const struct hp_path_policy *policy, const uint32_t *before);

#endif
