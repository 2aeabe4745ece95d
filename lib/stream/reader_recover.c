/* SPDX-License-Identifier: MIT */
/*
 * reader_recover.c - what to do where no known record starts: unknown records,
 * padding, garbage, and the search for the next record. A record is recognized
 * by a plausible header: a known tag, and a length that fits tag and input.
 * Quirk numbers are explained in hprof(5).
 */
#include "stream/reader.h"

#include <inttypes.h>

#include "codec/decode.h"
#include "codec/tags.h"
#include "base/error.h"

/* ---- is this a record header? -------------------------------------------- */

/* The lengths that a known tag can have: fixed plus a multiple of step. */
struct shape {
	bool known;
	uint32_t fixed; /* minimum length */
	uint32_t step;	/* 0: exactly fixed */
};

static struct shape shape_of(unsigned tag, unsigned z)
{
	switch (tag) {
#define RECORD(S, m, d)                                                        \
	case HPROF_##S: {                                                      \
		struct shape s = { true, (uint32_t)(hp_ids_##S * z +            \
						    hp_fix_##S), 0 };
#define ROOT(S, d) RECORD(S, root, d)
#define REST(m, f, R) s.step = 1;
#define BYTES(m, f, c, R) s.step = 1;
#define IDS(m, f, c, R) s.step = z;
#define VALUES(m, f, c, t) s.step = 1;
#define LIST(m, f, c, g) s.step = hp_fix_##g;
#define END(S)                                                                 \
		return s;                                                      \
	}
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
	default:
		return (struct shape){ false, 0, 0 };
	}
}

bool hp_plausible_header(const uint8_t *p, unsigned id_size)
{
	struct shape shape = shape_of(p[0], id_size);
	uint32_t length = hp_get32(p + 5);

	if (!shape.known || length < shape.fixed)
		return false;
	if (shape.step == 0)
		return length == shape.fixed;
	return (length - shape.fixed) % shape.step == 0;
}

enum hp_guess hp_reader_header_at(struct hprof_reader *r, uint64_t at)
{
	uint8_t p[HPROF_RECORD_HEADER];
	int n = hp_window_peek(&r->window, at, p, sizeof p);

	if (n < 0)
		return HP_MAYBE;
	if (n == 0)
		return hp_window_ends_before(&r->window, at) ? HP_NO : HP_YES;
	if (n < (int)sizeof p || !hp_plausible_header(p, r->id_size))
		return HP_NO;
	/* Heap records may be truncated or have wrapped; others must fit. */
	if (!hp_tag_is_heap(p[0]) &&
	    hp_window_ends_before(&r->window, at + sizeof p + hp_get32(p + 5)))
		return HP_NO;
	return HP_YES;
}

/* True if a sub-record seems to begin at P and end within LENGTH bytes. */
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

/* True if a heap or another record seems to begin at P, of N bytes. */
static bool looks_like_record(struct hprof_reader *r, const uint8_t *p,
			      size_t n, uint64_t at)
{
	uint32_t length = hp_get32(p + 5);

	if (!hp_plausible_header(p, r->id_size))
		return false;
	if (hp_tag_is_heap(p[0]))
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

/* ---- finding the next record --------------------------------------------- */

/* Consumes zero bytes. True if there is nothing else up to the end (Q9). */
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

/* Moves the window to the next record, or to the end of the input. */
static void find_next_record(struct hprof_reader *r)
{
	enum { LOOK = 64 << 10, KEEP = 4 << 10 };
	struct hp_window *w = &r->window;

	for (;;) {
		size_t n = hp_window_need(w, LOOK);
		size_t last = n > KEEP ? n - KEEP : n;
		for (size_t i = 0; i < last; i++) {
			/* looks_like_record may move the window's bytes. */
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

/* In exact mode: returns all the rest of the input as one pseudo-record. */
static enum hp_step hand_out_stray(struct hprof_reader *r,
				   struct hprof_record *ret)
{
	enum hprof_status status = hp_reader_say(
		r, r->dumps.state == DUMP_ENDED ? HPROF_WARNING : HPROF_ERROR,
		HP_DIAG_STRAY_BYTES, r->window.offset,
		"bytes that are no record, to the end");

	if (status < 0)
		return HP_STEP_FAILED;
	*ret = (struct hprof_record){ .tag = HPROF_STRAY,
				      .id_size = (uint8_t)r->id_size,
				      .offset = r->window.offset };
	ret->u.unknown.body = (struct hprof_bytes){ NULL, UINT64_MAX };
	r->record.long_body = &ret->u.unknown.body;
	r->record.rest = UINT64_MAX;
	return HP_HAND_OUT;
}

/*
 * Skips bytes that are no record header. Behind a complete dump they are stray
 * bytes (Q9), before that something is lost. Some may have been skipped
 * already.
 */
static enum hprof_status pass_over_garbage(struct hprof_reader *r, unsigned tag)
{
	uint64_t at = r->record.offset;

	if (r->window.offset == at)
		hp_window_consume(&r->window, 1);
	find_next_record(r);
	uint64_t count = r->window.offset - at;
	bool at_end = hp_window_need(&r->window, 1) == 0;

	if (at_end && r->dumps.state == DUMP_ENDED)
		return hp_reader_say(r, HPROF_WARNING, HP_DIAG_STRAY_BYTES, at,
				     "%" PRIu64 " stray bytes behind the dump",
				     count);
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_RECORD, at,
			     "no record here (tag 0x%02x): %" PRIu64
			     " bytes passed over",
			     tag, count);
}

/* Skips the rest of the input, which is shorter than a header. */
static enum hprof_status pass_over_short_tail(struct hprof_reader *r, size_t n)
{
	uint64_t at = r->window.offset;

	hp_window_consume(&r->window, n);
	if (r->dumps.state == DUMP_ENDED)
		return hp_reader_say(r, HPROF_WARNING, HP_DIAG_STRAY_BYTES, at,
				     "%zu stray bytes behind the dump", n);
	r->seen.truncation = true;
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_TRUNCATED, at,
			     "the file ends inside a record header");
}

enum hp_step hp_reader_short_tail(struct hprof_reader *r, size_t n,
				  struct hprof_record *ret)
{
	return r->options.exact
		       ? hand_out_stray(r, ret)
		       : hp_step_after(pass_over_short_tail(r, n), HP_SKIPPED);
}

static enum hp_step garbage(struct hprof_reader *r, struct hprof_record *ret)
{
	return r->options.exact ? hand_out_stray(r, ret)
				: hp_step_after(pass_over_garbage(r, ret->tag),
						HP_SKIPPED);
}

/* Returns a record of unknown tag that is followed by another record. */
static enum hp_step unknown_record(struct hprof_reader *r,
				   struct hprof_record *ret)
{
	enum hp_step step = hp_reader_record(r, ret);

	if (step != HP_HAND_OUT)
		return step;
	r->seen.last_tag = ret->tag;
	return hp_step_after(
		hp_reader_say(r, HPROF_NOTE, HP_DIAG_UNKNOWN_RECORD,
			      r->record.offset,
			      "unknown record 0x%02x of %" PRIu32 " bytes",
			      ret->tag, ret->length),
		HP_HAND_OUT);
}

static enum hprof_status say_zero_padding(struct hprof_reader *r,
					  uint64_t zeros)
{
	return hp_reader_say(r, HPROF_WARNING, HP_DIAG_ZERO_PADDING,
			     r->record.offset,
			     "%" PRIu64 " zero bytes behind the dump", zeros);
}

/* An unknown tag is that of a record only if a record or the end follows. */
enum hp_step hp_reader_unknown(struct hprof_reader *r, struct hprof_record *ret)
{
	uint64_t end = r->record.offset + HPROF_RECORD_HEADER + ret->length;
	uint64_t zeros;
	uint8_t next[HPROF_RECORD_HEADER] = { 1 };

	if (ret->tag == 0 && ret->length == 0 && ret->time_us == 0) {
		int n = hp_window_peek(&r->window, end, next, sizeof next);
		bool all_zero = true;
		for (int i = 0; i < n; i++)
			all_zero = all_zero && next[i] == 0;
		if (all_zero && r->options.exact)
			return hand_out_stray(r, ret);
		if (all_zero && skip_zero_padding(r, &zeros))
			return hp_step_after(say_zero_padding(r, zeros),
					     HP_SKIPPED);
		if (all_zero) /* zeros followed by something: search for it */
			return garbage(r, ret);
	} else if (hp_window_ends_before(&r->window, end)) {
		return garbage(r, ret);
	}
	if (hp_reader_header_at(r, end) == HP_NO) {
		int n = hp_window_peek(&r->window, end, next, sizeof next);
		/* Two unknown records in a row are still accepted. */
		if (n < (int)sizeof next ||
		    hp_reader_header_at(r, end + HPROF_RECORD_HEADER +
						   hp_get32(next + 5)) !=
			    HP_YES)
			return garbage(r, ret);
	}
	return unknown_record(r, ret);
}
