/* SPDX-License-Identifier: MIT */
/*
 * reader.h - the reader from inside: shared by the reader_*.c files, and the
 * two calls by which a pass over all objects looks at heap bytes in bulk.
 */
#ifndef HP_READER_H
#define HP_READER_H

#include "base/diag_codes.h"
#include "hprof/reader.h"
#include "io/window.h"

/* What was last seen of the dumps in the file (quirk Q8). */
enum dump_state {
	DUMP_NONE,
	DUMP_SEGMENTS, /* a run of HEAP_DUMP_SEGMENT, not ended yet */
	DUMP_RECORD,   /* a whole HEAP_DUMP, not ended yet */
	DUMP_ENDED     /* by HEAP_DUMP_END */
};

/*
 * A reader. "Chosen" is what belongs to the dump that is read, of the one or
 * more in the file; sub-records of the others are passed over.
 */
struct hprof_reader {
	/* The input, and how far it was read. */
	struct hp_source *source;
	bool owns_source;
	struct hp_window window; /* what comes next */
	struct hprof_header header;
	unsigned id_size; /* that of the header */
	char *path; /* for a look at part files; NULL if not a path */

	/* Whom the caller wants to be told of progress and of faults. */
	struct {
		hprof_progress_fn *progress; /* NULL: nobody */
		void *progress_user;
		const char *phase;
		uint64_t next_progress; /* the offset at which it is told */
		hprof_diagnostic_fn *diagnostic; /* NULL: nobody */
		void *diagnostic_user;
	} listener;

	/* Those of struct hprof_reader_options that matter after opening. */
	struct {
		bool strict;
		bool exact;
		bool units; /* hand out units, as far as the source can */
	} options;

	/*
	 * The record that was handed out last. The next call drops it: its
	 * visible bytes, and those of its body that are not in the window.
	 */
	struct {
		size_t visible;
		uint64_t rest;
		uint64_t offset;
		uint16_t tag;		       /* if its body is long */
		struct hprof_bytes *long_body; /* as in hprof_reader_body */
	} record;

	/* The HEAP_DUMP or HEAP_DUMP_SEGMENT whose sub-records come next. */
	struct {
		bool inside; /* there is one; else the rest means nothing */
		bool chosen; /* belongs to the dump that is read */
		bool to_end; /* length 0: as far as it goes (Q1) */
		uint16_t tag;
		uint64_t offset; /* of its header */
		uint64_t end;
	} heap;

	/* The dumps of the file, numbered from 1 on; 0: none yet. */
	struct {
		enum dump_state state; /* of the current one */
		bool shark_pair; /* the dump ended was one HEAP_DUMP (Q8) */
		unsigned current, chosen;
		bool chosen_complete;
	} dumps;

	/* What came so far: decides how the end of the input is judged. */
	struct {
		uint64_t records;
		uint32_t last_tag;
		bool heap_dump_end; /* a HEAP_DUMP_END */
		bool profile;	    /* a record only of the old agents */
		bool truncation;    /* was reported */
	} seen;

	/*
	 * Units: parts of the file that other readers read, or, if this is
	 * such a reader, the one that it reads.
	 */
	struct {
		bool is_unit;
		uint64_t stop; /* where the unit ends; else UINT64_MAX */
		struct hprof_unit unit; /* read here, or handed out last */
		bool stopped_early;	/* came to an end in some odd way */
		bool goes_on;		/* hp_reader_read_between */
		struct hp_unit_split {
			/* The rest of a large record; at 0: none. */
			uint64_t at, end;
		} split;
		/* Of LOAD_CLASS, by which a split recognizes sub-records. */
		uint64_t *class_ids;
		size_t class_id_count, class_id_room;
		bool class_ids_sorted;
	} units;

	/* Diagnostics so far, by severity. */
	struct {
		uint64_t errors, warnings, notes;
	} counts;

	/* How reading went: failures, and HPROF_END, are sticky. */
	enum hprof_status status;
	struct hprof_error error;
};

/* What one step through the input came to. */
enum hp_step {
	HP_STEP_FAILED, /* reader->status says why */
	HP_HAND_OUT, /* the record is complete, hprof_reader_next returns it */
	HP_SKIPPED,  /* there was nothing to hand out: take the next step */
	HP_OVER	     /* the heap record has been left */
};

/* STEP, unless STATUS is a failure. */
static inline enum hp_step hp_step_after(enum hprof_status status,
					 enum hp_step step)
{
	return status < 0 ? HP_STEP_FAILED : step;
}

/* The status of a source that failed for more than damage of its data. */
enum hprof_status hp_reader_source_failure(struct hprof_reader *r);

/* Reports; returns a failure only in strict mode. */
enum hprof_status
hp_reader_say(struct hprof_reader *r, enum hprof_severity severity,
	      enum hp_diag_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Tells the progress now and then; false once the caller has cancelled, which
 * is the reader's status then.
 */
bool hp_reader_go_on(struct hprof_reader *r);

/* The next sub-record, or HP_OVER. */
enum hp_step hp_reader_next_sub(struct hprof_reader *r,
				struct hprof_record *ret);

/* Takes in the header of a heap record (visible) and enters it. */
enum hprof_status hp_reader_enter_heap(struct hprof_reader *r,
				       struct hprof_record *record);

/* The dump at hand is over: if it was one HEAP_DUMP, that was all of it. */
void hp_reader_note_whole(struct hprof_reader *r);

/*
 * The known record whose header is in RET and at the window; not a heap
 * record. HP_HAND_OUT or HP_SKIPPED.
 */
enum hp_step hp_reader_record(struct hprof_reader *r, struct hprof_record *ret);

/* The same where the tag is not known: a record, padding or garbage. */
enum hp_step hp_reader_unknown(struct hprof_reader *r,
			       struct hprof_record *ret);

/* The same for N bytes at the end, fewer than a header. */
enum hp_step hp_reader_short_tail(struct hprof_reader *r, size_t n,
				  struct hprof_record *ret);

/* Behind the last record: what is missing, what stands beside. */
enum hprof_status hp_reader_finish(struct hprof_reader *r);

/* Units: true if one was made of the heap record at the window. */
bool hp_reader_make_unit(struct hprof_reader *r, struct hprof_record *ret);
bool hp_reader_split_unit(struct hprof_reader *r, struct hprof_record *ret);
void hp_reader_note_class(struct hprof_reader *r, uint64_t class_id);

/*
 * True if P (HPROF_RECORD_HEADER bytes) can be a record header by itself:
 * a known tag, a length that fits it.
 */
bool hp_plausible_header(const uint8_t *p, unsigned id_size);

/* The same for the header at offset AT, and whether it fits the input. */
enum hp_guess { HP_NO, HP_YES, HP_MAYBE };
enum hp_guess hp_reader_header_at(struct hprof_reader *r, uint64_t at);

/* Does a record begin where the window stands, as far as can be seen? */
bool hp_reader_record_here(struct hprof_reader *r);

/* ---- long bodies --------------------------------------------------------- */

/*
 * hprof_reader_body without the copy: up to MOST bytes at *RET_P, which are
 * borrowed until the next call on this reader.
 */
enum hprof_status hp_reader_body_piece(struct hprof_reader *r, size_t most,
				       const uint8_t **ret_p, size_t *ret_size);

/*
 * The record that the reader just handed out claims to be longer than all that
 * is left of the input: if it is by more than HP_ZEROS_MOST, RECORD becomes
 * as long as what there is. Nothing happens where the size of the input is not
 * known. The body must not have been read yet.
 */
void hp_reader_clamp_record(struct hprof_reader *r,
			    struct hprof_record *record);

/* ---- heap bytes in bulk -------------------------------------------------- */

/*
 * If the reader stands at a sub-record of the chosen dump: the visible bytes
 * of the current heap record, at least one; else 0. What is not a whole,
 * ordinary sub-record is left to hprof_reader_next.
 */
size_t hp_reader_heap_bytes(struct hprof_reader *r, const uint8_t **ret_p);

/*
 * Passes over the body of the current record, if it is long. False: the input
 * ends inside it.
 */
bool hp_reader_pass_body(struct hprof_reader *r);

/*
 * A unit's reader goes on with the sub-records from OFFSET to END, which lie
 * behind what it has read; those before END are in one record. Back from
 * HPROF_END.
 */
void hp_reader_go(struct hprof_reader *r, uint64_t offset, uint64_t end);

/*
 * A unit's reader, which has not read anything yet, reads what lies between
 * heap records too, as a reader of the whole dump does: it hands out other
 * records and passes over garbage, instead of ending there.
 */
void hp_reader_read_between(struct hprof_reader *r);

/* At HPROF_END: true if it came exactly there. */
bool hp_reader_arrived(const struct hprof_reader *r);

/* Passes over N bytes of whole sub-records: visible ones and a body behind. */
static inline void hp_reader_heap_consume(struct hprof_reader *r,
					  size_t visible)
{
	hp_window_consume(&r->window, visible);
}

#endif
