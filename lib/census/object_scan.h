/* SPDX-License-Identifier: MIT */
/*
 * object_scan.h - passes over the sub-records of a dump: a first one with a
 * reader, which copes with any file; then any number of passes over the extents
 * that the first one recorded, with one or several threads.
 *
 * The first pass gives the reader's units to a pool of its own (see census.c);
 * this file has what both kinds of passes have in common.
 */
#ifndef HP_OBJECT_SCAN_H
#define HP_OBJECT_SCAN_H

#include "hprof/reader.h"
#include "base/thread_pool.h"

/* A range of whole, valid sub-records of the chosen dump. */
struct hp_extent {
	uint64_t offset, end;
	uint64_t first; /* the number of objects before it */
	uint64_t count; /* objects in it; class objects are not counted */
	bool mixed;	/* it also has other sub-records: classes, roots */
};

struct hp_extents {
	struct hp_extent *items;
	size_t count, room;
	bool no_memory;
};
void hp_extents_done(struct hp_extents *extents);

/* Adds [OFFSET, END) to the last extent if it follows it, or as a new one. */
void hp_extents_note(struct hp_extents *extents, uint64_t offset, uint64_t end,
		     uint64_t objects);
/* Marks the last extent as mixed: what was added last is not an object. */
void hp_extents_mix(struct hp_extents *extents);
/* Adds the extents of FROM. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_extents_append(struct hp_extents *to,
				    const struct hp_extents *from);
/* Called when all are added: sorts them by offset and computes first. */
void hp_extents_finalize(struct hp_extents *extents);

/* Whether RECORD is an instance or an array, and its id. */
bool hp_is_object_record(const struct hprof_record *record, uint64_t *ret_id);

/* Callbacks for sub-records. STATE is the state of one thread. */
struct hp_object_scan_ops {
	/*
	 * Processes whole sub-records of the kinds that it knows, from P on.
	 * The SIZE bytes at P are at OFFSET in the dump. Returns how many bytes
	 * it has processed. The next sub-record is passed to record.
	 */
	size_t (*scan)(void *state, uint64_t offset, const uint8_t *p,
		       size_t size);
	/*
	 * Processes any other sub-record. Must read a long body with
	 * hprof_reader_body or hp_reader_pass_body. False: the file ends inside
	 * the body.
	 */
	bool (*record)(void *state, struct hprof_reader *reader,
		       const struct hprof_record *record);
	/* Called at the start of an extent; NULL in the first pass. */
	void (*begin)(void *state, const struct hp_extent *extent);
	/* In the first pass: top-level records; may be NULL. */
	void (*top)(void *state, struct hprof_reader *reader,
		    const struct hprof_record *record);
	/* In the first pass: objects so far, see struct hp_extent. */
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
 * Processes sub-records at the position of READER in bulk, for a few megabytes.
 */
void hp_object_scan_bulk(const struct hp_object_scan *pass,
			 struct hprof_reader *reader);

/* Processes the record that READER has just returned. */
void hp_object_scan_record(const struct hp_object_scan *pass,
			   struct hprof_reader *reader,
			   const struct hprof_record *record);

/*
 * Processes everything that READER returns from now on. Returns HPROF_END, or a
 * failure of the reader or the state (HPROF_E_NOMEM).
 */
enum hprof_status hp_object_scan_read(const struct hp_object_scan *pass,
				      struct hprof_reader *reader);

/* The progress function of a pass, and the name of its phase. */
struct hp_say {
	const char *phase;
	hprof_progress_fn *progress; /* may be NULL */
	void *user;
};

/* A pass over extents. */
struct hp_object_rescan {
	const struct hprof_reader *parent; /* of all bytes; has pread */
	const struct hp_extents *extents;  /* finalized */
	const struct hp_object_scan_ops *ops;
	void *const *states; /* one for each thread; may all be the same if 1 */
	unsigned threads;
	struct hp_say say;
};

/*
 * Gives each extent to one of the threads. HPROF_E_CORRUPT: the file has
 * changed. HPROF_E_NOMEM: also if a state failed. HPROF_E_CANCELLED.
 */
enum hprof_status hp_object_rescan_run(const struct hp_object_rescan *pass,
				       struct hprof_error *error);

#endif
