/* SPDX-License-Identifier: MIT */
/*
 * edge_build.h - the references of a heap, read from its file.
 */
#ifndef HP_EDGE_BUILD_H
#define HP_EDGE_BUILD_H

#include "graph/edges.h"
#include "graph/object_notes.h"
#include "heap/heap.h"

/*
 * Reads all edges that hold by the policy HOLD (enum hprof_hold, or-ed), with
 * WEAKS also those that do not. NOTES, which may be NULL, are taken meanwhile, and
 * follow the edges in the end. Free with hp_edges_done, also after a failure.
 */
enum hprof_status hp_edges_read(struct hp_build *build,
				const struct hprof_heap *heap, unsigned hold,
				bool weaks, struct hprof_notes *notes,
				struct hp_edges *ret_edges);

/* The maximal number of references, nulls included. */
uint64_t hp_edges_most(const struct hprof_heap *heap);

/* What is needed of a class to read its objects. */
struct hp_class_refs {
	const struct hp_heap_class *of; /* NULL: no such class in the dump */
	const uint32_t
		*refs; /* offsets in the data of the references that hold */
	uint32_t ref_count;
	uint32_t reach;	      /* offset at which the last one ends */
	uint32_t weak;	      /* offset of a weak referent; or UINT32_MAX */
	bool has_class;	      /* the class has a class object */
	bool noted;	      /* instances are (object_notes.h) */
	uint32_t noted_byte;  /* see wants there */
	uint32_t class_index; /* its index, if it holds anything; or HP_NONE */
	uint64_t size;	      /* of instances; 0: it varies */
	uint8_t shallow;      /* as in hp_edges.shallow */
	/* Of its instances, and of arrays that name it: see object_kind.h. */
	uint32_t kind, array_kind;
};

struct hp_class_refs_table {
	struct hp_class_refs
		*items; /* one for each class, then the unknown one */
	size_t count;
	uint32_t *refs; /* of the classes whose referent is left out */
	const struct hp_class_refs *prims[16]; /* arrays by type of elements */
	struct hp_u64_map by_id;
};

/* Whether the referent of C's instances holds by the policy HOLD. */
bool hp_class_holds(const struct hp_heap_class *c, unsigned hold);

/* Fails only with HPROF_E_NOMEM; to be freed in any case. */
enum hprof_status hp_class_refs_make(struct hp_class_refs_table *plans,
				     const struct hprof_heap *heap,
				     const struct hp_edges *edges,
				     unsigned hold);
void hp_class_refs_done(struct hp_class_refs_table *plans);

/* The byte in shallow for an object of SIZE bytes. */
static inline uint8_t hp_edges_code(const struct hp_edges *e, uint64_t size)
{
	bool fits = size % e->unit == 0 && size / e->unit < HP_SHALLOW_LARGE;

	return (uint8_t)(fits ? size / e->unit : HP_SHALLOW_LARGE);
}

/* Sets the roots: those of the heap, and classes in dumps that list none. */
void hp_edges_roots(struct hp_edges *e, const struct hprof_heap *heap);

/*
 * Reads the references of class objects: e->apart and lists. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_edges_classes(struct hp_edges *e,
				   const struct hprof_heap *heap);

#endif
