/* SPDX-License-Identifier: MIT */
/*
 * writer.h - the internals of the writer, shared by the writer*.c files.
 */
#ifndef HP_WRITER_H
#define HP_WRITER_H

#include "io/sink.h"

enum { HP_SEGMENT = 1 << 20 /* maximum size, with the header */ };

struct hprof_writer {
	struct hp_sink *sink;
	struct hp_sink *kept; /* the file, if keep_part is set; part of sink */
	/* The part file, if nothing is between it and the writer; else NULL. */
	struct hp_sink *file;
	bool exact;
	unsigned id_size; /* 0: no header yet */
	uint64_t size;

	uint8_t *buffer; /* HP_SEGMENT bytes */
	size_t used;
	bool in_segment; /* the buffer holds a segment, header first */
	uint32_t segment_time_us;

	/* For segments that the writer makes. */
	unsigned heap_tag; /* kind of the current dump's records; 0: no dump */
	bool end_due;	   /* its END was put but not written yet (Q8) */
	uint32_t end_time_us;
	bool end_alone;		  /* an END was put before any heap record */
	bool heap_ended;	  /* a dump has ended, none has begun since */
	struct hprof_record info; /* the HEAP_DUMP_INFO in effect */
	uint64_t info_size;	  /* 0: no such record */
	bool info_due;		  /* it is not in this segment yet */

	/* For exact mode. */
	bool in_heap;	    /* in a heap record */
	bool may_wrap;	    /* a HEAP_DUMP, whose length may wrap (Q2) */
	bool heap_to_end;   /* a length of 0 that was not filled in (Q1) */
	uint64_t heap_left; /* bytes of sub-records to come */
	bool stray;	    /* hprof_writer_raw was called */

	/* The record that was put last, if its body follows. */
	struct hp_open_body {
		uint64_t left; /* bytes to come; 0: no body is open */
		struct hprof_record record;
		uint64_t file_at; /* where its head is in the output */
		size_t head_at;	  /* where it is in the buffer ... */
		bool in_buffer;	  /* ... if it has not been written yet */
		bool own_segment; /* right behind the header of a segment */
	} open;

	bool cut; /* the output ends inside of a record */
	bool finished;
	enum hprof_status dead;
	struct hprof_error error;
};

/* Returns HPROF_E_USAGE with the reason WHY; nothing has changed. */
enum hprof_status hp_writer_refuse(struct hprof_writer *w, const char *why);

/* Writes the buffer; if it is a segment, sets its length before. */
enum hprof_status hp_writer_flush(struct hprof_writer *w);

enum hprof_status hp_writer_bytes(struct hprof_writer *w, const void *bytes,
				  size_t size);

/*
 * Encodes a record into the buffer, except TAIL bytes of its long field; SIZE
 * is the size of the whole record.
 */
enum hprof_status hp_writer_small(struct hprof_writer *w,
				  const struct hprof_record *r, uint64_t size,
				  uint64_t tail);

/*
 * Writes R, SIZE bytes, at the current position. A long body goes to the sink
 * without a copy, or follows by hprof_writer_body.
 */
enum hprof_status hp_writer_record(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size);

/*
 * Puts R into segments that the writer makes: writer_segments.c. R has been
 * checked and has SIZE bytes.
 */
enum hprof_status hp_writer_put_own(struct hprof_writer *w,
				    const struct hprof_record *r,
				    uint64_t size);

/*
 * Ends the body that is open early: shortens its record or, where that is not
 * possible any more, ends the output there, and W->cut is set.
 */
enum hprof_status hp_writer_shorten(struct hprof_writer *w);

/* Ends it with zeros for all that is missing. */
enum hprof_status hp_writer_fill(struct hprof_writer *w);

/*
 * For a process that was forked while a plain file or pipe was written. It
 * writes the end of the file, and everything but its name is done. Then the
 * process that opened the file gives it the name. Both may use the descriptor.
 */
enum hprof_status hp_writer_finish_part(struct hprof_writer *w);
enum hprof_status hp_writer_name_part(struct hprof_writer *w);
int hp_writer_descriptor(const struct hprof_writer *w);

/* Another process has written SIZE bytes behind those that were flushed. */
void hp_writer_skip(struct hprof_writer *w, uint64_t size);

/* Ends the current dump, if any, with HEAP_DUMP_END. */
enum hprof_status hp_writer_end_own(struct hprof_writer *w);

/* The same at the end of a file, which may have no heap records at all. */
enum hprof_status hp_writer_end_file(struct hprof_writer *w);

#endif
