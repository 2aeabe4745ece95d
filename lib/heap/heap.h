/* SPDX-License-Identifier: MIT */
/*
 * heap.h - the internals of struct hprof_heap.
 *
 * The census comes first. It gives the classes, the sizes, the stretches of the
 * file that hold good sub-records (struct hp_extent), and mostly also which ids
 * there are. A pass over the extents with anything but objects then reads the
 * CLASS_DUMPs and the roots; if ids are odd, a pass over all extents reads the
 * ids, too. The offset of every 32nd object is determined only when it is
 * needed.
 *
 * Numbers of objects. If ids ascend in the file, the number is the rank of the
 * id among all ids, including those of class objects. Otherwise class objects
 * come first, by id, and then the others in file order.
 *
 * Some sub-records do not count as objects: those with the id 0; all but the
 * last of several with the same id; and instances or arrays with the id of a
 * CLASS_DUMP (some writers dump class objects as instances, too). Extents
 * contain neither these nor CLASS_DUMPs that a later one replaces.
 */
#ifndef HP_HEAP_H
#define HP_HEAP_H

#include <pthread.h>

#include "hprof/heap.h"
#include "base/arena.h"
#include "heap/heap_cache.h"
#include "layout/hotspot_layout.h"
#include "model/decoded_names.h"
#include "model/id_index.h"
#include "census/object_scan.h"
#include "layout/summary.h"
#include "base/wire.h"

enum { HP_OFFSET_STEP = 32 };
#define HP_MOST_OBJECTS (UINT32_MAX - 1)

/* Which reference of a class's instances does not hold by itself. */
enum hp_weakness { HP_STRONG, HP_SOFT, HP_WEAK, HP_PHANTOM, HP_FINAL };

/* The contents of a CLASS_DUMP. */
struct hp_dumped_class {
	uint64_t super_id, loader_id, signers_id, domain_id;
	uint32_t trace_serial;
	uint32_t size; /* of the fields in an instance's data */
	uint32_t field_count, static_count, constant_count;
	struct hprof_field
		*fields; /* offset: from the class's own first field */
	struct hprof_field *statics;
	struct hprof_class_entry *constants;
};

/* One for each class of struct hp_class_table, at the same index. */
struct hp_heap_class {
	const struct hp_class *info;
	size_t row;	/* its row in the summary */
	uint64_t index; /* of its class object, or HPROF_NO_OBJECT */
	struct hp_dumped_class *own; /* NULL: no CLASS_DUMP */
	uint32_t super; /* the nearest superclass with fields, or HP_NO_CLASS */
	size_t all_fields; /* its own, and those of its superclasses */
	/*
	 * This class and its subclasses have the NUMBERs from here to below
	 * END.
	 */
	uint32_t number, end;
	uint64_t shallow;  /* of an instance; see hp_heap_instance_size */
	uint32_t chunk_at; /* StackChunk.size in the data; UINT32_MAX: none */
	/*
	 * Offsets of the references in an instance's data, ascending, up to the
	 * length of the longest instance in the dump.
	 */
	uint32_t *refs;
	uint32_t ref_count;
	/* Offset of java.lang.ref.Reference.referent; UINT32_MAX: none. */
	uint32_t referent;
	enum hp_weakness weakness; /* of the referent */
	uint32_t elements; /* the class of the arrays that name it; see Q23 */
	/* For hprof_heap_layout: made on demand, under the heap's lock. */
	struct hprof_field *layout;
	size_t layout_count;
};

/* Ascending by id. */
struct hp_class_object {
	uint64_t id;
	uint64_t index;
	uint32_t row; /* in struct hp_class_table */
};

/*
 * An open heap does not change, except for two things that are made on demand,
 * through a const heap and by any thread: the offsets, under offsets_lock, and
 * the layouts of classes, under lock. Once made, they stay where they are until
 * the heap is closed.
 */
struct hprof_heap {
	struct hprof_summary *summary;
	const struct hp_class_table *infos; /* of the summary */
	unsigned id_size, threads;
	const struct hprof_reader *parent; /* for random access to the file */
	struct hprof_reader *copy;	   /* the same, if the heap owns it */

	uint64_t count;	 /* objects */
	uint64_t placed; /* those that are not class objects */
	struct hp_extents extents;
	struct hp_id_index rank;
	uint32_t *perm;	   /* rank -> index; NULL: identity */
	uint64_t *offsets; /* see hp_heap_offsets */
	pthread_mutex_t offsets_lock;
	struct hp_class_object *class_objects;
	size_t class_object_count;

	struct hp_heap_class *classes; /* summary->impl->classes.count */
	uint32_t prims[16];	 /* class by element type, or HP_NO_CLASS */
	struct hp_arena *arenas; /* for own and its contents, one per thread */
	unsigned arena_count;
	struct hp_arena arena; /* for the rest */
	struct hp_decoded_names names;
	/*
	 * Guards layouts; while the heap is being opened, also names and arena.
	 */
	pthread_mutex_t lock;

	struct hprof_heap_root *roots;
	size_t root_count;
	bool big_endian; /* byte order of UTF-16 in a byte[] */

	struct hp_heap_cache cache;
	bool restored; /* rank and perm are borrowed from the cache */
};

/* ---- fields -------------------------------------------------------------- */

/*
 * The fields of hprof_heap_layout, but without a table of them: that of a class with
 * very many superclasses is as long, and so are those of its superclasses.
 */
struct hp_field_walk {
	const struct hprof_heap *heap;
	const struct hp_heap_class *level; /* NULL: behind the last one */
	uint64_t base;			   /* offset of its own fields */
	uint32_t next;			   /* of its own fields */
};

static inline struct hp_field_walk
hp_field_walk_begin(const struct hprof_heap *heap,
		    const struct hp_heap_class *of)
{
	return (struct hp_field_walk){
		.heap = heap,
		.level = of && of->own ? of : NULL,
	};
}

/* False: there are no more. */
static inline bool hp_field_walk_next(struct hp_field_walk *walk,
				      struct hprof_field *ret_field)
{
	const struct hp_heap_class *of = walk->level;

	while (of && walk->next >= of->own->field_count) {
		walk->base += of->own->size;
		walk->next = 0;
		of = of->super != HP_NO_CLASS ? &walk->heap->classes[of->super]
					      : NULL;
	}
	walk->level = of;
	if (!of)
		return false;
	*ret_field = of->own->fields[walk->next++];
	ret_field->offset += (uint32_t)walk->base;
	return true;
}

/* ---- look-up ------------------------------------------------------------- */

static inline uint64_t hp_heap_find(const struct hprof_heap *heap, uint64_t id)
{
	uint64_t rank = hp_id_index_find(&heap->rank, id);

	return rank == HP_NO_RANK || !heap->perm ? rank : heap->perm[rank];
}

/* For many look-ups: call this for each one first. */
static inline const struct hp_id_block *
hp_heap_prefetch(const struct hprof_heap *heap, uint64_t id)
{
	return hp_id_index_prefetch(&heap->rank, id);
}

/* The same as hp_heap_find, when hp_heap_prefetch has returned BLOCK. */
static inline uint64_t hp_heap_find_in(const struct hprof_heap *heap,
				       const struct hp_id_block *block,
				       uint64_t id)
{
	uint64_t rank = heap->rank.sorted
				? hp_id_index_search(&heap->rank, id)
				: hp_id_index_find_in(&heap->rank, block, id);

	return rank == HP_NO_RANK || !heap->perm ? rank : heap->perm[rank];
}

/* The class with ID; NULL if the dump does not name it. */
static inline const struct hp_heap_class *
hp_heap_class(const struct hprof_heap *heap, uint64_t class_id)
{
	uint32_t i = hp_class_table_find(heap->infos, class_id);

	return i != HP_NO_CLASS ? &heap->classes[i] : NULL;
}

/* The class at ROW of the summary; NULL if there is no such row. */
static inline struct hp_heap_class *hp_heap_row(const struct hprof_heap *heap,
						size_t row)
{
	return row < heap->infos->count
		       ? &heap->classes[heap->summary->impl->row_class[row]]
		       : NULL;
}

/* ---- passes -------------------------------------------------------------- */

/*
 * Goes over the sub-records of all objects (and roots) in extents, in the
 * threads of the heap or fewer. STATES has one for each of THREADS. SAY may be
 * NULL.
 */
enum hprof_status hp_heap_pass(const struct hprof_heap *heap,
			       const struct hp_object_scan_ops *ops,
			       void *const *states, unsigned threads,
			       const struct hp_say *say,
			       struct hprof_error *error);

/*
 * Gives objects their numbers, in the order of an extent; for class objects
 * hp_heap_find does.
 */
struct hp_numbering {
	const struct hprof_heap *heap;
	uint64_t position;	/* of the next object in the file */
	uint64_t limit;		/* end of the extent */
	bool changed;		/* the file has more objects than before */
	uint64_t classes;	/* class objects before it */
	uint64_t next_class_id; /* the next larger id; UINT64_MAX: none */
};
void hp_number_extent(struct hp_numbering *n, const struct hprof_heap *heap,
		      const struct hp_extent *extent);
void hp_number_turn(struct hp_numbering *n, uint64_t id);

static inline uint64_t hp_number(struct hp_numbering *n, uint64_t id)
{
	if (id > n->next_class_id)
		hp_number_turn(n, id);
	if (n->position == n->limit) {
		n->changed = true;
		return 0;
	}
	return n->position++ + n->classes;
}

/* ---- sizes --------------------------------------------------------------- */

/*
 * Shallow sizes in bytes. DATA (may be NULL) is the start of an instance's
 * data; SIZE bytes are in the dump, KEPT of them at DATA.
 */
uint64_t hp_heap_instance_size(const struct hprof_heap *heap,
			       const struct hp_heap_class *class_of,
			       const uint8_t *data, size_t kept, uint64_t size);
uint64_t hp_heap_array_size(const struct hprof_heap *heap, bool prims,
			    unsigned type, uint64_t length);
uint64_t hp_heap_class_size(const struct hprof_heap *heap,
			    const struct hp_heap_class *class_of);

/*
 * The file offset of every 32nd object except class objects. The table is made
 * on demand, or by a pass over all objects that is made anyway. NULL without
 * memory, or if the file has changed. Any thread may call this; a second one
 * waits for the first.
 */
const uint64_t *hp_heap_offsets(const struct hprof_heap *heap,
				struct hprof_error *error);

/*
 * A table for a pass to fill; NULL if one exists already. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_heap_offsets_begin(const struct hprof_heap *heap,
					uint64_t **ret);
/*
 * Takes over OFFSETS, which may be NULL. GOOD: it is completely filled;
 * otherwise it is freed, as it is if another thread was faster.
 */
void hp_heap_offsets_end(const struct hprof_heap *heap, uint64_t *offsets,
			 bool good);

/* ---- how a heap is opened ------------------------------------------------ */

/*
 * heap_classes.c: the table, before and after the pass. They fail only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_heap_classes_begin(struct hprof_heap *heap);
void hp_heap_classes_resize(struct hprof_heap *heap);
enum hprof_status hp_heap_classes_take(struct hprof_heap *heap,
				       struct hp_arena *arena,
				       const struct hprof_record *class_dump);
enum hprof_status hp_heap_classes_end(struct hprof_heap *heap);

/* heap_scan.c: the pass. */
enum hprof_status hp_heap_index(struct hprof_heap *heap,
				const struct hprof_input *input,
				struct hprof_error *error);

#endif
