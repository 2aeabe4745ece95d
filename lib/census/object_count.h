/* SPDX-License-Identifier: MIT */
/*
 * object_count.h - counting the objects of a dump: the one pass behind
 * hprof_summary_read.
 *
 * A tally is what one thread has counted; tallies are merged in file order,
 * so that the result does not depend on the number of threads. Nothing in it
 * grows with the number of objects, except marks (one for each MiB).
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
	HP_UNKNOWN_CLASSES = 65536, /* classes that nobody announced, at most */
	HP_SAMPLE_MAX = 1 << 18
#endif
};

#define HP_NO_SLACK INT64_MAX

/* Objects of one class. */
struct hp_slot {
	uint64_t class_id;
	uint64_t count;
	uint64_t data;	  /* bytes of values; of object arrays: elements */
	uint64_t largest; /* the same of the largest */
	/*
	 * Least distance to the next id, less the payload of an array (4
	 * bytes a reference): an upper bound of header and padding, or of an
	 * instance's size. HP_NO_SLACK: not met.
	 */
	int64_t slack;
	/*
	 * How many distances are as small: of neighbours in the file, and in the
	 * sampled regions, where SAMPLED were met.
	 */
	uint64_t alike[2], sampled;
	uint64_t *residues;	/* of arrays: counts by payload; else NULL */
	struct hp_slot *merged; /* where it went in a merge */
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
	uint32_t statics_refs;	/* of these references */
	uint32_t statics_apart; /* of these not in the class object */
	bool lock_apart;	/* another one, in JDK 8 */
	bool statics_wide;	/* some are long or double */
	bool seeds; /* a field is Thread.threadLocalRandomSecondarySeed */
	uint32_t chunk_size_at; /* the field "size"; UINT32_MAX: none */
	struct hp_fields fields;
};

/* A THREAD_OBJ root. */
struct hp_thread_root {
	uint64_t object_id;
	uint32_t thread_serial, trace_serial;
};

/* A stretch of the file and the ids in it. */
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
 * The object before, and what goes along with the ids. The hot loop keeps a
 * copy in registers.
 */
struct hp_last_object {
	uint64_t first_id, last_id;
	struct hp_slot *last_slot;
	uint64_t last_payload;
	int64_t last_extra;   /* 4 bytes an element of an object array, or -1 */
	uint64_t next_mirror; /* the first class id above last_id */
	uint64_t region;
	bool region_sampled;
	bool any;
	uint64_t bits;	    /* all object ids or-ed: their alignment */
	uint64_t low, high; /* since the mark */
};

/*
 * jdk.internal.vm.StackChunk: the only class whose instances differ in size.
 * Where in an instance's data the field "size" is, only its CLASS_DUMP says,
 * which another thread may be reading; so every place is summed up.
 */
enum { HP_CHUNK_PLACES = 64 };
struct hp_chunks {
	uint64_t class_id; /* from the names; 0: not known */
	uint64_t count;
	struct hp_chunk_sum {
		uint64_t words, largest;	     /* words of stack */
		uint64_t bitmap_narrow, bitmap_wide; /* words of bitmap */
	} at[HP_CHUNK_PLACES];
};

struct hp_tally {
	unsigned id_size;
	struct hp_u64_map instances; /* class id -> struct hp_slot */
	struct hp_u64_map arrays;
	struct hp_slot **slots; /* all of both, in order of appearance */
	size_t slot_count, slot_room;
	size_t announced;	  /* classes that the file announced */
	struct hp_slot *overflow; /* everything beyond HP_UNKNOWN_CLASSES */
	bool overflowed;
	struct hp_chunks chunks;
	uint64_t known[HP_KNOWN_NAMES]; /* string ids, of struct hp_before */
	unsigned properties;		/* enum hp_property_name */
	struct hp_slot prims[16];	/* by type code */
	uint64_t tag_count[256];	/* sub-records */
	uint64_t tag_bytes[256];
	int64_t slack8;	      /* of object arrays with 8 bytes a reference */
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
	 * Notes the ids, if that was asked for, until one is not a multiple
	 * of HP_IDS_UNIT. Each id that was noted has been noted once, unless
	 * ids_odd.
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
	struct hp_id_index_build *build; /* of ids; NULL: they are not noted */
};
enum hprof_status hp_tally_init(struct hp_tally *t, unsigned id_size);
void hp_tally_know(struct hp_tally *t, const struct hp_before *before);
void hp_tally_done(struct hp_tally *t);

/* Counts whole, ordinary objects among SIZE bytes; returns those used. */
size_t hp_tally_scan(struct hp_tally *t, const uint8_t *p, size_t size);

/* Counts one decoded sub-record. */
void hp_tally_record(struct hp_tally *t, const struct hprof_record *record);

/* A new run of objects begins (a unit, a record that is read apart). */
void hp_tally_begin(struct hp_tally *t);

/* All ids are in the table that is built. */
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

/* A new slot, also in t->slots; NULL without memory. */
struct hp_slot *hp_tally_new_slot(struct hp_tally *t, uint64_t class_id,
				  unsigned kind);

/* The first mirror above ID; UINT64_MAX if there is none. */
uint64_t hp_tally_mirror_above(struct hp_tally *t, uint64_t id);

/* A distance to the next id: see struct hp_slot. SAMPLED: in such a region. */
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

/* Keeps an object if its region is sampled; false if not, or no longer. */
bool hp_tally_sample(struct hp_tally *t, uint64_t id, struct hp_slot *slot,
		     uint64_t payload);

/* Drops samples outside the regions of the mask; halves the regions. */
void hp_tally_drop_samples(struct hp_tally *t);
void hp_tally_thin_samples(struct hp_tally *t);

/*
 * When everything is counted: brings tables into file order, measures
 * distances inside the sampled regions, finds duplicates there.
 */
void hp_tally_finalize(struct hp_tally *t);

#endif
