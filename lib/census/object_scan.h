/* SPDX-License-Identifier: MIT */
/*
 * object_scan.h - going over the sub-records of a dump: first with a reader,
 * which copes with whatever the file is; then as often as need be over the
 * extents that the first pass noted, with one or several threads.
 *
 * The first pass hands the reader's units to a pool of its own (see
 * census.c); here is what both kinds have in common.
 */
#ifndef HP_OBJECT_SCAN_H
#define HP_OBJECT_SCAN_H

#include "hprof/reader.h"
#include "base/thread_pool.h"

/* A stretch of whole, good sub-records of the chosen dump. */
struct hp_extent {
	uint64_t offset, end;
	uint64_t first; /* how many objects there are before it */
	uint64_t count; /* objects in it; class objects are not counted */
	bool mixed;	/* something else is in it, too: classes, roots */
};

struct hp_extents {
	struct hp_extent *items;
	size_t count, room;
	bool no_memory;
};
void hp_extents_done(struct hp_extents *extents);

/* Notes what comes behind all before, or begins anew: [OFFSET, END). */
void hp_extents_note(struct hp_extents *extents, uint64_t offset, uint64_t end,
		     uint64_t objects);
/* What was noted last is no object. */
void hp_extents_mix(struct hp_extents *extents);
/* Adds those of FROM. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_extents_append(struct hp_extents *to,
				    const struct hp_extents *from);
/* Brings them into file order, once all are there, and fills in first. */
void hp_extents_finalize(struct hp_extents *extents);

/* What is done with sub-records. STATE is that of one thread. */
struct hp_object_scan_ops {
	/*
	 * Takes whole sub-records of its kinds among SIZE bytes at P, which
	 * are at OFFSET in the dump; returns the bytes of these. The first one
	 * that it does not take comes to record.
	 */
	size_t (*scan)(void *state, uint64_t offset, const uint8_t *p,
		       size_t size);
	/*
	 * Any other sub-record; a long body is to be read by
	 * hprof_reader_body, or hp_reader_pass_body. False: the file ends
	 * inside it.
	 */
	bool (*record)(void *state, struct hprof_reader *reader,
		       const struct hprof_record *record);
	/* An extent begins; NULL in the first pass. */
	void (*begin)(void *state, const struct hp_extent *extent);
	/* The first pass: records that are no sub-records; may be NULL. */
	void (*top)(void *state, struct hprof_reader *reader,
		    const struct hprof_record *record);
	/* The first pass: objects so far, see struct hp_extent. */
	uint64_t (*objects)(const void *state);
	/* True: STATE has failed, the pass may end. */
	bool (*failed)(const void *state);
};

/* The first pass. EXTENTS may be NULL. */
struct hp_object_scan {
	const struct hp_object_scan_ops *ops;
	void *state;
	struct hp_extents *extents;
};

/*
 * Sub-records that READER stands at and that are taken in bulk, for some
 * megabytes.
 */
void hp_object_scan_bulk(const struct hp_object_scan *pass,
			 struct hprof_reader *reader);

/* The record that READER just handed out. */
void hp_object_scan_record(const struct hp_object_scan *pass,
			   struct hprof_reader *reader,
			   const struct hprof_record *record);

/*
 * Everything that READER yields from here on. HPROF_END; a failure, also of
 * the state (HPROF_E_NOMEM).
 */
enum hprof_status hp_object_scan_read(const struct hp_object_scan *pass,
				      struct hprof_reader *reader);

/* Who is told how far a pass is, and by what name. */
struct hp_say {
	const char *phase;
	hprof_progress_fn *progress; /* may be NULL */
	void *user;
};

/* A pass over extents. */
struct hp_object_rescan {
	const struct hprof_reader *parent; /* of all bytes; has pread */
	const struct hp_extents *extents;  /* settled */
	const struct hp_object_scan_ops *ops;
	void *const *states; /* one for each thread; may all be the same if 1 */
	unsigned threads;
	struct hp_say say;
};

/*
 * Hands each extent to one of the threads. HPROF_E_CORRUPT: the file is not
 * what it was. HPROF_E_NOMEM also if a state failed. HPROF_E_CANCELLED.
 */
enum hprof_status hp_object_rescan_run(const struct hp_object_rescan *pass,
				       struct hprof_error *error);

#endif
