/* SPDX-License-Identifier: MIT */
/*
 * object_info.h - what the reports about the object graph share.
 */
#ifndef HP_OBJECT_INFO_H
#define HP_OBJECT_INFO_H

#include "base/arena.h"
#include "graph/dominator_tree.h"
#include "hprof/retained.h"

/* What is needed to look at objects. */
struct hp_look {
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
	struct hprof_cursor *cursor;
};

/* Like hprof_object_info_get, but empty for HPROF_NO_OBJECT. */
enum hprof_status hp_object_info_get(const struct hp_look *look,
				     uint64_t object,
				     struct hprof_object_info *ret,
				     struct hprof_error *error);

/* Whether EDGE, of the object at LOOK's cursor, holds its target. */
bool hp_edge_holds(const struct hp_look *look, const struct hprof_edge *edge);

/* Returns the failure of LOOK's cursor. */
enum hprof_status hp_look_failure(const struct hp_look *look,
				  struct hprof_error *error);

/* The name of the class at ROW; NULL if unknown. */
const char *hp_class_name(const struct hprof_heap *heap, size_t row);

/* True if the class belongs to the Java runtime, by its name. */
bool hp_class_is_runtime(const char *name);

/*
 * Marks with 1 each kind whose objects are of one of the COUNT classes at ROWS;
 * class objects are instances of java.lang.Class. NULL without memory.
 */
uint32_t *hp_class_marks(const struct hprof_heap *heap, const size_t *rows,
			 size_t count);

/* Names and keys of classes, for hp_set_rows and struct hp_division. */
struct hp_class_keys {
	uint32_t *key;		     /* of each kind */
	struct hprof_set_row *names; /* of each key */
	size_t count;		     /* of keys */
};
/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_class_keys_init(struct hp_class_keys *keys,
				     const struct hprof_heap *heap);
void hp_class_keys_done(struct hp_class_keys *keys);

/*
 * Makes rows of the sums that have objects, sorted by retained size, shallow
 * bytes and name. The rows are from ARENA; NULL without memory.
 */
struct hprof_set_row *hp_set_rows(struct hp_arena *arena,
				  const struct hp_sum *sums,
				  const struct hprof_set_row *names,
				  size_t count, size_t *ret_count);

#endif
