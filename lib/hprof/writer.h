/* SPDX-License-Identifier: MIT */
/*
 * hprof/writer.h - writes a dump, record by record, to any output.
 *
 * The writer is the counterpart of the reader and takes the records that the
 * reader returns. So a copy, even of a damaged dump, is `while
 * hprof_reader_next: hprof_copy_record`. The writer goes back in its output
 * only to correct a record that turns out to be cut. Its arguments are checked
 * in every build: an inconsistent record, a record in the wrong
 * place, and a body that is too short or too long are refused with
 * HPROF_E_USAGE, which writes nothing and leaves the writer usable.
 *
 * Threads: a writer may be used by one thread at a time.
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
	HPROF_GZIP, /* like HotSpot: members of at most 1 MiB, a comment */
	HPROF_ZSTD,
	HPROF_XZ
};

struct hprof_writer_options {
	size_t size; /* sizeof(struct hprof_writer_options) */
	enum hprof_compression compression;
	int level; /* of the compressor; 0: its default */
	/*
	 * Threads that compress; 0: as many as CPUs that the process may use,
	 * at most 8. With 1, no thread is started.
	 */
	unsigned threads;
	/*
	 * Permission bits of a new file; 0: 0666 less the umask. This and the
	 * last three members are for hprof_writer_create only.
	 */
	unsigned mode;
	/*
	 * Keep the segments as they are put, with their lengths and times.
	 * Otherwise the writer makes its own segments of at most 1 MiB (a
	 * larger sub-record gets one for itself), writes HEAP_DUMP_END, and
	 * changes "1.0.1" in the header to "1.0.2", which segments need.
	 */
	bool exact;

	/* For hprof_writer_create, and its regular files. */

	/*
	 * PATH must not exist, not even as a pipe or a device: HPROF_E_SYS with
	 * EEXIST at once, or in hprof_writer_finish if it was created since.
	 */
	bool new_only;
	/*
	 * If the writer is freed unfinished, keep PATH.part with everything
	 * that was put so far, if anything was.
	 */
	bool keep_part;
	/*
	 * Rename at once, without waiting until all data is on the disk: after
	 * a power failure the file may be truncated or empty.
	 */
	bool no_sync;
	unsigned char reserved[4]; /* must be 0 */
};

struct hprof_writer;

/*
 * Writes to PATH.part, which hprof_writer_finish renames to PATH; a file that
 * is replaced passes on its mode. If the writer is freed before that, the part
 * file is removed, unless the options say otherwise. If PATH is a symbolic
 * link, its target is replaced. An old PATH.part is removed; one that another
 * writer has locked is an error. An existing PATH that is not a regular file (a
 * pipe, a device) is written to directly. OPTIONS and RET_ERROR may be NULL.
 */
HPROF_API enum hprof_status hprof_writer_create(
	const char *path, const struct hprof_writer_options *options,
	struct hprof_writer **ret_writer, struct hprof_error *ret_error);

/* Writes to an open, blocking descriptor, which the caller still owns. */
HPROF_API enum hprof_status
hprof_writer_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_writer **ret_writer,
		     struct hprof_error *ret_error);

/*
 * A function that writes all SIZE bytes. Returns 0, or -1 with errno set. It is
 * called from the thread that calls the writer, and not again after a failure.
 */
typedef int hprof_write_fn(void *user, const void *bytes, size_t size);
HPROF_API enum hprof_status
hprof_writer_open_callback(hprof_write_fn *write, void *write_user,
			   const struct hprof_writer_options *options,
			   struct hprof_writer **ret_writer,
			   struct hprof_error *ret_error);

/* Puts the file header, once, before anything else. id_size must be 4 or 8. */
HPROF_API enum hprof_status
hprof_writer_header(struct hprof_writer *writer,
		    const struct hprof_header *header);

/*
 * Puts one record or sub-record. If its long field has no data (which is how
 * the reader returns large bodies), exactly its size in bytes must follow by
 * hprof_writer_body before the next put.
 *
 * HEAP_DUMP and HEAP_DUMP_SEGMENT come without a body, and their sub-records
 * follow. If the writer is exact, u.heap_dump.body.size is the length, and the
 * sub-records must fill it (for a HEAP_DUMP, modulo 4 GiB). A length of 0 is
 * written as it is, whatever follows, as in an unfinished dump. If the writer
 * is not exact, they only say that a heap record begins, and may be left out
 * before the first sub-record; a sub-record of 4 GiB or more is refused.
 *
 * HPROF_STRAY and HPROF_UNIT are not records: see hprof_writer_raw.
 *
 * HPROF_E_USAGE: refused, nothing was written. HPROF_E_SYS and HPROF_E_NOMEM
 * are final: every further call returns the same.
 */
HPROF_API enum hprof_status hprof_writer_put(struct hprof_writer *writer,
					     const struct hprof_record *record);

/* Writes the next SIZE bytes of the body that hprof_writer_put left open. */
HPROF_API enum hprof_status hprof_writer_body(struct hprof_writer *writer,
					      const void *bytes, size_t size);

/*
 * Ends the body that hprof_writer_put left open early, because the input is
 * truncated. If at most 1 MiB is missing, zeros replace it. Otherwise the record
 * ends with what was put of it: its length or count of elements is corrected,
 * so that the dump stays valid, and more records may follow.
 *
 * The beginning of the record is held back for 1 MiB of its body, and can be
 * corrected later only in a part file without compression (see
 * hprof_writer_create). Elsewhere the output then ends inside the record, as the
 * input does: hprof_writer_put refuses all further records, hprof_writer_finish
 * succeeds without HEAP_DUMP_END. HPROF_E_USAGE: no body is open, or the
 * writer is exact.
 */
HPROF_API enum hprof_status hprof_writer_body_cut(struct hprof_writer *writer);

struct hprof_reader;

/*
 * Puts RECORD, which READER has just returned, and all of its body, or the
 * bytes of HPROF_STRAY. If the input ends inside the body, the record is ended
 * as by hprof_writer_body_cut; if the size of the input is known (a file or
 * memory that is not compressed), a length that exceeds it by more than 1 MiB is
 * corrected beforehand. So a copy is never larger than what was read by more
 * than 1 MiB for its last record. In an exact writer the body stays open, so
 * that hprof_writer_finish fails.
 *
 * Only failures of the writer are returned; hprof_writer_error has the details.
 * If the reader fails, this returns HPROF_OK, and hprof_reader_next returns the
 * failure.
 */
HPROF_API enum hprof_status
hprof_copy_record(struct hprof_reader *reader, struct hprof_writer *writer,
		  const struct hprof_record *record);

/*
 * Writes bytes that are no record at the end of the file: what the reader
 * returns as HPROF_STRAY. The writer must be exact, and no record may follow.
 */
HPROF_API enum hprof_status hprof_writer_raw(struct hprof_writer *writer,
					     const void *bytes, size_t size);

/*
 * Ends the dump and the file: compressors are flushed, PATH.part is synced to
 * the disk and renamed.
 * HPROF_E_USAGE: something is incomplete (a body, an exact segment), or no
 * header was put.
 */
HPROF_API enum hprof_status hprof_writer_finish(struct hprof_writer *writer);

/*
 * Frees the writer; NULL is fine. An unfinished file is removed, unless
 * keep_part is set.
 */
HPROF_API void hprof_writer_free(struct hprof_writer *writer);

/* Why the last call failed. Lives as long as the writer. */
HPROF_API const struct hprof_error *
hprof_writer_error(const struct hprof_writer *writer);

/* The number of bytes of the dump so far, before compression. */
HPROF_API uint64_t hprof_writer_size(const struct hprof_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
