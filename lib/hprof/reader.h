/* SPDX-License-Identifier: MIT */
/*
 * hprof/reader.h - reads a dump, record by record, from any input.
 *
 * A reader never trusts its input. It continues wherever the format allows and
 * reports what is wrong as diagnostics (hprof(5) explains the quirks). With
 * option strict it stops at the first error.
 *
 * Threads: a reader may be used by one thread at a time. Readers of units
 * (below) may run in parallel with their parent and with each other.
 */
#ifndef HPROF_READER_H
#define HPROF_READER_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/record.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_severity {
	HPROF_NOTE = 0,	   /* a peculiarity of the program that wrote it */
	HPROF_WARNING = 1, /* odd, but nothing is lost */
	HPROF_ERROR = 2	   /* content is lost */
};

/*
 * Something in a dump that is not as it should be. code is a short stable word
 * ("truncated", "unknown-sub-record"), which hprof_check_code describes by
 * number, unless only hprof_convert reports it. text is a lower-case sentence
 * without full stop, escaped. Both are valid during the callback, or as long as
 * the owner says.
 */
struct hprof_diagnostic {
	enum hprof_severity severity;
	uint32_t number; /* of the code, from 0; may differ between versions */
	const char *code;
	uint64_t offset; /* in the uncompressed dump; UINT64_MAX: no offset */
	const char *text;
};

typedef void hprof_diagnostic_fn(void *user,
				 const struct hprof_diagnostic *diagnostic);

struct hprof_reader_options {
	size_t size; /* sizeof(struct hprof_reader_options) */
	/* Stop with HPROF_E_CORRUPT or _TRUNCATED at the first error. */
	bool strict;
	/*
	 * Return units (below) instead of the sub-records in them, wherever the
	 * input allows.
	 */
	bool units;
	/*
	 * If the input cannot be read at random, keep a copy of the
	 * uncompressed bytes in an unlinked temporary file, for example to read
	 * again what came through a pipe. See hprof_reader_copy.
	 */
	bool keep_copy;
	/*
	 * For an exact copy: return the records of all dumps, and bytes that
	 * are no record as HPROF_STRAY, up to the end of the input.
	 */
	bool exact;
	unsigned char reserved[4]; /* must be 0 */
	/* Called for each diagnostic, in the thread that reads; may be NULL. */
	hprof_diagnostic_fn *diagnostic;
	void *user;
};

/*
 * The pseudo-record of stray bytes in exact mode. u.unknown.body has no data
 * and a size of UINT64_MAX; read it with hprof_reader_body to its end.
 */
#define HPROF_STRAY 0x201

struct hprof_reader;

/*
 * Opens INPUT and reads the header of the file. OPTIONS may be NULL.
 * *RET_READER is owned by the caller; free it with hprof_reader_close. On
 * failure *RET_ERROR (may be NULL) says why; for HPROF_E_AMBIGUOUS its text
 * lists the members.
 *
 * The input's progress is called by hprof_reader_next and hprof_reader_body
 * about every 4 MiB of the dump, with the phase "records", in bytes of the
 * file; once it has returned false, these functions return HPROF_E_CANCELLED.
 * The input's threads are used for decompression only.
 */
HPROF_API enum hprof_status
hprof_reader_open(const struct hprof_input *input,
		  const struct hprof_reader_options *options,
		  struct hprof_reader **ret_reader,
		  struct hprof_error *ret_error);

/* Frees the reader; NULL is fine. Readers of its units must be closed first. */
HPROF_API void hprof_reader_close(struct hprof_reader *reader);

/* The file header; lives as long as the reader. */
HPROF_API const struct hprof_header *
hprof_reader_header(const struct hprof_reader *reader);

/*
 * The next record. HEAP_DUMP and HEAP_DUMP_SEGMENT come without a body and are
 * followed by their sub-records. Heap records of dumps that were not chosen are
 * left out; all other records are returned. Data that RET_RECORD points to is
 * borrowed until the next call on this reader.
 *
 * HPROF_END at the end, even of a damaged dump. Failures are sticky:
 * HPROF_E_SYS, HPROF_E_NOMEM, HPROF_E_CANCELLED, and in strict mode
 * HPROF_E_CORRUPT or HPROF_E_TRUNCATED; hprof_reader_error has the details.
 */
HPROF_API enum hprof_status hprof_reader_next(struct hprof_reader *reader,
					      struct hprof_record *ret_record);

/*
 * The next bytes, up to ROOM, of the current record's long field (the one
 * whose data is NULL and whose size is not 0). At its end *RET_READ is 0 even
 * if ROOM is not. Bytes that are not read are skipped at no cost.
 *
 * HPROF_E_TRUNCATED: the input ends inside the field. That is not a failure of
 *   the reader: hprof_reader_next continues, reports the damage and returns
 *   HPROF_END (in strict mode it fails).
 * HPROF_E_USAGE: there is no current record, or it has no such field.
 * Any other failure of the reader is sticky.
 */
HPROF_API enum hprof_status hprof_reader_body(struct hprof_reader *reader,
					      void *buffer, size_t room,
					      size_t *ret_read);

/*
 * The descriptor of the copy that option keep_copy requests, with the bytes
 * read so far; it lives as long as the reader. -1: no copy was needed.
 */
HPROF_API int hprof_reader_copy(const struct hprof_reader *reader);

/* Why the last call failed. Lives as long as the reader. */
HPROF_API const struct hprof_error *
hprof_reader_error(const struct hprof_reader *reader);

/* What is known about the input as a whole, so far. */
struct hprof_reader_info {
	const char *container; /* "plain", "gzip", "gzip (HotSpot)" ... */
	const char *member;    /* of an archive, escaped; else NULL */
	uint64_t file_size;    /* 0: not known (a pipe) */
	uint64_t file_read;    /* bytes of it read so far; for progress */
	uint64_t bytes_read;   /* uncompressed, up to the current record */
	unsigned dump;	       /* the number of the dump being read */
	unsigned dump_count;   /* final once HPROF_END was returned */
	bool complete;	       /* that dump had its END or a whole HEAP_DUMP */
	bool truncated;
	uint64_t errors, warnings, notes;
};
HPROF_API void hprof_reader_get_info(const struct hprof_reader *reader,
				     struct hprof_reader_info *ret_info);

/* ---- units: parts of a dump that can be read in parallel ---------------- */

/*
 * The pseudo-record of a unit; u.unit_index is not used, get the unit with
 * hprof_reader_unit. A unit is a run of heap sub-records: whole segments, or
 * a part of one large record whose start was found by a chain of valid
 * sub-records.
 */
#define HPROF_UNIT 0x200

struct hprof_unit {
	uint64_t offset; /* of the first record header or sub-record */
	uint64_t end;	 /* behind the last one */
	bool in_record;	 /* starts with a sub-record, not with a header */
	bool ends_in_record;
	unsigned id_size;
};

/* The unit that hprof_reader_next has just returned. */
HPROF_API enum hprof_status hprof_reader_unit(const struct hprof_reader *reader,
					      struct hprof_unit *ret_unit);

/*
 * Opens a reader for one unit, for use by one thread, not necessarily the
 * parent's. PARENT must outlive it. It returns the segments' records and
 * sub-records with their true offsets. Close it with hprof_reader_close.
 */
HPROF_API enum hprof_status hprof_reader_open_unit(
	const struct hprof_reader *parent, const struct hprof_unit *unit,
	const struct hprof_reader_options *options,
	struct hprof_reader **ret_reader, struct hprof_error *ret_error);

/*
 * True once a unit's reader has returned HPROF_END exactly at the unit's end.
 * Otherwise the start of the next unit is not proved to be right, and a careful
 * caller reads the dump again without units.
 */
HPROF_API bool hprof_reader_unit_proved(const struct hprof_reader *unit_reader);

#ifdef __cplusplus
}
#endif

#endif
