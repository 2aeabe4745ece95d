/* SPDX-License-Identifier: MIT */
/*
 * waste.h - what the search for waste keeps.
 *
 * While the references of the heap are read, several threads note a hash of each
 * primitive array, the lengths of arrays of references, and what collections say
 * of themselves (notes.h). Then, before the graph gives up the references, these tell
 * who refers to each object (find_referrers.c). All else is looked up in these tables,
 * which are mapped and become files if memory is limited.
 */
#ifndef HP_WASTE_H
#define HP_WASTE_H

#include <pthread.h>

#include "base/arena.h"
#include "base/job.h"
#include "base/mapped_table.h"
#include "base/prefetch.h"
#include "base/u64_map.h"
#include "collections/recognise.h"
#include "graph/graph.h"
#include "hprof/waste.h"
#include "waste/content_bits.h"
#include "waste/content_hash.h"
#include "waste/content_sort.h"
#include "waste/lists.h"
#include "waste/referrers.h"
#include "waste/roles.h"

enum { HP_NO_FIELD = -1 };

/* A field of an instance. */
struct hp_place {
	int64_t at; /* offset in the data, or HP_NO_FIELD */
	unsigned type;
};

/* A field that is a number of more than one byte. */
struct hp_number {
	uint32_t at; /* offset in the data */
	uint8_t width;
	uint8_t needed; /* bytes, by the instances so far: 1, 2, 4 or 8 */
};

/* What there is to do for a reference besides to note who refers to its target. */
enum hp_ref_special {
	HP_REF_UP = 1,	  /* it leads up, not down: that is not noted */
	HP_REF_STORE = 2, /* to what has the content */
	HP_REF_NULL = 4	  /* no instance has had one that is not null */
};

/* A field that is a reference. */
struct hp_waste_ref {
	uint64_t referrer; /* for hp_referrer_of, by which its object counts */
	uint32_t at;	   /* offset in the data */
	uint8_t special;   /* enum hp_ref_special, or-ed */
};

/* Of each class, by its row in the summary. */
struct hp_waste_class {
	const struct hp_heap_class *of;
	enum hp_role role;
	struct hp_recognised known; /* HP_ROLE_COLLECTION */
	/* Of a String: its array, coder. Of a collection: size, store ... */
	struct hp_place store, size, head, tail, changes, coder, cells;
	bool partial; /* a String that may be part of its array */
	bool weak;    /* a WeakHashMap */
	bool runtime; /* of the Java runtime */
	/* As many as of->ref_count, and one for all that are not told apart. */
	struct hp_waste_ref *refs;
	bool store_is_far; /* its reference is not told apart from others */
	uint32_t left_out; /* of that which is no reference of the graph */
	uint64_t instances;
	uint32_t number_count;
	struct hp_number *numbers;
};

struct hp_waste {
	struct hprof_notes notes; /* the first member, see notes.c */
	struct hprof_waste_table table;
	const struct hprof_graph *graph; /* NULL: it is not built yet */
	const struct hprof_heap *heap;
	struct hprof_error *error;
	/* Read again for this search; of its tables only referrers stay. Or all 0. */
	struct hp_edges own_edges;
	struct hp_build again;
	uint64_t limit; /* of the memory of the process; 0: none */
	bool noted;	/* all of the heap */
	struct hp_waste_thread *threads; /* that note */
	unsigned thread_count;
	struct hp_mapped_tables tables;
	struct hp_arena arena;
	struct hprof_cursor *cursor;
	size_t top;
	pthread_mutex_t
		lock; /* of lists, tables and error, while threads note */

	struct hp_waste_class *classes; /* a row more: unknown classes */
	size_t class_count;
	uint8_t *roles; /* enum hp_role by kind, see object_kind.h */

	struct hp_referrers referrers;
	struct hp_mapped_table asked_table, claimed_table, stores_table;
	/* Bits: objects whose referrer counts; in the end only reachable ones. */
	uint64_t *asked;
	/* Bits: objects whose bytes are saved already; boxes are not asked about. */
	uint64_t *claimed;
	uint64_t *stores; /* bits: arrays that belong to a collection */

	/*
	 * struct hp_content: those that may be there more than once, as soon as all
	 * is noted. Then u32: runs of those that are, see hp_content_list_runs.
	 */
	struct hp_mapped_table contents;
	uint64_t content_count, content_room;
	struct hp_content_bits content_bits;
	uint64_t content_listed; /* numbers of these runs */
	struct hp_content_key key;
	/* The lists ascend by object once they are sorted. */
	struct hp_row_list rows;
	struct hp_seen_list seen;
	struct hp_mapped_table row_places, seen_places; /* see lists.c */
	/* With zeros at the end; char[], and byte[] that may be UTF-16, whose
	   high bytes are 0; short[], int[] and long[] of numbers that are small. */
	struct hp_shrinkable_list tails, thin, halves, narrow;
	/* What refers to objects that several refer to, until that is chosen from. */
	struct hp_offer_list offers;
	/* Strings that share an array with one before. */
	struct hp_characters_list sharers;
	/* Strings with coder 1, which is UTF-16. */
	struct hp_characters_list wide;
	/* Primitive arrays without elements. */
	struct hp_number_list empties;

	/* See beside.c. */
	struct hp_job sorting, reaching;
	bool reached;
	enum hprof_status reached_status;
	struct hprof_error reached_error;

	struct holders *holders;
	struct sums *sums;
};

enum { HP_WASTE_THREADS_MOST = 64 };

static inline unsigned hp_waste_threads(const struct hp_waste *w)
{
	unsigned threads = w->graph->build.threads;

	return threads < HP_WASTE_THREADS_MOST ? threads
					       : HP_WASTE_THREADS_MOST;
}

static inline bool hp_waste_reachable(const struct hp_waste *w, uint64_t i)
{
	return hp_bit(w->graph->sizes.reachable, i);
}

/*
 * Of most objects nobody asks who refers to them: only of what can be waste or
 * lies between that and its holder.
 */
static inline bool hp_waste_is_asked(const struct hp_waste *w, uint64_t i)
{
	return hp_bit(w->asked, i);
}

/* What counts as the referrer of an object; or HP_NOBODY. */
static inline uint32_t hp_waste_referrer(const struct hp_waste *w, uint32_t i)
{
	return hp_referrers_of(&w->referrers, i);
}

/* The row of OBJECT's class; of a class object the row of what it is. */
static inline size_t hp_waste_row(const struct hp_waste *w, uint32_t object,
				  bool *ret_is_class)
{
	uint32_t kind = hp_graph_kind(w->graph, object);

	*ret_is_class = hp_kind_is_class(kind);
	return hp_kind_row(kind);
}

static inline enum hp_role hp_waste_role(const struct hp_waste *w,
					 uint32_t object)
{
	return hp_roles_get(&w->referrers.steps[object >> 6].roles, object);
}

static inline bool hp_waste_is_inside(const struct hp_waste *w, uint32_t object)
{
	return hp_roles_is_inside(&w->referrers.steps[object >> 6].roles,
				  object);
}

static inline void hp_waste_fetch_kind(const struct hp_waste *w,
				       uint32_t object)
{
	const struct hp_edges *e = &w->graph->edges;

	hp_prefetch((const char *)e->kinds.at +
		    ((uint64_t)object << (e->wide_kinds ? 2 : 1)));
}

/* FAR is asked for some time after NEAR: fetches what tells their holders. */
static inline void hp_waste_fetch_holders(const struct hp_waste *w,
					  uint32_t near, uint32_t far)
{
	uint32_t up = hp_waste_referrer(w, near);

	hp_referrers_fetch(&w->referrers, far);
	if (up == HP_NOBODY)
		return;
	hp_prefetch(&w->referrers.steps[up >> 6]);
	hp_waste_fetch_kind(w, up);
}

static inline uint64_t hp_waste_shallow(const struct hp_waste *w, uint32_t i)
{
	return hp_edges_shallow(&w->graph->edges, i);
}

/* To be called in long loops. */
static inline void hp_waste_trim_memory(const struct hp_waste *w)
{
	hp_tables_trim_memory(&w->tables);
	hp_tables_trim_memory(&w->again.tables);
	if (w->graph)
		hp_tables_trim_memory(&w->graph->build.tables);
}

/* classes.c */
enum hprof_status hp_waste_classes(struct hp_waste *w);
/* The rank of references of an instance, or of the class object. */
enum hp_referrer_rank hp_waste_rank(const struct hp_waste_class *c,
				    bool is_class);
void hp_waste_classes_done(struct hp_waste *w);

/* ---- class_objects.c ----------------------------------------------------- */

typedef enum hprof_status hp_waste_take_fn(void *user, const uint32_t *objects,
					   size_t count);
/*
 * Takes what is asked for and has one of ROLES, which are bits, by ascending number;
 * many at a time, or none, as there can be more of them than of all else that is waste.
 */
enum hprof_status hp_waste_find_by_role(struct hp_waste *w, unsigned roles,
					hp_waste_take_fn *take, void *user);
/* Counts reachable instances: sets w->classes[].instances. */
enum hprof_status hp_waste_count_instances(struct hp_waste *w);

/* ---- class_fields.c ------------------------------------------------------ */

enum hprof_status hp_waste_find_numbers(struct hp_waste *w,
					struct hp_waste_class *c);
/* Notes fields that are always null, and those that are too wide, of all classes. */
enum hprof_status hp_waste_fields(struct hp_waste *w);
/* Of an instance that is noted; DATA is NULL if it is too long to be seen. */
void hp_waste_take_numbers(const struct hp_waste_class *c, const uint8_t *data,
			   uint64_t size);

/* notes.c: those of GRAPH, or else what is read again within LIMIT. */
enum hprof_status hp_waste_take_notes(const struct hprof_graph *graph,
				      uint64_t limit, const struct hp_say *say,
				      struct hp_waste **ret_waste,
				      struct hprof_error *error);

/* ---- beside.c ------------------------------------------------------------ */

/* Called when all contents are noted: they are to be sorted. */
void hp_waste_plan_beside(struct hp_waste *w);
/* See struct hp_note_ops. */
void hp_waste_beside(struct hp_waste *w);
void hp_waste_reached(struct hp_waste *w, const struct hprof_graph *graph);
/* Waits for what was begun then. */
void hp_waste_beside_end(struct hp_waste *w);
/* The same; what was not begun will not be done. */
void hp_waste_beside_leave(struct hp_waste *w);
/*
 * Does what nobody has begun. From then on lists have only what is reachable, and one
 * referrer of each object counts.
 */
enum hprof_status hp_waste_take_reachable(struct hp_waste *w);

/* waste.c: all but the table; that too. */
void hp_waste_drop_work(struct hp_waste *w);
void hp_waste_free(struct hp_waste *w);

/*
 * find_referrers.c, for which the lists are sorted: follows EDGES, of which those HOLD
 * that are listed there.
 */
enum hprof_status hp_waste_find_referrers(struct hp_waste *w,
					  const struct hp_build *build,
					  const struct hp_edges *edges,
					  unsigned hold);

/* referrers.c: the tables of w->referrers, for that; and what the graph adds: */
enum hprof_status hp_referrers_make(struct hp_waste *w,
				    const struct hp_build *build,
				    const struct hp_edges *edges);
enum hprof_status hp_referrers_take_offers(struct hp_waste *w);
void hp_referrers_take_statics(const struct hp_waste *w);

/* Each notes what it finds with hp_waste_note. */
enum hprof_status hp_waste_contents(struct hp_waste *w);
enum hprof_status hp_waste_collections(struct hp_waste *w);
enum hprof_status hp_waste_arrays(struct hp_waste *w);
enum hprof_status hp_waste_short_rows(struct hp_waste *w);
/* After short rows, which save the headers of arrays that may be too wide. */
enum hprof_status hp_waste_wide_arrays(struct hp_waste *w);
enum hprof_status hp_waste_strings(struct hp_waste *w);
enum hprof_status hp_waste_boxes(struct hp_waste *w);
enum hprof_status hp_waste_maps(struct hp_waste *w);

/* ---- holders.c ----------------------------------------------------------- */

enum hprof_status hp_holders_open(struct hp_waste *w);
void hp_holders_done(struct hp_waste *w);

/* The holder of OBJECT as a number below hp_holders_count; 0: it is not known. */
enum hprof_status hp_holder_of(struct hp_waste *w, uint32_t object,
			       uint32_t *ret);
uint32_t hp_holders_count(const struct hp_waste *w);
/* The first class with the name of the one at ROW. */
size_t hp_holders_namesake(const struct hp_waste *w, size_t row);
struct hprof_waste_holder hp_holder_get(const struct hp_waste *w,
					uint32_t holder);

/* ---- holder_sums.c ------------------------------------------------------- */

enum hprof_status hp_sums_open(struct hp_waste *w);
void hp_sums_done(struct hp_waste *w);

/* Adds OBJECT to the kind and to the row of its class and holder. */
enum hprof_status hp_waste_note(struct hp_waste *w, enum hprof_waste_kind kind,
				uint32_t object, uint64_t bytes,
				uint64_t saved);
/*
 * The same for so many OBJECTS of one class that HOLDER holds: of BYTES each, all of
 * which are saved. OBJECT is the first of them, or one of that class and HOLDER that
 * was noted before.
 */
enum hprof_status hp_waste_note_objects(struct hp_waste *w,
					enum hprof_waste_kind kind,
					uint32_t object, uint32_t holder,
					uint64_t objects, uint64_t bytes);
/* The same for all instances of the class at ROW, of FIELDS of its fields. */
enum hprof_status hp_waste_note_class(struct hp_waste *w,
				      enum hprof_waste_kind kind, size_t row,
				      uint64_t fields, uint64_t saved);
/* Moves the rows to the table, sorted. */
enum hprof_status hp_sums_rows(struct hp_waste *w);

#endif
