/* SPDX-License-Identifier: MIT */
/*
 * 07_rewrite.c - a copy of a dump without the texts in it.
 *
 *   07_rewrite IN OUT
 *
 * In OUT all elements of char[] and byte[] are 0, everything else is as it
 * was: what can be read between a reader and a writer, can be changed there.
 * (hprof-convert --redact does this thoroughly.)
 *
 *   cc -o 07_rewrite 07_rewrite.c $(pkg-config --cflags --libs libhprof)
 */
#include <stdio.h>
#include <string.h>

#include <hprof.h>

static char piece[1 << 16];

static bool has_text(const struct hprof_record *record)
{
	return record->tag == HPROF_PRIM_ARRAY_DUMP &&
	       (record->u.prim_array_dump.type == HPROF_TYPE_CHAR ||
		record->u.prim_array_dump.type == HPROF_TYPE_BYTE);
}

/* A body that is too long to be in the record comes in pieces. */
static enum hprof_status copy_body(struct hprof_reader *reader,
				   struct hprof_writer *writer, bool blank)
{
	enum hprof_status status = HPROF_OK;
	size_t size;

	while (status == HPROF_OK &&
	       hprof_reader_body(reader, piece, sizeof piece, &size) ==
		       HPROF_OK &&
	       size > 0) {
		if (blank)
			memset(piece, 0, size);
		status = hprof_writer_body(writer, piece, size);
	}
	return status;
}

static enum hprof_status write_zeros(struct hprof_writer *writer, uint64_t size)
{
	enum hprof_status status = HPROF_OK;

	memset(piece, 0, sizeof piece);
	while (status == HPROF_OK && size > 0) {
		size_t n = size < sizeof piece ? (size_t)size : sizeof piece;
		status = hprof_writer_body(writer, piece, n);
		size -= n;
	}
	return status;
}

/* Elements without data tell the writer that the body follows. */
static enum hprof_status put_record(struct hprof_reader *reader,
				    struct hprof_writer *writer,
				    const struct hprof_record *record)
{
	struct hprof_record changed = *record;
	struct hprof_bytes *elements = &changed.u.prim_array_dump.elements;
	bool blank = has_text(record), here = blank && elements->data;
	enum hprof_status status;

	if (here)
		elements->data = NULL;
	status = hprof_writer_put(writer, &changed);
	if (status != HPROF_OK)
		return status;
	return here ? write_zeros(writer, elements->size)
		    : copy_body(reader, writer, blank);
}

/* Why it failed, or NULL. */
static const char *rewrite(struct hprof_reader *reader,
			   struct hprof_writer *writer)
{
	struct hprof_record record;
	enum hprof_status written, got = HPROF_OK;

	written = hprof_writer_header(writer, hprof_reader_header(reader));
	while (written == HPROF_OK &&
	       (got = hprof_reader_next(reader, &record)) == HPROF_OK)
		written = put_record(reader, writer, &record);
	if (got < 0)
		return hprof_reader_error(reader)->text;
	if (written == HPROF_OK)
		written = hprof_writer_finish(writer);
	return written == HPROF_OK ? NULL : hprof_writer_error(writer)->text;
}

int main(int argc, char **argv)
{
	struct hprof_input input;
	struct hprof_reader *reader = NULL;
	struct hprof_writer *writer = NULL;
	struct hprof_error error;
	const char *why = error.text;

	if (argc != 3) {
		fprintf(stderr, "usage: 07_rewrite IN OUT\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_reader_open(&input, NULL, &reader, &error) == HPROF_OK &&
	    hprof_writer_create(argv[2], NULL, &writer, &error) == HPROF_OK)
		why = rewrite(reader, writer);
	if (why)
		fprintf(stderr, "07_rewrite: %s to %s: %s\n", argv[1], argv[2],
			why);
	hprof_writer_free(writer); /* unfinished: leaves no file */
	hprof_reader_close(reader);
	return why ? 1 : 0;
}
