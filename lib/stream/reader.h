/* SPDX-License-Identifier: MIT */
/*
 * reader.h - the internals of the reader, shared by the reader_*.c files, and
 * the functions by which a pass over all objects reads heap bytes in bulk.
 */
#ifndef HP_READER_H
#define HP_READER_H

#include "base/diag_codes.h"
#include "hprof/reader.h"
#include "io/window.h"

/* The state of the last dump in the file so far (quirk Q8). */
enum dump_state {
	DUMP_NONE,
	DUMP_SEGMENTS, /* a run of HEAP_DUMP_SEGMENT, not ended yet */
	DUMP_RECORD,   /* a whole HEAP_DUMP, not ended yet */
	DUMP_ENDED     /* by HEAP_DUMP_END */
};

/*
 * A reader. The "chosen" dump is the one being read, of the one or more in the
 * file; sub-records of the others are skipped.
 */
struct hprof_reader {
	/* The input and the position in it. */
	struct hp_source *source;
	bool owns_source;
	struct hp_window window; /* the bytes to be read next */
	struct hprof_header header;
	unsigned id_size; /* from the header */
	char *path; /* to find part files; NULL if the input has no path */

	/* The caller's callbacks. */
	struct {
		hprof_progress_fn *progress; /* may be NULL */
		void *progress_user;
		const char *phase;
		uint64_t next_progress; /* offset at which to call it next */
		hprof_diagnostic_fn *diagnostic; /* may be NULL */
		void *diagnostic_user;
	} listener;

	/* The options that are needed after opening. */
	struct {
		bool strict;
		bool exact;
		bool units; /* return units, if the source allows */
	} options;

	/*
	 * The record that was returned last. The next call drops its visible
	 * bytes, and those of its body that are not in the window.
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
		bool inside; /* false: not in a heap record, ignore the rest */
		bool chosen; /* it belongs to the chosen dump */
		bool to_end; /* length 0: extends as far as possible (Q1) */
		uint16_t tag;
		uint64_t offset; /* of its header */
		uint64_t end;
	} heap;

	/* The dumps of the file, numbered from 1 on; 0: no dump yet. */
	struct {
		enum dump_state state; /* of the current one */
		bool shark_pair; /* the ended dump was one HEAP_DUMP (Q8) */
		unsigned current, chosen;
		bool chosen_complete;
	} dumps;

	/* What was seen so far, to judge the end of the input. */
	struct {
		uint64_t records;
		uint32_t last_tag;
		bool heap_dump_end; /* a HEAP_DUMP_END */
		bool profile;	    /* a record that only old agents write */
		bool truncation;    /* it was reported already */
	} seen;

	/*
	 * Units are parts of the file that other readers read. If this is such
	 * a reader, the unit that it reads.
	 */
	struct {
		bool is_unit;
		uint64_t stop; /* where the unit ends; else UINT64_MAX */
		struct hprof_unit unit; /* being read, or returned last */
		bool stopped_early;	/* it ended in an unexpected way */
		bool goes_on;		/* hp_reader_read_between */
		struct hp_unit_split {
			/* The rest of a large record; no rest if at is 0. */
			uint64_t at, end;
		} split;
		/* From LOAD_CLASS; used to recognize sub-records. */
		uint64_t *class_ids;
		size_t class_id_count, class_id_room;
		bool class_ids_sorted;
	} units;

	uint64_t told_end; /* see hp_reader_tell_end; 0: not told */

	/* Diagnostics so far, by severity. */
	struct {
		uint64_t errors, warnings, notes;
	} counts;

	/* Failures and HPROF_END are sticky. */
	enum hprof_status status;
	struct hprof_error error;
};

/* The result of one step through the input. */
enum hp_step {
	HP_STEP_FAILED, /* reader->status says why */
	HP_HAND_OUT, /* the record is complete, hprof_reader_next returns it */
	HP_SKIPPED,  /* there is nothing to return: take the next step */
	HP_OVER	     /* the heap record has been left */
};

/* Returns STEP, or HP_STEP_FAILED if STATUS is a failure. */
static inline enum hp_step hp_step_after(enum hprof_status status,
					 enum hp_step step)
{
	return status < 0 ? HP_STEP_FAILED : step;
}

/* The status of the source if it failed for other reasons than damaged data. */
enum hprof_status hp_reader_source_failure(struct hprof_reader *r);

/* Reports a diagnostic; returns a failure only in strict mode. */
enum hprof_status
hp_reader_say(struct hprof_reader *r, enum hprof_severity severity,
	      enum hp_diag_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Calls the progress function when it is due. False once the caller has
 * cancelled, which then is the reader's status.
 */
bool hp_reader_go_on(struct hprof_reader *r);

/* The next sub-record, or HP_OVER. */
enum hp_step hp_reader_next_sub(struct hprof_reader *r,
				struct hprof_record *ret);

/* Consumes the header of a heap record, which is visible, and enters it. */
enum hprof_status hp_reader_enter_heap(struct hprof_reader *r,
				       struct hprof_record *record);

/* Called at the end of a dump: if it was one HEAP_DUMP, it is complete. */
void hp_reader_note_whole(struct hprof_reader *r);

/*
 * Reads a known record other than a heap record, whose header is in RET and at
 * the start of the window. HP_HAND_OUT or HP_SKIPPED.
 */
enum hp_step hp_reader_record(struct hprof_reader *r, struct hprof_record *ret);

/* Handles an unknown tag: an unknown record, padding or garbage. */
enum hp_step hp_reader_unknown(struct hprof_reader *r,
			       struct hprof_record *ret);

/* Handles the last N bytes of the input if they are fewer than a header. */
enum hp_step hp_reader_short_tail(struct hprof_reader *r, size_t n,
				  struct hprof_record *ret);

/* Called behind the last record: reports what is missing, and part files. */
enum hprof_status hp_reader_finish(struct hprof_reader *r);

/* Makes a unit of the heap record at the window; false if that cannot be. */
bool hp_reader_make_unit(struct hprof_reader *r, struct hprof_record *ret);
bool hp_reader_split_unit(struct hprof_reader *r, struct hprof_record *ret);
void hp_reader_note_class(struct hprof_reader *r, uint64_t class_id);

/*
 * True if P (HPROF_RECORD_HEADER bytes) can be a record header by itself:
 * a known tag, a length that fits it.
 */
bool hp_plausible_header(const uint8_t *p, unsigned id_size);

/* The same for the header at offset AT, which must also fit the input. */
enum hp_guess { HP_NO, HP_YES, HP_MAYBE };
enum hp_guess hp_reader_header_at(struct hprof_reader *r, uint64_t at);

/* True if a record seems to begin at the start of the window. */
bool hp_reader_record_here(struct hprof_reader *r);

/* ---- long bodies --------------------------------------------------------- */

/*
 * Like hprof_reader_body without copying: up to MOST bytes at *RET_P, which are
 * borrowed until the next call on this reader.
 */
enum hprof_status hp_reader_body_piece(struct hprof_reader *r, size_t most,
				       const uint8_t **ret_p, size_t *ret_size);

/* True if it is known before its end is reached how long the input is. */
bool hp_reader_knows_end(const struct hprof_reader *r);

/*
 * The same input, read before, ended at END, which is not 0. What the source
 * itself cannot say, if it is compressed, hp_reader_clamp_record then knows.
 */
void hp_reader_tell_end(struct hprof_reader *r, uint64_t end);

/*
 * If the record that the reader has just returned claims to extend beyond the
 * end of the input by more than HP_ZEROS_MOST bytes, shortens RECORD to the
 * bytes that exist. Does nothing if the size of the input is not known. The
 * body must not have been read yet.
 */
void hp_reader_clamp_record(struct hprof_reader *r,
			    struct hprof_record *record);

/* ---- heap bytes in bulk -------------------------------------------------- */

/*
 * If the reader is at a sub-record of the chosen dump, returns how many bytes
 * of the current heap record are visible, at least one; otherwise 0. The caller
 * leaves everything but whole, ordinary sub-records to hprof_reader_next.
 */
size_t hp_reader_heap_bytes(struct hprof_reader *r, const uint8_t **ret_p);

/*
 * Skips the body of the current record, if it is long. False: the input ends
 * inside it.
 */
bool hp_reader_pass_body(struct hprof_reader *r);

/*
 * Makes a unit's reader continue with the sub-records from OFFSET to END, which
 * are in one record, behind what it has read so far. Clears HPROF_END.
 */
void hp_reader_go(struct hprof_reader *r, uint64_t offset, uint64_t end);

/*
 * Makes a unit's reader, which has not read anything yet, also read what is
 * between heap records, like a reader of the whole dump: it returns other
 * records and skips garbage, instead of ending there. It starts in a heap record
 * of TAG, or in none if TAG is 0, and takes the dump that it finds first; the
 * next one of the file, whose objects have the same ids, it skips.
 */
void hp_reader_read_between(struct hprof_reader *r, unsigned tag);

/* At HPROF_END: true if the unit's reader is exactly at the unit's end. */
bool hp_reader_arrived(const struct hprof_reader *r);

/* Skips N bytes of whole sub-records: visible bytes and a body behind them. */
static inline void hp_reader_heap_consume(struct hprof_reader *r,
					  size_t visible)
{
	hp_window_consume(&r->window, visible);
}

#endif
