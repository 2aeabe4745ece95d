/* SPDX-License-Identifier: MIT */
/*
 * source_stream.c - the driver of all stream decompressors.
 *
 * Reads compressed bytes in pieces, finds where members begin, and decides what
 * the end of the input means. Output goes directly to the caller's buffer if
 * that has enough room for a codec, otherwise through a buffer of our own, so
 * that codecs need not cope with a few bytes of room.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/source_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define PIECE ((size_t)256 << 10)
#define PIECES 4 /* in the input buffer, beside what codecs keep */
#define STAGE ((size_t)256 << 10)

struct stream_source {
	struct hp_source source;
	struct hp_codec *codec;
	unsigned char *input;
	size_t input_size;
	size_t at, end;	      /* unread bytes of input */
	unsigned char *stage; /* or NULL */
	size_t stage_at, stage_end;
	uint64_t in_before; /* offset of input[0] in the compressed stream */
	uint64_t out_total;
	enum hprof_status below; /* not OK once there is no more input */
	bool in_member;
	bool some_member;
	bool ended;
};

enum hp_match hp_codec_match(const unsigned char *bytes, size_t size,
			     const void *magic, size_t length)
{
	size_t n = size < length ? size : length;

	if (memcmp(bytes, magic, n) != 0)
		return HP_MATCH_NO;
	return n == length ? HP_MATCH_YES : HP_MATCH_CUT;
}

/* ---- input -------------------------------------------------------------- */

/* Moves unread input, and what the codec wants kept before it, to the front. */
static void make_room(struct stream_source *stream)
{
	size_t keep = stream->codec->ops->keep;
	size_t from = stream->at > keep ? stream->at - keep : 0;

	if (stream->input_size - stream->end >= PIECE)
		return;
	memmove(stream->input, stream->input + from, stream->end - from);
	stream->at -= from;
	stream->end -= from;
	stream->in_before += from;
}

/* Reads another piece; at most HP_CODEC_MAGIC bytes may be unread before. */
static void refill(struct stream_source *stream)
{
	struct hp_source *below = stream->source.below;
	size_t n;

	if (stream->below != HPROF_OK)
		return;
	make_room(stream);
	stream->below =
		below->ops->read(below, stream->input + stream->end, PIECE, &n);
	stream->end += n;
}

static size_t unread(const struct stream_source *stream)
{
	return stream->end - stream->at;
}

/* ---- the end ------------------------------------------------------------ */

static enum hprof_status fail(struct stream_source *stream,
			      enum hprof_status status, const char *problem)
{
	return hp_fail(&stream->source.error, status, stream->out_total,
		       "%s: %s", stream->codec->ops->name, problem);
}

/* Handles the end of the input, which is inside a member if CUT. */
static enum hprof_status input_ended(struct stream_source *stream, bool cut)
{
	enum hprof_status status = hp_source_inherit(&stream->source);

	if (status < 0) {
		stream->source.error.offset = stream->out_total;
		return status;
	}
	if (cut)
		return fail(stream, HPROF_E_TRUNCATED,
			    "the data ends too early");
	stream->ended = true;
	return HPROF_END;
}

static enum hprof_status garbage(struct stream_source *stream)
{
	if (!stream->some_member)
		return fail(stream, HPROF_E_CORRUPT, "not in this format");
	stream->source.warning_code = HP_DIAG_TRAILING_GARBAGE;
	snprintf(stream->source.warning, sizeof(stream->source.warning),
		 "garbage behind the %s data is ignored, from byte %" PRIu64
		 " of the compressed data",
		 stream->codec->ops->name, stream->in_before + stream->at);
	stream->ended = true;
	return HPROF_END;
}

/* ---- members ------------------------------------------------------------ */

/* Zeros between members and behind the last one are padding. */
static void skip_zeros(struct stream_source *stream)
{
	for (;;) {
		while (stream->at < stream->end &&
		       stream->input[stream->at] == 0)
			stream->at++;
		if (stream->at < stream->end || stream->below != HPROF_OK)
			return;
		refill(stream);
	}
}

static enum hprof_status result_status(struct stream_source *stream,
				       enum hp_codec_result result,
				       const char *problem)
{
	switch (result) {
	case HP_CODEC_CORRUPT:
		return fail(stream, HPROF_E_CORRUPT, problem);
	case HP_CODEC_LIMIT:
		return fail(stream, HPROF_E_LIMIT, problem);
	case HP_CODEC_NOMEM:
		return fail(stream, HPROF_E_NOMEM, "out of memory");
	case HP_CODEC_MORE:
	case HP_CODEC_DONE:
		break;
	}
	return HPROF_OK;
}

static enum hprof_status next_member(struct stream_source *stream)
{
	const struct hp_codec_ops *ops = stream->codec->ops;
	enum hp_match match;

	if (stream->some_member)
		skip_zeros(stream);
	while (unread(stream) < HP_CODEC_MAGIC && stream->below == HPROF_OK)
		refill(stream);
	if (unread(stream) == 0)
		return input_ended(stream, false);
	match = ops->match(stream->input + stream->at, unread(stream));
	if (match == HP_MATCH_CUT)
		return input_ended(stream, true);
	if (match == HP_MATCH_NO)
		return garbage(stream);
	HP_TRY(result_status(stream, ops->begin(stream->codec), ""));
	stream->in_member = true;
	stream->some_member = true;
	return HPROF_OK;
}

static enum hprof_status run_codec(struct stream_source *stream,
				   unsigned char *out, size_t room,
				   size_t *ret_n)
{
	struct hp_codec_io io = {
		.in = stream->input + stream->at,
		.in_left = unread(stream),
		.in_behind = stream->at,
		.last = stream->below != HPROF_OK,
		.out = out,
		.out_left = room,
		.problem = "the data is corrupt",
	};
	enum hp_codec_result result;

	result = stream->codec->ops->run(stream->codec, &io);
	stream->at = stream->end - io.in_left;
	*ret_n = room - io.out_left;
	stream->out_total += *ret_n;
	if (result == HP_CODEC_DONE)
		stream->in_member = false;
	if (result == HP_CODEC_MORE && *ret_n == 0 && io.last &&
	    unread(stream) == 0)
		return input_ended(stream, true);
	return result_status(stream, result, io.problem);
}

static void note_hotspot(struct stream_source *stream)
{
	const struct hp_codec_ops *ops = stream->codec->ops;

	if (ops->hotspot != NULL && ops->hotspot(stream->codec))
		hp_source_set_hotspot(&stream->source);
}

/*
 * Fills OUT while there is enough room for a codec. On failure source.error is
 * set, and *RET_N counts the bytes that precede it.
 */
static enum hprof_status decode(struct stream_source *stream,
				unsigned char *out, size_t room, size_t *ret_n)
{
	enum hprof_status status = HPROF_OK;
	size_t used = 0;

	while (room - used >= HP_CODEC_ROOM && status == HPROF_OK) {
		size_t n = 0;

		if (!stream->in_member) {
			status = next_member(stream);
			continue;
		}
		if (unread(stream) == 0)
			refill(stream);
		status = run_codec(stream, out + used, room - used, &n);
		used += n;
	}
	note_hotspot(stream);
	*ret_n = used;
	return status;
}

/* ---- the source --------------------------------------------------------- */

static enum hprof_status give_stage(struct stream_source *stream, void *buffer,
				    size_t room, size_t *ret_n)
{
	size_t n = stream->stage_end - stream->stage_at;

	if (n > room)
		n = room;
	memcpy(buffer, stream->stage + stream->stage_at, n);
	stream->stage_at += n;
	*ret_n = n;
	return HPROF_OK;
}

static enum hprof_status fill_stage(struct stream_source *stream)
{
	if (stream->stage == NULL)
		stream->stage = hp_alloc(STAGE);
	if (stream->stage == NULL)
		return fail(stream, HPROF_E_NOMEM, "out of memory");
	stream->stage_at = 0;
	return decode(stream, stream->stage, STAGE, &stream->stage_end);
}

static enum hprof_status stream_read(struct hp_source *source, void *buffer,
				     size_t room, size_t *ret_n)
{
	struct stream_source *stream = (struct stream_source *)source;
	bool staged = stream->stage_at < stream->stage_end;
	enum hprof_status status;

	/* Bytes decoded before a failure are returned before it. */
	if (!(staged && source->peeked_at == source->peeked_end && room > 0) &&
	    hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	*ret_n = 0;
	if (staged)
		return give_stage(stream, buffer, room, ret_n);
	if (stream->ended)
		return HPROF_END;
	if (room < HP_CODEC_ROOM) {
		status = fill_stage(stream);
		if (stream->stage_end == 0)
			return status;
		return give_stage(stream, buffer, room, ret_n);
	}
	status = decode(stream, buffer, room, ret_n);
	return *ret_n > 0 ? HPROF_OK : status;
}

static void stream_close(struct hp_source *source)
{
	struct stream_source *stream = (struct stream_source *)source;

	if (stream->codec != NULL)
		stream->codec->ops->close(stream->codec);
	hp_free(stream->input);
	hp_free(stream->stage);
	hp_source_free(source);
}

static const struct hp_source_ops stream_ops = { .read = stream_read,
						 .pread = NULL,
						 .close = stream_close };

enum hprof_status hp_source_stream(struct hp_source *below,
				   const struct hp_codec_ops *codec,
				   struct hp_source **ret,
				   struct hprof_error *error)
{
	struct stream_source *stream = hp_calloc(1, sizeof(*stream));

	if (stream == NULL) {
		hp_source_close(below);
		return hp_no_memory(error);
	}
	hp_source_init(&stream->source, &stream_ops, below, codec->name);
	stream->input_size = codec->keep + HP_CODEC_MAGIC + PIECES * PIECE;
	stream->input = hp_alloc(stream->input_size);
	stream->codec = codec->open();
	if (stream->input == NULL || stream->codec == NULL) {
		stream_close(&stream->source);
		return hp_no_memory(error);
	}
	*ret = &stream->source;
	return HPROF_OK;
}

void hp_source_stream_base(struct hp_source *source, uint64_t in, uint64_t out)
{
	struct stream_source *stream = (struct stream_source *)source;

	stream->in_before = in;
	stream->out_total = out;
	stream->some_member = in > 0;
}
