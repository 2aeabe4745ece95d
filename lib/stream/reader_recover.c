/* SPDX-License-Identifier: MIT */
/*
 * reader_recover.c - where no known record starts: unknown ones, padding,
 * garbage, and the way back to the next record. Quirk numbers are explained
 * in hprof(5).
 */
#include "stream/reader.h"

#include <inttypes.h>

#include "codec/decode.h"
#include "base/error.h"

/* Is all that is left zero bytes (Q9)? Consumes them if so. */
static bool skip_zero_padding(struct hprof_reader *r, uint64_t *ret_count)
{
	struct hp_window *w = &r->window;
	size_t n;

	*ret_count = 0;
	while ((n = hp_window_need(w, 1)) > 0) {
		const uint8_t *p = hp_window_bytes(w);
		size_t zeros = 0;
		while (zeros < n && p[zeros] == 0)
			zeros++;
		hp_window_consume(w, zeros);
		*ret_count += zeros;
		if (zeros < n)
			return false;
	}
	return true;
}

/* Does a sub-record begin at P, and end within LENGTH bytes? */
static bool looks_like_sub(const struct hprof_reader *r, const uint8_t *p,
			   const uint8_t *end, uint32_t length)
{
	struct hprof_record record;
	struct hp_tail tail;
	const uint8_t *next;

	if (p >= end)
		return false;
	record.tag = HPROF_SUB + p[0];
	return hp_decode_body(p + 1, end, r->id_size, &record, &tail, &next) ==
		       HPROF_OK &&
	       hp_room(p, next) + tail.size <= length;
}

/* Does a run of heap bytes, or another record, begin at P of N bytes? */
static bool looks_like_record(struct hprof_reader *r, const uint8_t *p,
			      size_t n, uint64_t at)
{
	uint32_t length = hp_get32(p + 5);

	if (!hp_plausible_header(p, r->id_size))
		return false;
	if (p[0] == HPROF_HEAP_DUMP || p[0] == HPROF_HEAP_DUMP_SEGMENT)
		return looks_like_sub(r, p + HPROF_RECORD_HEADER, p + n,
				      length);
	return hp_reader_header_at(r, at + HPROF_RECORD_HEADER + length) ==
	       HP_YES;
}

bool hp_reader_record_here(struct hprof_reader *r)
{
	enum { LOOK = 4 << 10 };
	size_t n = hp_window_need(&r->window, LOOK);

	return n >= HPROF_RECORD_HEADER &&
	       looks_like_record(r, hp_window_bytes(&r->window), n,
				 r->window.offset);
}

/* Looks for the next record from here on. Stands at it, or at the end. */
static void find_next_record(struct hprof_reader *r)
{
	enum { LOOK = 64 << 10, KEEP = 4 << 10 };
	struct hp_window *w = &r->window;

	for (;;) {
		size_t n = hp_window_need(w, LOOK);
		size_t last = n > KEEP ? n - KEEP : n;
		for (size_t i = 0; i < last; i++) {
			/* Looking may move the window's bytes. */
			const uint8_t *p = hp_window_bytes(w) + i;
			if (n - i < HPROF_RECORD_HEADER)
				break;
			if (p[0] == 0 || p[0] > HPROF_HEAP_DUMP_END ||
			    !looks_like_record(r, p, n - i, w->offset + i))
				continue;
			hp_window_consume(w, i);
			return;
		}
		hp_window_consume(w, last);
		if (last == n)
			return;
	}
}

/* Exact: all that is left is handed out as it is. */
static enum hprof_status hand_out_stray(struct hprof_reader *r,
					struct hprof_record *ret)
{
	HP_TRY(hp_reader_say(r,
			     r->state == DUMP_ENDED ? HPROF_WARNING :
						      HPROF_ERROR,
			     "stray-bytes", r->window.offset,
			     "bytes that are no record, to the end"));
	*ret = (struct hprof_record){ .tag = HPROF_STRAY,
				      .id_size = (uint8_t)r->id_size,
				      .offset = r->window.offset };
	ret->u.unknown.body = (struct hprof_bytes){ NULL, UINT64_MAX };
	r->long_body = &ret->u.unknown.body;
	r->skip = UINT64_MAX;
	return HPROF_END;
}

/*
 * Bytes that are no record header. After a whole dump they are stray (Q9),
 * before that something is lost. Some may have been passed over already.
 */
static enum hprof_status pass_over_garbage(struct hprof_reader *r,
					   unsigned tag)
{
	uint64_t at = r->record_offset;

	if (r->window.offset == at)
		hp_window_consume(&r->window, 1);
	find_next_record(r);
	uint64_t count = r->window.offset - at;
	bool at_end = hp_window_need(&r->window, 1) == 0;

	if (at_end && r->state == DUMP_ENDED)
		return hp_reader_say(r, HPROF_WARNING, "stray-bytes", at,
				     "%" PRIu64 " stray bytes behind the dump",
				     count);
	return hp_reader_say(r, HPROF_ERROR, "bad-record", at,
			     "no record here (tag 0x%02x): %" PRIu64
			     " bytes passed over",
			     tag, count);
}

/* Fewer bytes than a header are left. */
enum hprof_status hp_reader_short_tail(struct hprof_reader *r, size_t n,
				       struct hprof_record *ret)
{
	uint64_t at = r->window.offset;

	if (r->exact)
		return hand_out_stray(r, ret);
	hp_window_consume(&r->window, n);
	if (r->state == DUMP_ENDED)
		return hp_reader_say(r, HPROF_WARNING, "stray-bytes", at,
				     "%zu stray bytes behind the dump", n);
	r->truncated = true;
	return hp_reader_say(r, HPROF_ERROR, "truncated", at,
			     "the file ends inside a record header");
}

static enum hprof_status garbage(struct hprof_reader *r,
				 struct hprof_record *ret)
{
	return r->exact ? hand_out_stray(r, ret) :
			  pass_over_garbage(r, ret->tag);
}

/* A header whose tag is unknown: skip it if a record follows (or the end). */
enum hprof_status hp_reader_unknown(struct hprof_reader *r,
				    struct hprof_record *ret)
{
	uint64_t end = r->record_offset + HPROF_RECORD_HEADER + ret->length;
	uint64_t zeros;
	uint8_t next[HPROF_RECORD_HEADER] = { 1 };

	if (ret->tag == 0 && ret->length == 0 && ret->time_us == 0) {
		int n = hp_window_peek(&r->window, end, next, sizeof next);
		bool all_zero = true;
		for (int i = 0; i < n; i++)
			all_zero = all_zero && next[i] == 0;
		if (all_zero && r->exact)
			return hand_out_stray(r, ret);
		if (all_zero && skip_zero_padding(r, &zeros))
			return hp_reader_say(r, HPROF_WARNING, "zero-padding",
					     r->record_offset,
					     "%" PRIu64
					     " zero bytes behind the dump",
					     zeros);
		if (all_zero) /* zeros, then something: look for it */
			return garbage(r, ret);
	} else if (hp_window_ends_before(&r->window, end)) {
		return garbage(r, ret);
	}
	if (hp_reader_header_at(r, end) == HP_NO) {
		int n = hp_window_peek(&r->window, end, next, sizeof next);
		/* Two unknown records in a row are still believed. */
		if (n < (int)sizeof next ||
		    hp_reader_header_at(r, end + HPROF_RECORD_HEADER +
						   hp_get32(next + 5)) !=
			    HP_YES)
			return garbage(r, ret);
	}
	enum hprof_status status = hp_reader_record(r, ret);
	if (status != HPROF_END)
		return status;
	r->last_tag = ret->tag;
	status = hp_reader_say(r, HPROF_NOTE, "unknown-record",
			       r->record_offset,
			       "unknown record 0x%02x of %" PRIu32 " bytes",
			       ret->tag, ret->length);
	return status == HPROF_OK ? HPROF_END : status;
}
