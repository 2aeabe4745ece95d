/* SPDX-License-Identifier: MIT */
/*
 * writer_cut.c - ends a body early, where the input is truncated.
 *
 * What is missing is never made up beyond HP_ZEROS_MOST: a damaged length may
 * claim gigabytes. The record becomes shorter instead: in the buffer, as long
 * as its head is there, or in the part file. In a pipe, and behind a compressor,
 * what is written stays; there the output ends inside the record, as the input
 * does.
 */
#include <assert.h>

#include "base/error.h"
#include "base/wire.h"
#include "codec/encode.h"
#include "codec/long_field.h"
#include "stream/writer.h"

/*
 * Shortens the open record by whole elements to what was put of its body.
 * Returns how long its body is then.
 */
static uint64_t shorten_record(struct hp_open_body *open)
{
	const struct hprof_bytes *tail = hp_record_long_field(&open->record);

	hp_record_shorten(&open->record, tail->size - open->left);
	return tail->size;
}

/* Encodes the head of the open record, whose body has TAIL bytes. */
static enum hprof_status encode_head(struct hprof_writer *w, uint64_t tail,
				     uint8_t *to, size_t room, size_t *ret_size)
{
	if (hp_record_encode_head(&w->open.record, w->id_size, tail, to, room,
				  ret_size) == HPROF_OK)
		return HPROF_OK;
	return hp_writer_refuse(w, "a record contradicts itself");
}

/* What the length of the record's own segment becomes. */
static void put_segment_length(const struct hprof_writer *w, uint64_t sub,
			       uint8_t *to)
{
	hp_put32(to, (uint32_t)(w->info_size + sub));
}

/*
 * Nothing of the record has been written yet. Such a record is never in a
 * segment with others, which would be too small for it.
 */
static enum hprof_status shorten_in_buffer(struct hprof_writer *w)
{
	struct hp_open_body *open = &w->open;
	uint8_t *at = w->buffer + open->head_at;
	uint64_t tail = shorten_record(open);
	size_t head, used;

	HP_TRY(encode_head(w, tail, at, HP_SEGMENT - open->head_at, &head));
	used = open->head_at + head + (size_t)tail;
	if (open->own_segment)
		put_segment_length(w, head + tail, at - w->info_size - 4);
	w->size -= w->used - used;
	w->used = used;
	open->left = 0;
	return HPROF_OK;
}

static enum hprof_status amend(struct hprof_writer *w, uint64_t at,
			       const void *bytes, size_t size)
{
	if (hp_sink_path_amend(w->file, at, bytes, size) == HPROF_OK)
		return HPROF_OK;
	w->error = w->file->error;
	return w->dead = w->error.status;
}

/* The head is in the part file, and maybe some of the body. */
static enum hprof_status shorten_in_file(struct hprof_writer *w)
{
	struct hp_open_body *open = &w->open;
	uint64_t tail, at = open->file_at;
	uint8_t length[4];
	size_t head;

	assert(at < w->size && !w->exact);
	HP_TRY(hp_writer_flush(w));
	tail = shorten_record(open);
	HP_TRY(encode_head(w, tail, w->buffer, HP_SEGMENT, &head));
	HP_TRY(amend(w, at, w->buffer, head));
	if (open->own_segment) {
		put_segment_length(w, head + tail, length);
		HP_TRY(amend(w, at - w->info_size - 4, length, sizeof length));
	}
	if (hp_sink_path_cut(w->file, at + head + tail) != HPROF_OK) {
		w->error = w->file->error;
		return w->dead = w->error.status;
	}
	w->size = at + head + tail;
	open->left = 0;
	return HPROF_OK;
}

enum hprof_status hp_writer_shorten(struct hprof_writer *w)
{
	if (w->open.in_buffer)
		return shorten_in_buffer(w);
	if (w->file)
		return shorten_in_file(w);
	w->open.left = 0;
	w->cut = true;
	return HPROF_OK;
}

enum hprof_status hp_writer_fill(struct hprof_writer *w)
{
	static const uint8_t zeros[4096];

	while (w->open.left > 0) {
		size_t size = w->open.left < sizeof zeros ? (size_t)w->open.left
							  : sizeof zeros;
		HP_TRY(hp_writer_bytes(w, zeros, size));
		w->open.left -= size;
	}
	return HPROF_OK;
}

enum hprof_status hprof_writer_body_cut(struct hprof_writer *w)
{
	if (w->dead)
		return w->dead;
	if (w->open.left == 0)
		return hp_writer_refuse(w, "no body is to follow");
	if (w->exact)
		return hp_writer_refuse(
			w, "a body that is cut cannot be copied exactly");
	return w->open.left > HP_ZEROS_MOST ? hp_writer_shorten(w)
					    : hp_writer_fill(w);
}
