/* SPDX-License-Identifier: MIT */
/*
 * fuzz_roundtrip.c - reader to writer. What the reader takes without an error
 * is copied exactly, to the same bytes; and whatever it takes, in segments of
 * the writer's making, gives the same records again.
 */
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "../inputs.h"
#include "target.h"

struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

static void require(int holds)
{
	if (!holds)
		abort();
}

static int append(void *user, const void *bytes, size_t size)
{
	struct buffer *buffer = user;

	if (buffer->room - buffer->size < size) {
		size_t room = 2 * buffer->room + size;
		uint8_t *more = realloc(buffer->bytes, room);
		if (more == NULL)
			exit(2);
		buffer->bytes = more;
		buffer->room = room;
	}
	if (size > 0)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	return 0;
}

/* ---- copies -------------------------------------------------------------- */

struct copied {
	enum hprof_status read, written;
	int has_prefix;	 /* bytes before the header, which are not copied */
	int has_unknown; /* records that are believed by what follows them */
	int is_plain;
	struct hprof_reader_info info;
	struct buffer out;
};

static void note(void *user, const struct hprof_diagnostic *diagnostic)
{
	struct copied *copied = user;

	if (strcmp(diagnostic->code, "leading-bytes") == 0)
		copied->has_prefix = 1;
	if (strcmp(diagnostic->code, "unknown-record") == 0)
		copied->has_unknown = 1;
}

static enum hprof_status copy_body(struct hprof_reader *reader,
				   struct hprof_writer *writer, int stray)
{
	uint8_t piece[1000];
	size_t got;

	while (hprof_reader_body(reader, piece, sizeof(piece), &got) ==
		       HPROF_OK &&
	       got > 0) {
		enum hprof_status status =
			stray ? hprof_writer_raw(writer, piece, got)
			      : hprof_writer_body(writer, piece, got);
		if (status != HPROF_OK)
			return status;
	}
	return HPROF_OK;
}

static void copy_records(struct hprof_reader *reader,
			 struct hprof_writer *writer, struct copied *copied)
{
	struct hprof_record record;

	copied->written =
		hprof_writer_header(writer, hprof_reader_header(reader));
	while ((copied->read = hprof_reader_next(reader, &record)) ==
	       HPROF_OK) {
		int stray = record.tag == HPROF_STRAY;
		if (copied->written == HPROF_OK && !stray)
			copied->written = hprof_writer_put(writer, &record);
		if (copied->written == HPROF_OK)
			copied->written = copy_body(reader, writer, stray);
	}
	hprof_reader_get_info(reader, &copied->info);
	copied->is_plain = strcmp(copied->info.container, "plain") == 0;
	if (copied->written == HPROF_OK)
		copied->written = hprof_writer_finish(writer);
}

/* 0 if there is nothing to copy. Free copied->out. */
static int copy(const uint8_t *bytes, size_t size, bool exact,
		struct copied *copied)
{
	struct hprof_reader_options in = { .size = sizeof(in),
					   .exact = exact,
					   .diagnostic = note,
					   .user = copied };
	struct hprof_writer_options out = { .size = sizeof(out),
					    .exact = exact };
	struct hprof_reader *reader;
	struct hprof_writer *writer;

	memset(copied, 0, sizeof(*copied));
	if (hprof_reader_open(INPUT_MEMORY(bytes, size), &in, &reader, NULL) !=
	    HPROF_OK)
		return 0;
	if (hprof_writer_open_callback(append, &copied->out, &out, &writer,
				       NULL) != HPROF_OK)
		exit(2);
	copy_records(reader, writer, copied);
	/* It may be refused, but what is there must be accounted for. */
	if (copied->written == HPROF_OK)
		require(hprof_writer_size(writer) == copied->out.size);
	else
		require(copied->written == HPROF_E_USAGE);
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	return 1;
}

static void identity(const uint8_t *bytes, size_t size)
{
	struct copied copied;

	if (copy(bytes, size, true, &copied) && copied.info.errors == 0 &&
	    copied.read == HPROF_END) {
		require(copied.written == HPROF_OK);
		if (copied.is_plain) {
			require(copied.out.size <= size);
			require(memcmp(copied.out.bytes,
				       bytes + size - copied.out.size,
				       copied.out.size) == 0);
			require(copied.has_prefix || copied.out.size == size);
		}
	}
	free(copied.out.bytes);
}

/* ---- the same records ---------------------------------------------------- */

/* The long field of a record, which may not be loaded. */
static struct hprof_bytes *long_field(struct hprof_record *record)
{
	const struct hprof_record_info *info =
		hprof_record_describe(record->tag);

	if (info == NULL)
		return &record->u.unknown.body;
	const struct hprof_field_info *last =
		&info->fields[info->field_count - 1];
	if (info->field_count == 0 || last->kind < HPROF_KIND_REST ||
	    last->kind == HPROF_KIND_CLASS)
		return NULL;
	return (struct hprof_bytes *)((char *)record + last->offset);
}

/* Encodes a record, its body read; only the heap that it is in otherwise. */
static void add_record(struct buffer *stream, struct hprof_reader *reader,
		       struct hprof_record *record)
{
	struct hprof_bytes *body = long_field(record);
	struct buffer loaded = { 0 };
	uint8_t piece[1000];
	uint64_t size;
	size_t used;

	if (body != NULL && body->size > 0 && body->data == NULL) {
		while (hprof_reader_body(reader, piece, sizeof(piece), &used) ==
			       HPROF_OK &&
		       used > 0)
			append(&loaded, piece, used);
		*body = (struct hprof_bytes){ loaded.bytes, loaded.size };
	}
	unsigned id_size = hprof_reader_header(reader)->id_size;
	/* A body that was cut contradicts its count. */
	if (hprof_record_size(record, id_size, &size) == HPROF_OK) {
		uint8_t *bytes = malloc((size_t)size);
		if (bytes == NULL)
			exit(2);
		require(hprof_record_encode(record, id_size, bytes,
					    (size_t)size, &used) == HPROF_OK);
		append(stream, bytes, used);
		free(bytes);
	}
	free(loaded.bytes);
}

static struct buffer record_stream(const uint8_t *bytes, size_t size)
{
	struct buffer stream = { 0 };
	struct hprof_reader *reader;
	struct hprof_record record;
	struct hprof_heap_dump_info heap = { 0, 0 };

	require(hprof_reader_open(INPUT_MEMORY(bytes, size), NULL, &reader,
				  NULL) == HPROF_OK);
	while (hprof_reader_next(reader, &record) == HPROF_OK) {
		switch (record.tag) {
		case HPROF_HEAP_DUMP:
		case HPROF_HEAP_DUMP_SEGMENT:
			heap = (struct hprof_heap_dump_info){ 0, 0 };
			continue;
		case HPROF_HEAP_DUMP_END:
			continue;
		case HPROF_HEAP_DUMP_INFO:
			heap = record.u.heap_dump_info;
			continue;
		}
		if (record.tag >= HPROF_SUB) {
			append(&stream, &heap.heap, sizeof(heap.heap));
			append(&stream, &heap.name_id, sizeof(heap.name_id));
		}
		add_record(&stream, reader, &record);
	}
	hprof_reader_close(reader);
	return stream;
}

static void same_records(const uint8_t *bytes, size_t size)
{
	struct copied copied;

	if (copy(bytes, size, false, &copied) && copied.info.errors == 0)
		require(copied.written == HPROF_OK);
	if (copied.out.size > 0 && copied.written == HPROF_OK &&
	    copied.read == HPROF_END && !copied.has_unknown) {
		struct buffer was = record_stream(bytes, size);
		struct buffer is =
			record_stream(copied.out.bytes, copied.out.size);
		require(was.size == is.size);
		require(was.size == 0 ||
			memcmp(was.bytes, is.bytes, was.size) == 0);
		free(was.bytes);
		free(is.bytes);
	}
	free(copied.out.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	identity(bytes, size);
	same_records(bytes, size);
	return 0;
}
