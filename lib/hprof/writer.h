/* SPDX-License-Identifier: MIT */
/*
 * hprof/writer.h - writes a dump, record by record, to anything.
 *
 * The writer is the reader's mirror: it takes the records that the reader
 * hands out, so a copy is `while hprof_reader_next: hprof_copy_record`, of a
 * damaged dump, too. It never seeks. What it is given
 * is checked in every build: a record that contradicts itself, a record in
 * the wrong place, a body that is too short or too long is refused with
 * HPROF_E_USAGE, writes nothing, and leaves the writer usable.
 *
 * Threads: one writer, one thread at a time.
 */
#ifndef HPROF_WRITER_H
#define HPROF_WRITER_H

#include <hprof/error.h>
#include <hprof/record.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_compression {
	HPROF_PLAIN,
	HPROF_GZIP, /* as HotSpot: members of at most 1 MiB, a comment */
	HPROF_ZSTD,
	HPROF_XZ
};

struct hprof_writer_options {
	size_t size; /* sizeof(struct hprof_writer_options) */
	enum hprof_compression compression;
	int level; /* of the compressor; 0: its default */
	/*
	 * That compress; 0: the CPUs that the process may use, at most 8. With
	 * 1 there is only the caller's.
	 */
	unsigned threads;
	/*
	 * For hprof_writer_create, as are the last three members: permission
	 * bits of a new file; 0: 0666 less the umask.
	 */
	unsigned mode;
	/*
	 * Keep the segments that are put, with their lengths and times. Else
	 * the writer makes its own, of at most 1 MiB (a larger sub-record has
	 * one for itself), writes HEAP_DUMP_END, and "1.0.1" in the header
	 * becomes "1.0.2", which segments need.
	 */
	bool exact;

	/* For hprof_writer_create, and its regular files. */

	/*
	 * PATH must not exist, not as a pipe or a device either: HPROF_E_SYS
	 * with EEXIST, now, or in hprof_writer_finish if it came meanwhile.
	 */
	bool new_only;
	/*
	 * Freed unfinished, PATH.part stays with all that was put so far,
	 * once anything was.
	 */
	bool keep_part;
	/*
	 * Rename at once, without waiting until the disk has all of it: after
	 * a power failure the file may be there and cut or empty.
	 */
	bool no_sync;
	unsigned char reserved[4]; /* must be 0 */
};

struct hprof_writer;

/*
 * Writes to PATH.part, which becomes PATH (with the mode of a file that it
 * replaces) in hprof_writer_finish; freed before that, nothing is left, unless
 * the options say so. Of a symbolic link, the file that it leads to is
 * replaced. A PATH.part that was left over is removed; one that another writer
 * has locked is refused. A PATH that exists and is no regular file (a pipe, a
 * device) is written to directly. OPTIONS may be NULL, so may RET_ERROR.
 */
HPROF_API enum hprof_status hprof_writer_create(
	const char *path, const struct hprof_writer_options *options,
	struct hprof_writer **ret_writer, struct hprof_error *ret_error);

/* To an open, blocking descriptor, which stays the caller's. */
HPROF_API enum hprof_status
hprof_writer_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_writer **ret_writer,
		     struct hprof_error *ret_error);

/*
 * To a function that takes all SIZE bytes: 0, or -1 with errno set. It is
 * called from the thread that calls the writer, and not again once it failed.
 */
typedef int hprof_write_fn(void *user, const void *bytes, size_t size);
HPROF_API enum hprof_status
hprof_writer_open_callback(hprof_write_fn *write, void *write_user,
			   const struct hprof_writer_options *options,
			   struct hprof_writer **ret_writer,
			   struct hprof_error *ret_error);

/* The file header, once, before anything else. id_size must be 4 or 8. */
HPROF_API enum hprof_status
hprof_writer_header(struct hprof_writer *writer,
		    const struct hprof_header *header);

/*
 * One record or sub-record. If its long field has no data (as the reader
 * hands out large bodies), exactly its size must follow by hprof_writer_body
 * before the next put.
 *
 * HEAP_DUMP and HEAP_DUMP_SEGMENT come without body, their sub-records
 * follow. Exact: u.heap_dump.body.size is the length, and the sub-records
 * must fill it (of a HEAP_DUMP, modulo 4 GiB); a length of 0 is written as it
 * is, whatever follows, as in a dump that was not finished. Otherwise they
 * only say that a heap record begins, and may be left out before the first
 * sub-record; one of 4 GiB or more is refused.
 *
 * HPROF_STRAY and HPROF_UNIT are no records: see hprof_writer_raw.
 *
 * HPROF_E_USAGE: refused, nothing written. HPROF_E_SYS, HPROF_E_NOMEM: the
 * writer is dead, every further call returns the same.
 */
HPROF_API enum hprof_status hprof_writer_put(struct hprof_writer *writer,
					     const struct hprof_record *record);

/* The next SIZE bytes of the body that hprof_writer_put left open. */
HPROF_API enum hprof_status hprof_writer_body(struct hprof_writer *writer,
					      const void *bytes, size_t size);

/*
 * There is no more of the body that hprof_writer_put left open: the input was
 * cut. The record ends so that the dump stays whole: with zeros for what is
 * missing if that is at most 1 MiB; else it becomes shorter, by its count of
 * elements or its length, unless its beginning has been written already, which
 * is the case once 1 MiB of the body came: then zeros fill it all the same.
 * HPROF_E_USAGE: no body is open, or the writer is exact.
 */
HPROF_API enum hprof_status hprof_writer_body_cut(struct hprof_writer *writer);

struct hprof_reader;

/*
 * Puts RECORD, which READER has just handed out, and all of its body; of
 * HPROF_STRAY the bytes. Where the input ends inside the body, the record ends
 * as by hprof_writer_body_cut; where the size of the input is known, a length
 * that exceeds it by more than 1 MiB is corrected at once. An exact writer is
 * left with the body open, so that hprof_writer_finish refuses.
 *
 * A failure is that of the writer, and hprof_writer_error has the details. If
 * the reader fails, this returns HPROF_OK, and hprof_reader_next the failure.
 */
HPROF_API enum hprof_status
hprof_copy_record(struct hprof_reader *reader, struct hprof_writer *writer,
		  const struct hprof_record *record);

/*
 * Exact: bytes that are no record, at the end of the file: what the reader
 * hands out as HPROF_STRAY. No record may follow.
 */
HPROF_API enum hprof_status hprof_writer_raw(struct hprof_writer *writer,
					     const void *bytes, size_t size);

/*
 * Ends the dump and the file: compressors are flushed, PATH.part is synced to
 * the disk and renamed.
 * HPROF_E_USAGE: something is unfinished (a body, an exact segment), or no
 * header was put.
 */
HPROF_API enum hprof_status hprof_writer_finish(struct hprof_writer *writer);

/*
 * Frees the writer; NULL is fine. Unless finished, no file is left, or with
 * keep_part PATH.part.
 */
HPROF_API void hprof_writer_free(struct hprof_writer *writer);

/* Why the last call failed. Lives as long as the writer. */
HPROF_API const struct hprof_error *
hprof_writer_error(const struct hprof_writer *writer);

/* Bytes of the dump so far, before compression. */
HPROF_API uint64_t hprof_writer_size(const struct hprof_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
