/* SPDX-License-Identifier: MIT */
/*
 * writing.h - shared by the tests of the writer: copies in memory, and a large
 * dump made by the writer itself.
 */
#ifndef WRITING_H
#define WRITING_H

#include <hprof/reader.h>
#include <hprof/writer.h>

#include "fixture.h"

/* Writes all records of READER, header first; does not finish WRITER. */
enum hprof_status copy_records(struct hprof_reader *reader,
			       struct hprof_writer *writer);

/*
 * Copies the dump in BYTES, of any form, to OUT. EXACT applies to reader and
 * writer and overrides OPTIONS, which may be NULL. Returns the status of the
 * one that failed. RET_INFO may be NULL.
 */
enum hprof_status copy_dump(const void *bytes, size_t size,
			    const struct hprof_writer_options *options,
			    bool exact, struct buffer *out,
			    struct hprof_reader_info *ret_info);

/*
 * The bytes of all records of a plain dump in order, without heap records,
 * their ends and HEAP_DUMP_INFO; instead, each sub-record is preceded by the
 * heap to which it belongs.
 */
struct buffer record_stream(const void *bytes, size_t size);

/* Bytes that do not compress well, the same for the same SEED. */
void fill_noise(uint8_t *bytes, size_t size, uint32_t seed);

bool same(const struct buffer *a, const struct buffer *b);

/* HEAP_DUMP or HEAP_DUMP_SEGMENT of a body of SIZE bytes. */
struct hprof_record heap_record(unsigned tag, uint64_t size);

/* A byte[] of SIZE elements at DATA; NULL if the body is written later. */
struct hprof_record byte_array(uint64_t id, const uint8_t *data, uint64_t size);

/*
 * Writes a header, a string, and a dump of about SIZE bytes: arrays with sizes
 * around all limits of the writer, in alternating Android heaps.
 */
enum hprof_status put_large_dump(struct hprof_writer *writer, size_t size);

/* Makes and enters a new directory for this test; sets the umask to 022. */
void enter_directory(void);
struct buffer read_file(const char *path);
bool exists(const char *path); /* as lstat sees it */

/* A dump of a header only: 31 bytes. */
extern const struct hprof_header small_header;
enum hprof_status write_small(const char *path, struct hprof_error *error);

/* Every form of compression, with and without threads. */
enum { FORMS = 6 };
extern const struct hprof_writer_options forms[FORMS];

/* The dump of put_large_dump, written with OPTIONS. */
struct buffer large_dump(const struct hprof_writer_options *options,
			 size_t size);

/* True, with a report, if a sanitizer has found a leak; else false. */
bool memory_was_lost(void);

#endif
