/* SPDX-License-Identifier: MIT */
/*
 * query_dump.h - a dump that statements read, and what was found out about it.
 *
 * Opening the heap is all that every statement needs. The rest (graphs, an
 * index by class, waste) is made when a statement asks for it first, and kept
 * for the next one. What these functions return lives as long as the dump. On
 * failure they return NULL and set *RET_ERROR; the next statement tries again.
 */
#ifndef TOOLS_QUERY_DUMP_H
#define TOOLS_QUERY_DUMP_H

#include "tools/query/object_set.h"
#include <hprof.h>

struct query_dump;

/*
 * Takes HEAP, and closes it in any case. PATH is what the table dump calls it.
 * GRAPH has the options for graphs that the user may set: hold, memory, threads
 * and progress. After work that showed progress, REST, which may be NULL, is
 * called with its user. NULL: no memory.
 */
struct query_dump *query_dump_new(struct hprof_heap *heap, const char *path,
				  const struct hprof_graph_options *graph,
				  void (*rest)(void *user));
void query_dump_free(struct query_dump *dump);

/*
 * A thread makes the index by class, and with it the places of all objects,
 * while nobody has asked yet: then the first look-up is as fast as others. At
 * most once.
 */
void query_dump_read_ahead(struct query_dump *dump);

const struct hprof_heap *query_dump_heap(const struct query_dump *dump);

/*
 * Does the table class count each object, so that its sums are those of the
 * table object?
 */
bool query_dump_is_counted(const struct query_dump *dump);

enum query_graph {
	QUERY_GRAPH_SIZES,    /* dominators and strengths */
	QUERY_GRAPH_PATHS,    /* the same, and references */
	QUERY_GRAPH_REFERRERS /* references by their targets, weak ones too */
};

const struct hprof_graph *query_dump_graph(struct query_dump *dump,
					   enum query_graph kind,
					   struct hprof_error *ret_error);
const struct hprof_class_index *
query_dump_classes(struct query_dump *dump, struct hprof_error *ret_error);
const struct hprof_places *query_dump_places(struct query_dump *dump,
					     struct hprof_error *ret_error);
/*
 * What OBJECT dominates directly becomes SET, the largest first. The first time
 * that is a look at all objects, then an index is made, unless the user limits
 * memory.
 */
enum hprof_status query_dump_children(struct query_dump *dump, uint64_t object,
				      struct object_set *set,
				      struct hprof_error *ret_error);
/* By object, see hprof_graph_depths. */
const uint32_t *query_dump_depths(struct query_dump *dump,
				  struct hprof_error *ret_error);

/*
 * A walk with all that TABLE needs, over that table alone; COSTLY: with the
 * columns that need a graph. The caller sets ROW and USER.
 */
enum hprof_status query_dump_walk(struct query_dump *dump,
				  enum hprof_table table, bool costly,
				  struct hprof_tables_walk *ret_walk,
				  struct hprof_error *ret_error);

#endif
