/* SPDX-License-Identifier: MIT */
/*
 * heap.h - the inside of struct hprof_heap.
 *
 * The census comes first; it knows classes and sizes, which stretches of
 * the file hold good sub-records (struct hp_extent), and mostly which ids there
 * are. A pass over those with anything but objects notes what CLASS_DUMPs say,
 * and the roots; where ids are odd, one over all notes these as well. Where
 * every 32nd object is, is noted when somebody wants to know.
 *
 * Numbers of objects. If ids ascend in the file: the rank of the id among all
 * ids, those of class objects included. Else: class objects first, by id,
 * then the others as they lie in the file.
 *
 * What is no object: one with the id 0; of several with one id all but the
 * last in the file; an instance or array with the id of a CLASS_DUMP (some
 * writers dump class objects as instances, too). Extents do not contain
 * these, nor CLASS_DUMPs that a later one replaces.
 */
#ifndef HP_HEAP_H
#define HP_HEAP_H

#include <pthread.h>

#include "hprof/heap.h"
#include "base/arena.h"
#include "layout/hotspot_layout.h"
#include "model/decoded_names.h"
#include "model/id_index.h"
#include "census/object_scan.h"
#include "layout/summary.h"
#include "base/wire.h"

enum { HP_OFFSET_STEP = 32 };
#define HP_MOST_OBJECTS (UINT32_MAX - 1)

/* Which references of a class' instances do not hold by themselves. */
enum hp_weakness { HP_STRONG, HP_SOFT, HP_WEAK, HP_PHANTOM, HP_FINAL };

/* What a CLASS_DUMP says. */
struct hp_dumped_class {
	uint64_t super_id, loader_id, signers_id, domain_id;
	uint32_t trace_serial;
	uint32_t size; /* of the fields in an instance's data */
	uint32_t field_count, static_count, constant_count;
	struct hprof_field *fields; /* offset: from the class' own first */
	struct hprof_field *statics;
	struct hprof_class_entry *constants;
};

/* One for each class of struct hp_class_table, at the same index. */
struct hp_heap_class {
	const struct hp_class *info;
	size_t row;	    /* in the summary */
	uint64_t index;	    /* of its class object, or HPROF_NO_OBJECT */
	struct hp_dumped_class *own; /* NULL: no CLASS_DUMP */
	uint32_t super;	    /* the nearest super that has fields; HP_NO_CLASS */
	/* Classes that inherit have a NUMBER from this one's to below END. */
	uint32_t number, end;
	uint64_t shallow;  /* of an instance; see hp_heap_instance_size */
	uint32_t chunk_at; /* StackChunk.size in the data; UINT32_MAX: none */
	/*
	 * Where references are in an instance's data, ascending, as far as
	 * the longest instance in the dump goes.
	 */
	uint32_t *refs;
	uint32_t ref_count;
	/* Of java.lang.ref.Reference: field referent; UINT32_MAX: none. */
	uint32_t referent;
	enum hp_weakness weakness; /* of the referent */
	uint32_t elements; /* the class of the arrays that name it; see Q23 */
	/* hprof_heap_layout, once it was asked for; with the heap's lock. */
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
 * Nothing changes once the heap is open but for two things that are made when
 * they are first asked for, through a const heap and by any thread: offsets,
 * with offsets_lock, and the layouts of classes, with lock. What has been
 * made stays where it is until the heap is closed.
 */
struct hprof_heap {
	struct hprof_summary *summary;
	const struct hp_class_table *infos; /* of the summary */
	unsigned id_size, threads;
	const struct hprof_reader *parent; /* of the file, at random */
	struct hprof_reader *copy;	   /* the same if it is ours */

	uint64_t count;	 /* objects */
	uint64_t placed; /* of these no class objects */
	struct hp_extents extents;
	struct hp_id_index rank;
	uint32_t *perm;	  /* rank -> index; NULL: the same */
	uint64_t *offsets; /* see hp_heap_offsets */
	pthread_mutex_t offsets_lock;
	struct hp_class_object *class_objects;
	size_t class_object_count;

	struct hp_heap_class *classes; /* summary->impl->classes.count */
	uint32_t prims[16]; /* class by type of the elements, HP_NO_CLASS */
	struct hp_arena *arenas; /* of own and what is in it, one a thread */
	unsigned arena_count;
	struct hp_arena arena; /* of the rest */
	struct hp_decoded_names names;
	/* Of layouts; while the heap is opened, of names and arena, too. */
	pthread_mutex_t lock;

	struct hprof_heap_root *roots;
	size_t root_count;
	bool big_endian; /* UTF-16 in a byte[] */
};

/* ---- look-up ------------------------------------------------------------- */

static inline uint64_t hp_heap_find(const struct hprof_heap *heap, uint64_t id)
{
	uint64_t rank = hp_id_index_find(&heap->rank, id);

	return rank == HP_NO_RANK || !heap->perm ? rank : heap->perm[rank];
}

/* For many at once: first this for each, then the look-ups. */
static inline void hp_heap_prefetch(const struct hprof_heap *heap, uint64_t id)
{
	hp_id_index_prefetch(&heap->rank, id);
}

/* NULL: a class that the dump does not name. */
static inline const struct hp_heap_class *
hp_heap_class(const struct hprof_heap *heap, uint64_t class_id)
{
	uint32_t i = hp_class_table_find(heap->infos, class_id);

	return i != HP_NO_CLASS ? &heap->classes[i] : NULL;
}

/* The class that has ROW in the summary; NULL: there is no such row. */
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
 * threads of the heap or fewer. STATES: one for each of THREADS. SAY may be
 * NULL.
 */
enum hprof_status hp_heap_pass(const struct hprof_heap *heap,
			       const struct hp_object_scan_ops *ops,
			       void *const *states, unsigned threads,
			       const struct hp_say *say,
			       struct hprof_error *error);

/*
 * The number of each object, in the order of an extent; of class objects
 * hp_heap_find knows it.
 */
struct hp_numbering {
	const struct hprof_heap *heap;
	uint64_t position;	/* of the next object, in the file */
	uint64_t limit;		/* of the extent */
	bool changed;		/* the file: more objects than there were */
	uint64_t classes;	/* class objects before it */
	uint64_t next_class_id; /* the next larger one; UINT64_MAX: none */
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
 * Shallow bytes. DATA (may be NULL) is the start of an instance's data, of
 * which SIZE bytes are in the dump, KEPT at DATA.
 */
uint64_t hp_heap_instance_size(const struct hprof_heap *heap,
			       const struct hp_heap_class *class_of,
			       const uint8_t *data, size_t kept, uint64_t size);
uint64_t hp_heap_array_size(const struct hprof_heap *heap, bool prims,
			    unsigned type, uint64_t length);
uint64_t hp_heap_class_size(const struct hprof_heap *heap,
			    const struct hp_heap_class *class_of);

/*
 * The file offset of every 32nd object that is placed. The table is made when
 * it is first asked for, or by a pass over all objects that is made anyway.
 * NULL without memory, or if the file has changed. Any thread may call this; a
 * second one waits for the first.
 */
const uint64_t *hp_heap_offsets(const struct hprof_heap *heap,
				struct hprof_error *error);

/*
 * A table for a pass to fill; NULL if there is one. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_heap_offsets_begin(const struct hprof_heap *heap,
					uint64_t **ret);
/*
 * Takes OFFSETS over, which may be NULL. GOOD: all of it is filled, else it is
 * freed, as it is if another thread was faster.
 */
void hp_heap_offsets_end(const struct hprof_heap *heap, uint64_t *offsets,
			 bool good);

/* ---- how a heap is opened ------------------------------------------------ */

/*
 * heap_classes.c: the table, before the pass and behind it. They fail only with
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
