/* SPDX-License-Identifier: MIT */
/* graph.h - the internals of struct hprof_graph. */
#ifndef HP_GRAPH_H
#define HP_GRAPH_H

#include <pthread.h>

#include "hprof/graph.h"
#include "base/parallel_for.h"
#include "graph/block_sum.h"
#include "graph/edges.h"
#include "graph/object_notes.h"
#include "graph/packed_edges.h"
#include "heap/heap.h"
#include "graph/retained_sizes.h"

/*
 * What one report found and others can use, so that they need no pass of their
 * own. It belongs to the graph; LOCK is for what changes it and what reads it.
 */
struct hp_graph_memo {
	pthread_mutex_t lock;
	void *found; /* NULL: nothing yet */
	void (*drop)(void *found);
	bool many_paths;	   /* of kinds, too many to be found; atomic */
	struct hprof_notes *notes; /* for the first who asks; then NULL */
	/*
	 * The threads that go over all objects, with its own lock. One that searches
	 * for waste, mostly alone, is away, and should not have to wait for them.
	 */
	struct hp_crew crew;
	/*
	 * Threads that are about to find what others can use; if there are any, wait
	 * for CHANGED before you look for it yourself.
	 */
	unsigned finders;
	pthread_cond_t changed;
	/* The memory that building needed, for what follows; with its own lock. */
	struct hp_spare_lender lender;
};

struct hprof_graph {
	const struct hprof_heap *heap;
	struct hprof_graph_options options;
	struct hp_build build;
	struct hp_edges edges; /* without option edges: sizes and roots */
	struct hp_retained_sizes
		sizes; /* without option dominators: reachable */
	struct hprof_graph_totals totals;
	/*
	 * Option edges: the row of edges.target at which the targets of every
	 * 32nd object begin. HP_IRREGULAR is set if those of the others in the
	 * block do not simply follow.
	 */
	uint64_t *starts;
	/* Option paths. */
	struct hp_packed_edges packed;
	/*
	 * Option referrers: who refers to each object, and where its list ends.
	 */
	struct hp_mapped_table referrer_ends; /* u64[count + 1] */
	struct hp_mapped_table referrers;     /* u32 */
	/*
	 * Option strengths: u8[count], enum hprof_strength of the objects that
	 * only weaker references than strong ones lead to; else 0.
	 */
	struct hp_mapped_table strengths;
	struct hp_cache_map cache; /* which tables may be borrowed from */
	struct hp_graph_memo *memo;
};

/*
 * Paths that tell more than the shortest ones: they may also begin at the
 * objects of STARTS (bits), and lead through objects of the kinds marked in
 * LATE only where there is no other path; only where there is none at all they
 * begin at the roots of PASSING (bits). Each may be NULL. If only the paths
 * to the objects of WANTED (bits) matter, the search ends when it has met these;
 * of others it may know nothing.
 */
struct hp_path_policy {
	const uint64_t *starts;
	const bool *late;
	const uint64_t *passing;
	const uint64_t *wanted; /* NULL: all matter */
};
enum hprof_status hp_shortest_paths_build(
	const struct hprof_graph *graph, const struct hp_path_policy *policy,
	struct hprof_shortest_paths **ret_paths, struct hprof_error *error);

/*
 * The parent of each object, plus 1; 0: none. It may have been restored: use it
 * for no more than a guess at what hprof_shortest_paths_parent says.
 */
const uint32_t *
hp_shortest_paths_before(const struct hprof_shortest_paths *paths);

/* The kind of OBJECT; see object_kind.h. */
static inline uint32_t hp_graph_kind(const struct hprof_graph *graph,
				     uint32_t object)
{
	return hp_edges_kind(&graph->edges, object);
}

/* Begins a job on GRAPH, whose memory has a LIMIT; or 0. */
static inline void hp_graph_begin_tables(const struct hprof_graph *graph,
					 struct hp_mapped_tables *tables,
					 uint64_t limit)
{
	bool lends = !graph->build.tables.limit;

	hp_mapped_tables_begin(tables, limit,
			       lends ? &graph->memo->lender : NULL);
}

/* True if GRAPH, which may be NULL, has an object with number OBJECT. */
static inline bool hp_graph_has(const struct hprof_graph *graph,
				uint64_t object)
{
	return graph && object < graph->edges.count;
}

/* True if OBJECT has a dominator and a retained size. */
static inline bool hp_graph_is_dominated(const struct hprof_graph *graph,
					 uint64_t object)
{
	return hp_graph_has(graph, object) && graph->options.dominators &&
	       (graph->options.unreachable ||
		hp_bit(graph->sizes.reachable, object));
}

/* Optional parts of a graph that a call may need. */
enum hp_graph_part {
	HP_GRAPH_ANY = 0,
	HP_GRAPH_DOMINATORS = 1,
	HP_GRAPH_EDGES = 2,
	HP_GRAPH_STRENGTHS = 4
};

/*
 * HPROF_E_USAGE if GRAPH is NULL or was built without one of PARTS (enum
 * hp_graph_part, or-ed), or if it has no OBJECT.
 */
enum hprof_status hp_graph_need(const struct hprof_graph *graph, unsigned parts,
				struct hprof_error *error);
enum hprof_status hp_graph_need_object(const struct hprof_graph *graph,
				       uint64_t object,
				       struct hprof_error *error);

/*
 * In graph_references.c: prepare look-ups of the targets and of the referrers
 * of single objects. Called only while the graph is built.
 */
enum hprof_status hp_graph_index(struct hprof_graph *graph);
enum hprof_status hp_graph_sort_referrers(struct hprof_graph *graph);

/* The targets of OBJECT; some may be HP_NONE. */
uint64_t hp_graph_targets(const struct hprof_graph *graph, uint32_t object,
			  const uint32_t **ret_targets);

/*
 * In kept_references.c: calls FN for each object that has targets, in order; with
 * option paths only for those that are kept, and more than once for an object
 * with many.
 */
typedef void hp_targets_fn(void *user, uint32_t object, const uint32_t *targets,
			   uint64_t count);
void hp_graph_each(const struct hprof_graph *graph, hp_targets_fn *fn,
		   void *user);

/* Marks all reachable objects, for graphs without dominators. */
enum hprof_status hp_graph_reach(struct hprof_graph *graph);

#endif
