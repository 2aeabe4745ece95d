/* SPDX-License-Identifier: MIT */
/*
 * writer_bytes.c - the writer's buffer: records are encoded into it, and it
 * goes to the sink when it is full. Both modes, making segments
 * (writer_segments.c) and keeping them (writer.c), write through it.
 */
#include "stream/writer.h"

#include <string.h>

#include "codec/encode.h"
#include "codec/long_field.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

/* ---- bytes --------------------------------------------------------------- */

enum hprof_status hp_writer_refuse(struct hprof_writer *w, const char *why)
{
	return hp_fail(&w->error, HPROF_E_USAGE, w->size, "%s", why);
}

static enum hprof_status sink_bytes(struct hprof_writer *w, const void *bytes,
				    size_t size)
{
	if (size == 0)
		return HPROF_OK;
	if (w->sink->ops->write(w->sink, bytes, size) == HPROF_OK)
		return HPROF_OK;
	w->error = w->sink->error;
	return w->dead = w->error.status;
}

enum hprof_status hp_writer_flush(struct hprof_writer *w)
{
	size_t used = w->used;

	if (w->in_segment) {
		w->buffer[0] = HPROF_HEAP_DUMP_SEGMENT;
		hp_put32(w->buffer + 1, w->segment_time_us);
		hp_put32(w->buffer + 5, (uint32_t)(used - HPROF_RECORD_HEADER));
	}
	w->used = 0;
	w->in_segment = false;
	w->open.in_buffer = false;
	return sink_bytes(w, w->buffer, used);
}

/* Makes room for SIZE (at most HP_SEGMENT) bytes in the buffer. */
static enum hprof_status make_room(struct hprof_writer *w, size_t size)
{
	return w->used + size > HP_SEGMENT ? hp_writer_flush(w) : HPROF_OK;
}

enum hprof_status hp_writer_bytes(struct hprof_writer *w, const void *bytes,
				  size_t size)
{
	if (size == 0)
		return HPROF_OK;
	w->size += size;
	if (size >= HP_SEGMENT / 2) {
		HP_TRY(hp_writer_flush(w));
		return sink_bytes(w, bytes, size);
	}
	HP_TRY(make_room(w, size));
	memcpy(w->buffer + w->used, bytes, size);
	w->used += size;
	return HPROF_OK;
}

/* ---- records ------------------------------------------------------------- */

/* Writes a record of SIZE bytes that is loaded but too large for the buffer. */
static enum hprof_status put_large(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size)
{
	size_t used = 0;
	uint8_t *bytes = size <= SIZE_MAX ? hp_alloc((size_t)size) : NULL;

	if (!bytes)
		return w->dead = hp_fail(&w->error, HPROF_E_NOMEM, w->size,
					 "out of memory");
	enum hprof_status status =
		hprof_record_encode(r, w->id_size, bytes, (size_t)size, &used);
	if (status == HPROF_OK)
		status = hp_writer_bytes(w, bytes, used);
	else
		status = hp_writer_refuse(w, "a record contradicts itself");
	hp_free(bytes);
	return status;
}

/* Encodes a record into the buffer, without the last TAIL bytes. */
enum hprof_status hp_writer_small(struct hprof_writer *w,
				  const struct hprof_record *r, uint64_t size,
				  uint64_t tail)
{
	size_t used = 0;
	enum hprof_status status;

	HP_TRY(make_room(w, (size_t)(size - tail)));
	status = tail ? hp_record_encode_head(r, w->id_size, tail,
					      w->buffer + w->used,
					      HP_SEGMENT - w->used, &used)
		      : hprof_record_encode(r, w->id_size, w->buffer + w->used,
					    HP_SEGMENT - w->used, &used);
	if (status != HPROF_OK)
		return hp_writer_refuse(w, "a record contradicts itself");
	w->used += used;
	w->size += used;
	return HPROF_OK;
}

enum hprof_status hp_writer_record(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size)
{
	const struct hprof_bytes *tail = hp_record_long_field(r);

	if (tail && tail->size && !tail->data) {
		HP_TRY(hp_writer_small(w, r, size, tail->size));
		w->open = (struct hp_open_body){
			.left = tail->size,
			.record = *r,
			.file_at = w->size - (size - tail->size),
			.head_at = w->used - (size_t)(size - tail->size),
			.in_buffer = true,
		};
		return HPROF_OK;
	}
	if (size <= HP_SEGMENT - HPROF_RECORD_HEADER)
		return hp_writer_small(w, r, size, 0);
	if (!tail || r->rest.size)
		return put_large(w, r, size);
	HP_TRY(hp_writer_small(w, r, size, tail->size));
	return hp_writer_bytes(w, tail->data, (size_t)tail->size);
}
