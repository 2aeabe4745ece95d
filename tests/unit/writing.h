/* SPDX-License-Identifier: MIT */
/*
 * writing.h - what the tests of the writer share: copies in memory, and a
 * large dump made by the writer itself.
 */
#ifndef WRITING_H
#define WRITING_H

#include <hprof/reader.h>
#include <hprof/writer.h>

#include "fixture.h"

/* Puts all that READER gives to WRITER, header first; does not finish. */
enum hprof_status copy_records(struct hprof_reader *reader,
			       struct hprof_writer *writer);

/*
 * Copies the dump in BYTES, of any form, to OUT. EXACT is for both sides and
 * replaces what OPTIONS (may be NULL) say. The status is that of the side
 * that failed; *RET_INFO may be NULL.
 */
enum hprof_status copy_dump(const void *bytes, size_t size,
			    const struct hprof_writer_options *options,
			    bool exact, struct buffer *out,
			    struct hprof_reader_info *ret_info);

/*
 * The records of a plain dump, one after another as they stand in it, but
 * for heap records, their ends, and HEAP_DUMP_INFO: in its place each
 * sub-record is preceded by the heap that it belongs to.
 */
struct buffer record_stream(const void *bytes, size_t size);

/* Bytes that do not compress well, the same for the same SEED. */
void fill_noise(uint8_t *bytes, size_t size, uint32_t seed);

bool same(const struct buffer *a, const struct buffer *b);

/* HEAP_DUMP or HEAP_DUMP_SEGMENT of a body of SIZE bytes. */
struct hprof_record heap_record(unsigned tag, uint64_t size);

/* A byte[] of SIZE elements at DATA, which may be NULL for a later body. */
struct hprof_record byte_array(uint64_t id, const uint8_t *data,
			       uint64_t size);

/*
 * A header, a string, and a dump of about SIZE bytes in arrays of all sizes
 * around those that matter, in Android heaps that change.
 */
enum hprof_status put_large_dump(struct hprof_writer *writer, size_t size);

/* A new directory, entered: tests of one run have one each. Umask 022. */
void enter_directory(void);
struct buffer read_file(const char *path);
bool exists(const char *path); /* as lstat sees it */

/* A dump of a header only: 31 bytes. */
extern const struct hprof_header small_header;
enum hprof_status write_small(const char *path, struct hprof_error *error);

/* Every form of compression, with and without threads. */
enum { FORMS = 6 };
extern const struct hprof_writer_options forms[FORMS];

/* What put_large_dump makes, with OPTIONS. */
struct buffer large_dump(const struct hprof_writer_options *options,
			 size_t size);

/* True, with a report, if memory was lost so far; only known to sanitizers. */
bool memory_was_lost(void);

#endif
