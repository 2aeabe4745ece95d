/* SPDX-License-Identifier: MIT */
/*
 * writer.h - the writer from inside: shared by the writer*.c files.
 */
#ifndef HP_WRITER_H
#define HP_WRITER_H

#include "io/sink.h"

enum { HP_SEGMENT = 1 << 20 /* at most, with its header */ };

struct hprof_writer {
	struct hp_sink *sink;
	struct hp_sink *kept; /* the file, if its part is to stay; in sink */
	bool exact;
	unsigned id_size; /* 0: no header yet */
	uint64_t size;

	uint8_t *buffer; /* HP_SEGMENT bytes */
	size_t used;
	bool in_segment; /* the buffer holds a segment, header first */
	uint32_t segment_time_us;

	/* Own segments. */
	unsigned heap_tag; /* what the dump at hand is made of; 0: none */
	bool end_due;	   /* its END was put, and waits: Q8, below */
	uint32_t end_time_us;
	bool end_alone; /* an END was put before any heap record */
	bool heap_ended;	  /* a dump is over, none has begun since */
	struct hprof_record info; /* the HEAP_DUMP_INFO that holds */
	uint64_t info_size;	  /* 0: none does */
	bool info_due;		  /* and is not in this segment yet */

	/* Exactly as given. */
	bool in_heap;	    /* in a heap record */
	bool may_wrap;	    /* a HEAP_DUMP, whose length may wrap (Q2) */
	bool heap_to_end;   /* a length of 0 that was not filled in (Q1) */
	uint64_t heap_left; /* bytes of sub-records to come */
	bool stray;	    /* hprof_writer_raw was called */

	/* The record that was put last, if its body is to follow. */
	struct hp_open_body {
		uint64_t left; /* bytes of the body; 0: none is open */
		struct hprof_record record;
		size_t head_at;	  /* where its head is in the buffer ... */
		bool in_buffer;	  /* ... if it has not been written yet */
		bool own_segment; /* right behind the header of a segment */
	} open;

	bool finished;
	enum hprof_status dead;
	struct hprof_error error;
};

/* E_USAGE with a reason; nothing changed. */
enum hprof_status hp_writer_refuse(struct hprof_writer *w, const char *why);

/* Writes what the buffer holds; of a segment with its length. */
enum hprof_status hp_writer_flush(struct hprof_writer *w);

enum hprof_status hp_writer_bytes(struct hprof_writer *w, const void *bytes,
				  size_t size);

/*
 * A record that is encoded into the buffer, all but TAIL bytes of its long
 * field; SIZE is that of the whole record.
 */
enum hprof_status hp_writer_small(struct hprof_writer *w,
				  const struct hprof_record *r, uint64_t size,
				  uint64_t tail);

/*
 * Writes R, SIZE bytes, wherever the writer stands. A long body goes to the
 * sink without a copy, or is waited for.
 */
enum hprof_status hp_writer_record(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size);

/*
 * In segments of the writer's own making: writer_segments.c. R is good by
 * itself and has SIZE bytes.
 */
enum hprof_status hp_writer_put_own(struct hprof_writer *w,
				    const struct hprof_record *r,
				    uint64_t size);

/* Ends the dump at hand with HEAP_DUMP_END, if there is one. */
enum hprof_status hp_writer_end_own(struct hprof_writer *w);

/* The same at the end of the file, which may be a dump without any heap. */
enum hprof_status hp_writer_end_file(struct hprof_writer *w);

#endif
