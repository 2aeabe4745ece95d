/* SPDX-License-Identifier: MIT */
/*
 * copy_record.c - copies a record with its body from a reader to a writer. If
 * the input ends inside the body, the record is ended in a valid way.
 */
#include "base/error.h"
#include "codec/long_field.h"
#include "hprof/writer.h"
#include "stream/reader.h"
#include "stream/writer.h"

/* The most bytes that are copied at a time: as many as a window can hold. */
enum { PIECE = HP_WINDOW_MAX };

/* Copies bytes that are no record, up to the end of the input. */
static enum hprof_status copy_stray(struct hprof_reader *reader,
				    struct hprof_writer *writer)
{
	const uint8_t *p;
	size_t n;

	while (hp_reader_body_piece(reader, PIECE, &p, &n) == HPROF_OK && n > 0)
		HP_TRY(hprof_writer_raw(writer, p, n));
	return HPROF_OK; /* hprof_reader_next will report a failure */
}

/* An exact copy cannot replace missing bytes: there the body stays open. */
static enum hprof_status end_cut(struct hprof_writer *writer)
{
	return writer->exact ? HPROF_OK : hprof_writer_body_cut(writer);
}

static enum hprof_status copy_body(struct hprof_reader *reader,
				   struct hprof_writer *writer, uint64_t left)
{
	while (left > 0) {
		const uint8_t *p;
		size_t n, most = left < PIECE ? (size_t)left : PIECE;
		enum hprof_status status =
			hp_reader_body_piece(reader, most, &p, &n);

		if (status == HPROF_E_TRUNCATED)
			return end_cut(writer);
		if (status != HPROF_OK) /* hprof_reader_next will report it */
			return HPROF_OK;
		if (n == 0) /* the caller has already read a part of it */
			return writer->exact ? hprof_writer_body_cut(writer)
					     : hp_writer_fill(writer);
		HP_TRY(hprof_writer_body(writer, p, n));
		left -= n;
	}
	return HPROF_OK;
}

enum hprof_status hprof_copy_record(struct hprof_reader *reader,
				    struct hprof_writer *writer,
				    const struct hprof_record *record)
{
	struct hprof_record r;

	HP_NEED(NULL, writer);
	HP_NEED(&writer->error, reader);
	HP_NEED(&writer->error, record);
	if (record->tag == HPROF_STRAY)
		return copy_stray(reader, writer);
	if (!hp_record_late_field(record))
		return hprof_writer_put(writer, record);
	r = *record;
	if (!writer->exact)
		hp_reader_clamp_record(reader, &r);
	HP_TRY(hprof_writer_put(writer, &r));
	const struct hprof_bytes *late = hp_record_late_field(&r);
	return late ? copy_body(reader, writer, late->size) : HPROF_OK;
}
