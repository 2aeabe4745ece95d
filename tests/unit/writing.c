/* SPDX-License-Identifier: MIT */
/*
 * writing.c - what the tests of the writer share.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../inputs.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>

bool memory_was_lost(void)
{
	return __lsan_do_recoverable_leak_check() != 0;
}
#else
bool memory_was_lost(void)
{
	return false;
}
#endif

/* ---- copies -------------------------------------------------------------- */

enum hprof_status copy_records(struct hprof_reader *reader,
			       struct hprof_writer *writer)
{
	struct hprof_record record;
	enum hprof_status got = HPROF_OK;
	enum hprof_status put =
		hprof_writer_header(writer, hprof_reader_header(reader));

	while (put == HPROF_OK &&
	       (got = hprof_reader_next(reader, &record)) == HPROF_OK)
		put = hprof_copy_record(reader, writer, &record);
	return got < 0 ? got : put;
}

enum hprof_status copy_dump(const void *bytes, size_t size,
			    const struct hprof_writer_options *options,
			    bool exact, struct buffer *out,
			    struct hprof_reader_info *ret_info)
{
	struct hprof_reader_options in = { .size = sizeof in, .exact = exact };
	struct hprof_writer_options o = { .size = sizeof o };
	struct hprof_reader *reader = NULL;
	struct hprof_writer *writer = NULL;
	enum hprof_status status;

	if (options)
		o = *options;
	o.exact = exact;
	status = hprof_reader_open(INPUT_MEMORY(bytes, size), &in, &reader,
				   NULL);
	if (status == HPROF_OK)
		status = hprof_writer_open_callback(buffer_add, out, &o,
						    &writer, NULL);
	if (status == HPROF_OK)
		status = copy_records(reader, writer);
	if (status == HPROF_OK && ret_info)
		hprof_reader_get_info(reader, ret_info);
	if (status == HPROF_OK)
		status = hprof_writer_finish(writer);
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	return status;
}

/* ---- records ------------------------------------------------------------- */

struct buffer record_stream(const void *bytes, size_t size)
{
	struct buffer stream = { 0 };
	struct hprof_reader *reader;
	struct hprof_record record;
	struct hprof_heap_dump_info heap = { 0 };

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(bytes, size), NULL, &reader,
				       NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &record) == HPROF_OK) {
		uint64_t length;
		switch (record.tag) {
		case HPROF_HEAP_DUMP:
		case HPROF_HEAP_DUMP_SEGMENT:
			memset(&heap, 0, sizeof heap);
			continue;
		case HPROF_HEAP_DUMP_END:
			continue;
		case HPROF_HEAP_DUMP_INFO:
			heap = record.u.heap_dump_info;
			continue;
		}
		if (record.tag >= HPROF_SUB) {
			buffer_add(&stream, &heap.heap, sizeof heap.heap);
			buffer_add(&stream, &heap.name_id, sizeof heap.name_id);
		}
		cr_assert_eq(
			hprof_record_size(&record,
					  hprof_reader_header(reader)->id_size,
					  &length),
			HPROF_OK);
		cr_assert_leq(record.offset + length, size);
		buffer_add(&stream, (const uint8_t *)bytes + record.offset,
			   (size_t)length);
	}
	hprof_reader_close(reader);
	return stream;
}

/* ---- a large dump -------------------------------------------------------- */

void fill_noise(uint8_t *bytes, size_t size, uint32_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

bool same(const struct buffer *a, const struct buffer *b)
{
	return a->size == b->size &&
	       (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

struct hprof_record heap_record(unsigned tag, uint64_t size)
{
	return (struct hprof_record){ .tag = (uint16_t)tag,
				      .u.heap_dump.body.size = size };
}

struct hprof_record byte_array(uint64_t id, const uint8_t *data, uint64_t size)
{
	return (struct hprof_record){ .tag = HPROF_PRIM_ARRAY_DUMP,
				      .u.prim_array_dump = {
					      .object_id = id,
					      .count = (uint32_t)size,
					      .type = HPROF_TYPE_BYTE,
					      .elements = { data, size } } };
}

/* Sizes of whole sub-records; an id of 4 bytes, and 10 more, are not data. */
static const size_t sizes[] = { 14,
				15,
				1000,
				77777,
				(1 << 19) - 1,
				1 << 19,
				(1 << 19) + 1,
				(1 << 20) - 10,
				(1 << 20) - 9,
				(1 << 20) - 8,
				1 << 20,
				(1 << 20) + 1,
				20,
				(5 << 19) + 3,
				30,
				(1 << 18) + 5 };

static enum hprof_status put_one(struct hprof_writer *w, uint32_t number)
{
	size_t size = sizes[number % (sizeof sizes / sizeof sizes[0])] - 14;
	uint8_t *data = calloc(1, size + 1);
	struct hprof_record array = byte_array(number, data, size);
	struct hprof_record info = { .tag = HPROF_HEAP_DUMP_INFO,
				     .u.heap_dump_info = { number, 1 } };
	bool later = number % 2 == 0 && size > 0;
	enum hprof_status status = HPROF_OK;

	fill_noise(data, size, number);
	if (later)
		array.u.prim_array_dump.elements.data = NULL;
	if (number % 3 == 0)
		status = hprof_writer_put(w, &info);
	if (status == HPROF_OK)
		status = hprof_writer_put(w, &array);
	/* In three pieces, of which one is empty. */
	if (status == HPROF_OK && later)
		status = hprof_writer_body(w, data, size / 3);
	if (status == HPROF_OK && later)
		status = hprof_writer_body(w, NULL, 0);
	if (status == HPROF_OK && later)
		status = hprof_writer_body(w, data + size / 3, size - size / 3);
	free(data);
	return status;
}

enum hprof_status put_large_dump(struct hprof_writer *w, size_t size)
{
	static const struct hprof_header header = { "JAVA PROFILE 1.0.3", 4,
						    1 };
	struct hprof_record string = {
		.tag = HPROF_UTF8,
		.u.utf8 = { 1, { (const uint8_t *)"app", 3 } }
	};
	enum hprof_status status = hprof_writer_header(w, &header);

	if (status == HPROF_OK)
		status = hprof_writer_put(w, &string);
	for (uint32_t i = 1; status == HPROF_OK && hprof_writer_size(w) < size;
	     i++)
		status = put_one(w, i);
	return status;
}

/* ---- files --------------------------------------------------------------- */

void enter_directory(void)
{
	static char name[] = "writer-XXXXXX";

	cr_assert_not_null(mkdtemp(name));
	cr_assert_eq(chdir(name), 0);
	umask(022);
}

struct buffer read_file(const char *path)
{
	struct buffer bytes = { 0 };
	char piece[65536];
	size_t n;
	FILE *file = fopen(path, "rb");

	cr_assert_not_null(file, "%s", path);
	while ((n = fread(piece, 1, sizeof piece, file)) > 0)
		buffer_add(&bytes, piece, n);
	fclose(file);
	return bytes;
}

bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

const struct hprof_header small_header = { "JAVA PROFILE 1.0.2", 4, 0 };

enum hprof_status write_small(const char *path, struct hprof_error *error)
{
	struct hprof_writer *w;
	enum hprof_status status = hprof_writer_create(path, NULL, &w, error);

	if (status != HPROF_OK)
		return status;
	cr_assert_eq(hprof_writer_header(w, &small_header), HPROF_OK);
	status = hprof_writer_finish(w);
	if (error)
		*error = *hprof_writer_error(w);
	hprof_writer_free(w);
	return status;
}

/* ---- forms --------------------------------------------------------------- */

const struct hprof_writer_options forms[FORMS] = {
	{ .size = sizeof forms[0] },
	{ .size = sizeof forms[0], .compression = HPROF_GZIP },
	{ .size = sizeof forms[0], .compression = HPROF_GZIP, .threads = 3 },
	{ .size = sizeof forms[0], .compression = HPROF_ZSTD },
	{ .size = sizeof forms[0], .compression = HPROF_ZSTD, .threads = 2 },
	{ .size = sizeof forms[0], .compression = HPROF_XZ, .level = 1 },
};

struct buffer large_dump(const struct hprof_writer_options *options,
			 size_t size)
{
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(
		hprof_writer_open_callback(buffer_add, &out, options, &w, NULL),
		HPROF_OK);
	cr_assert_eq(put_large_dump(w, size), HPROF_OK);
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	cr_assert(options || hprof_writer_size(w) == out.size);
	hprof_writer_free(w);
	return out;
}
