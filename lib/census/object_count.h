/* SPDX-License-Identifier: MIT */
/*
 * object_count.h - counting the objects of a dump: the one pass behind
 * hprof_summary_read.
 *
 * A tally is what one thread has counted. Tallies are merged in file order, so
 * that the result does not depend on the number of threads. The size of a tally
 * does not grow with the number of objects, except for marks (one per MiB).
 */
#ifndef HP_OBJECT_COUNT_H
#define HP_OBJECT_COUNT_H

#include "hprof/reader.h"
#include "hprof/report.h"
#include "base/u64_map.h"
#include "census/property_names.h"
#include "model/id_index.h"
#include "model/name_table.h"

enum {
	HP_ARRAY_RESIDUES = 64, /* element counts modulo this */
	HP_PRIM_RESIDUES = 256, /* payload bytes modulo this */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	HP_UNKNOWN_CLASSES = 8,
	HP_SAMPLE_MAX = 16
#else
	HP_UNKNOWN_CLASSES = 65536, /* limit of classes seen only in objects */
	HP_SAMPLE_MAX = 1 << 18
#endif
};

#define HP_NO_SLACK INT64_MAX

/* Objects of one class. */
struct hp_slot {
	uint64_t class_id;
	uint64_t count;
	uint64_t data;	  /* bytes of values; of object arrays: elements */
	uint64_t largest; /* the same for the largest object */
	/*
	 * The smallest distance to the next id, less the payload of an array (4
	 * bytes per reference): an upper bound of header and padding, or of an
	 * instance's size. HP_NO_SLACK: no distance was measured.
	 */
	int64_t slack;
	/*
	 * How many distances are equally small: between neighbours in the file,
	 * and in the sampled regions, which have "sampled" distances in all.
	 */
	uint64_t alike[2], sampled;
	uint64_t *residues;	/* of arrays: counts by payload; else NULL */
	struct hp_slot *merged; /* the slot into which it was merged */
	unsigned kind;		/* enum hprof_class_kind */
	unsigned type;		/* of primitive arrays */
};

/* Own fields of a class by width. */
struct hp_fields {
	uint32_t refs, n1, n2, n4, n8;
};

/* What is kept of a CLASS_DUMP. */
struct hp_class_info {
	uint64_t offset; /* of the sub-record, to read it again */
	uint64_t class_id, super_id, loader_id;
	uint32_t instance_size;
	uint32_t statics_data;	/* bytes in the dump */
	uint32_t statics_refs;	/* number of references among them */
	uint32_t statics_apart; /* of these, not stored in the class object */
	bool lock_apart;	/* another one of those, in JDK 8 */
	bool statics_wide;	/* some are long or double */
	bool seeds; /* a field is Thread.threadLocalRandomSecondarySeed */
	uint32_t chunk_size_at; /* offset of "size"; UINT32_MAX: none */
	struct hp_fields fields;
};

/* A THREAD_OBJ root. */
struct hp_thread_root {
	uint64_t object_id;
	uint32_t thread_serial, trace_serial;
};

/* A range of the file and the ids in it. */
struct hp_mark {
	uint64_t offset, end;
	uint64_t low, high; /* low > high: no object */
	bool in_record;
};

/* An object in a sampled region of the address space. */
struct hp_sample {
	uint64_t id;
	struct hp_slot *slot;
	uint64_t payload;
};

/*
 * The previous object, and what is derived from the sequence of ids. The hot
 * loop keeps a copy in registers.
 */
struct hp_last_object {
	uint64_t first_id, last_id;
	struct hp_slot *last_slot;
	uint64_t last_payload;
	int64_t last_extra;   /* object arrays: 4 bytes per element; else -1 */
	uint64_t next_mirror; /* the first class id above last_id */
	uint64_t region;
	bool region_sampled;
	bool any;
	uint64_t bits;	    /* all object ids or-ed: their alignment */
	uint64_t low, high; /* since the last mark */
};

/*
 * jdk.internal.vm.StackChunk is the only class whose instances differ in size.
 * The offset of its field "size" in an instance's data is known only from the
 * CLASS_DUMP, which another thread may be reading; so there is a sum for every
 * possible offset.
 */
enum { HP_CHUNK_PLACES = 64, HP_CHUNK_ALIGNMENTS = 6 };
struct hp_chunks {
	uint64_t class_id; /* from the names; 0: not known */
	uint64_t count;
	struct hp_chunk_sum {
		uint64_t largest; /* words of stack */
		/*
		 * The words of stack and bitmap, by the width of references,
		 * each chunk's rounded up to a multiple of 1 << index.
		 */
		uint64_t narrow[HP_CHUNK_ALIGNMENTS];
		uint64_t wide[HP_CHUNK_ALIGNMENTS];
	} at[HP_CHUNK_PLACES];
};

/*
 * The words of a chunk's stack of WORDS words and of the bitmap that follows
 * it, which has one bit for each possible place of a reference.
 */
static inline uint64_t hp_chunk_words(uint64_t words, bool narrow_refs)
{
	uint64_t bits = words << narrow_refs;

	return words + (bits + 63) / 64;
}

struct hp_tally {
	unsigned id_size;
	struct hp_u64_map instances; /* class id -> struct hp_slot */
	struct hp_u64_map arrays;
	struct hp_slot **slots; /* of both maps, in order of appearance */
	size_t slot_count, slot_room;
	size_t announced;	  /* classes with LOAD_CLASS or CLASS_DUMP */
	struct hp_slot *overflow; /* everything beyond HP_UNKNOWN_CLASSES */
	bool overflowed;
	struct hp_chunks chunks;
	uint64_t known[HP_KNOWN_NAMES]; /* string ids, of struct hp_before */
	unsigned properties;		/* enum hp_property_name */
	struct hp_slot prims[16];	/* by type code */
	uint64_t tag_count[256];	/* sub-records */
	uint64_t tag_bytes[256];
	int64_t slack8;	      /* of object arrays with 8-byte references */
	uint64_t segments[2]; /* HEAP_DUMP, HEAP_DUMP_SEGMENT headers */
	uint64_t descents;
	uint64_t zero_ids;
	uint64_t duplicate_ids;

	struct hp_class_info *classes;
	size_t class_count, class_room;
	struct hp_thread_root *threads;
	size_t thread_count, thread_room;
	struct hp_mark *marks;
	size_t mark_count, mark_room;
	struct hp_sample *samples;
	size_t sample_count;
	uint64_t sample_mask;

	struct hp_last_object cursor;

	/* Class ids known before the first object, ascending (mirrors). */
	const uint64_t *mirrors;
	size_t mirror_count;
	uint64_t mirror_below, mirror_above; /* of the last search */

	/*
	 * Records the ids, if requested, until one is not a multiple of
	 * HP_IDS_UNIT. Each recorded id has been recorded once, unless ids_odd.
	 */
	struct hp_id_index_writer *writer;
	bool ids_odd;
	bool no_memory;
};

enum { HP_IDS_UNIT = 8 };

/* What all tallies of a pass know before the first object. */
struct hp_before {
	unsigned id_size;
	const uint64_t *mirrors; /* class ids, ascending */
	size_t mirror_count;
	uint64_t chunk_class_id;	 /* see struct hp_chunks */
	const uint64_t *known;		 /* string ids by enum hp_known_name */
	struct hp_id_index_build *build; /* NULL: ids are not recorded */
};
enum hprof_status hp_tally_init(struct hp_tally *t, unsigned id_size);
void hp_tally_know(struct hp_tally *t, const struct hp_before *before);
void hp_tally_done(struct hp_tally *t);

/* Counts whole, ordinary objects; returns how many of SIZE bytes they take. */
size_t hp_tally_scan(struct hp_tally *t, const uint8_t *p, size_t size);

/* Counts one decoded sub-record. */
void hp_tally_record(struct hp_tally *t, const struct hprof_record *record);

/* class_count.c: the same for a class. */
void hp_tally_class(struct hp_tally *t, const struct hprof_record *record);

/* Begins a new run of objects (a unit, or a record that is read separately). */
void hp_tally_begin(struct hp_tally *t);

/* Completes the recording of ids. */
void hp_tally_end_ids(struct hp_tally *t);

/* Marks: see struct hp_mark. */
void hp_tally_mark(struct hp_tally *t, uint64_t offset, bool in_record);
void hp_tally_mark_end(struct hp_tally *t, uint64_t offset);

/* Adds FROM to TO. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_tally_merge(struct hp_tally *to,
				 const struct hp_tally *from);

/* Joins two runs that follow each other in the file. */
void hp_tally_stitch(struct hp_tally *t, const struct hp_last_object *before,
		     const struct hp_last_object *after);

/* A new slot, which is also added to t->slots; NULL if out of memory. */
struct hp_slot *hp_tally_new_slot(struct hp_tally *t, uint64_t class_id,
				  unsigned kind);

/* The lowest mirror above ID, or UINT64_MAX. */
uint64_t hp_tally_mirror_above(struct hp_tally *t, uint64_t id);

/* Records a distance to the next id, SAMPLED: in a sampled region. */
static inline void hp_take_gap(struct hp_tally *t, struct hp_slot *slot,
			       uint64_t gap, uint64_t payload, int64_t extra,
			       const bool sampled)
{
	int64_t slack = (int64_t)(gap - payload);

	if (slack < slot->slack) {
		slot->slack = slack;
		slot->alike[0] = slot->alike[1] = 0;
	}
	slot->alike[sampled] += slack == slot->slack;
	if (extra >= 0 && slack - extra < t->slack8)
		t->slack8 = slack - extra;
}

/* Keeps an object if its region is sampled; false if it is not (any more). */
bool hp_tally_sample(struct hp_tally *t, uint64_t id, struct hp_slot *slot,
		     uint64_t payload);

/* Drops samples outside the regions of the mask; halves the regions. */
void hp_tally_drop_samples(struct hp_tally *t);
void hp_tally_thin_samples(struct hp_tally *t);

/*
 * To be called when everything is counted: sorts tables by file offset,
 * measures distances inside the sampled regions and finds duplicates there.
 */
void hp_tally_finalize(struct hp_tally *t);

#endif
