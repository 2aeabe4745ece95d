/* SPDX-License-Identifier: MIT */
/*
 * reader_heap.c - sub-records of a heap record, and what to do if they do not
 * agree with the record's length (Q1 to Q4).
 *
 *   record header | sub | sub | sub ...  | next record header
 *                                        ^ heap_end, by the length
 *
 * The walk over sub-records is trusted more than the length, since every
 * sub-record must decode, while the length is just one number.
 */
#include <inttypes.h>

#include "codec/decode.h"
#include "base/error.h"
#include "stream/reader.h"

/* Bodies up to this size are loaded into memory. */
enum { LOADED_MAX = 64 << 10 };

#define FOUR_GIB ((uint64_t)1 << 32)

static bool known_sub_tag(unsigned byte)
{
	return hprof_record_describe(HPROF_SUB + byte) != NULL;
}

/* Length 0, but no record header follows: the body does (Q1). */
static bool length_was_never_written(struct hprof_reader *r, uint64_t body)
{
	uint8_t p[HPROF_RECORD_HEADER];
	int n = hp_window_peek(&r->window, body, p, sizeof p);

	if (n < 1)
		return false;
	if (n == (int)sizeof p && hp_plausible_header(p, r->id_size))
		return false;
	return known_sub_tag(p[0]);
}

enum hprof_status hp_reader_enter_heap(struct hprof_reader *r,
				       struct hprof_record *record)
{
	uint64_t body = r->record.offset + HPROF_RECORD_HEADER;

	r->heap.inside = true;
	r->heap.tag = record->tag;
	r->heap.offset = r->record.offset;
	r->heap.end = body + record->length;
	r->heap.to_end = false;
	r->record.visible = HPROF_RECORD_HEADER;
	record->u.heap_dump.body = (struct hprof_bytes){ NULL, record->length };
	if (record->length != 0 || !length_was_never_written(r, body))
		return HPROF_OK;
	r->heap.to_end = true;
	r->heap.end = UINT64_MAX;
	return hp_reader_say(r, HPROF_WARNING, HP_DIAG_LENGTH_ZERO,
			     r->record.offset,
			     "a %s record of length 0 has a body: the writer "
			     "did not finish it",
			     hprof_tag_name(record->tag));
}

/* Leaves the heap record; top-level records continue at offset AT. */
static enum hp_step leave_at(struct hprof_reader *r, uint64_t at)
{
	uint64_t from = r->window.offset;

	if (at <= from || hp_window_skip(&r->window, at - from) == at - from ||
	    r->heap.to_end || r->seen.truncation)
		return HP_OVER;
	r->seen.truncation = true;
	return hp_step_after(hp_reader_say(r, HPROF_ERROR, HP_DIAG_TRUNCATED,
					   r->heap.offset,
					   "the file ends inside the %s record",
					   hprof_tag_name(r->heap.tag)),
			     HP_OVER);
}

/* Stops at damage in a unit that is a part of a record: it is not proved. */
static bool stop_unit(struct hprof_reader *r)
{
	if (!r->units.is_unit ||
	    !(r->units.unit.in_record || r->units.unit.ends_in_record))
		return false;
	r->units.stopped_early = true;
	r->units.stop = 0;
	return true;
}

/* The input ends here: inside a TAG record, or, if 0, in an unknown one. */
static enum hp_step cut_here(struct hprof_reader *r, unsigned tag)
{
	uint64_t at = r->window.offset;

	hp_window_skip(&r->window, UINT64_MAX);
	if (r->seen.truncation)
		return HP_OVER;
	r->seen.truncation = true;
	return hp_step_after(hp_reader_say(r, HPROF_ERROR, HP_DIAG_TRUNCATED,
					   at, "the file ends inside %s%s",
					   tag ? "the " : "a sub-record",
					   tag ? hprof_tag_name(tag) : ""),
			     HP_OVER);
}

/*
 * The walk has reached AT, which is possible only if the record is longer than
 * it says. The length of a HEAP_DUMP may have wrapped at 4 GiB (Q2).
 */
static bool length_wrapped(struct hprof_reader *r, uint64_t at)
{
	enum { TRIES = 256 };
	uint64_t end = r->heap.end + FOUR_GIB;

	if (r->heap.tag != HPROF_HEAP_DUMP ||
	    hp_window_ends_before(&r->window, at))
		return false;
	for (unsigned i = 0; i < TRIES; i++, end += FOUR_GIB) {
		if (end < at || hp_reader_header_at(r, end) == HP_NO)
			continue;
		r->heap.end = end;
		return true;
	}
	return false;
}

static enum hprof_status say_wrapped(struct hprof_reader *r)
{
	return hp_reader_say(
		r, HPROF_WARNING, HP_DIAG_LENGTH_WRAPPED, r->heap.offset,
		"the record is longer than 4 GiB and its length "
		"wrapped: it is %" PRIu64 " bytes",
		r->heap.end - r->heap.offset - HPROF_RECORD_HEADER);
}

/* At heap_end. HP_SKIPPED: the record continues behind it. */
static enum hp_step at_heap_end(struct hprof_reader *r)
{
	uint8_t p[1];

	if (r->heap.tag == HPROF_HEAP_DUMP &&
	    hp_window_peek(&r->window, r->heap.end, p, 1) == 1 &&
	    known_sub_tag(p[0]) &&
	    hp_reader_header_at(r, r->heap.end) == HP_NO &&
	    length_wrapped(r, r->heap.end))
		return hp_step_after(say_wrapped(r), HP_SKIPPED);
	return HP_OVER;
}

static enum hprof_status say_longer(struct hprof_reader *r)
{
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_LENGTH, r->heap.offset,
			     "the %s record is longer than its length "
			     "says: the last sub-record, at 0x%" PRIx64
			     ", crosses its end",
			     hprof_tag_name(r->heap.tag), r->window.offset);
}

/*
 * A sub-record from the window's start to END crosses heap_end. HP_HAND_OUT: it
 * is valid nevertheless. HP_OVER: the heap record has been left.
 */
static enum hp_step crosses_end(struct hprof_reader *r, uint64_t end)
{
	uint64_t at = r->window.offset;

	if (stop_unit(r))
		return HP_OVER;
	if (!hp_window_ends_before(&r->window, end) &&
	    hp_reader_header_at(r, end) == HP_YES) {
		r->heap.end = end; /* Q3 */
		return hp_step_after(say_longer(r), HP_HAND_OUT);
	}
	if (length_wrapped(r, end))
		return hp_step_after(say_wrapped(r), HP_HAND_OUT);
	if (hp_window_ends_before(&r->window, r->heap.end))
		return cut_here(r, 0);
	if (hp_reader_say(r, HPROF_ERROR, HP_DIAG_SUB_RECORD_CROSSES, at,
			  "a sub-record crosses the end of its %s record",
			  hprof_tag_name(r->heap.tag)) < 0)
		return HP_STEP_FAILED;
	return leave_at(r, r->heap.end);
}

/* Of a sub-record at AT with which LOST bytes are lost. */
static enum hprof_status say_unreadable(struct hprof_reader *r,
					enum hprof_status why, unsigned tag,
					uint64_t at, uint64_t lost)
{
	const char *s = lost == 1 ? "" : "s";

	if (why == HPROF_E_CORRUPT)
		return hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_TYPE, at,
				     "a %s with a type code that is none; the "
				     "rest of the record, %" PRIu64
				     " byte%s, is lost",
				     hprof_tag_name(HPROF_SUB + tag), lost, s);
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_UNKNOWN_SUB_RECORD, at,
			     "unknown sub-record 0x%02x; the rest of the "
			     "record, %" PRIu64 " byte%s, is lost",
			     tag, lost, s);
}

static enum hprof_status say_shorter(struct hprof_reader *r)
{
	if (r->heap.to_end)
		return HPROF_OK;
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_LENGTH, r->heap.offset,
			     "the %s record is shorter than its length "
			     "says: it ends at 0x%" PRIx64,
			     hprof_tag_name(r->heap.tag), r->window.offset);
}

/* There is no sub-record here: maybe the record is shorter than it says. */
static enum hp_step lost_track(struct hprof_reader *r, enum hprof_status why)
{
	unsigned tag = hp_window_bytes(&r->window)[0];
	uint64_t at = r->window.offset, lost;

	if (stop_unit(r))
		return HP_OVER;
	if (why == HPROF_E_UNSUPPORTED && hp_reader_record_here(r))
		return hp_step_after(say_shorter(r), HP_OVER);
	/* The file may end before the record: how much is lost shows now. */
	lost = hp_window_skip(&r->window, r->heap.end - at);
	if (say_unreadable(r, why, tag, at, lost) < 0)
		return HP_STEP_FAILED;
	return r->heap.to_end ? HP_OVER : leave_at(r, r->heap.end);
}

/* Decodes fixed fields (of CLASS_DUMP: all), enlarging the window as needed. */
static enum hprof_status decode_head(struct hprof_reader *r,
				     struct hprof_record *ret,
				     struct hp_tail *tail, size_t *ret_head)
{
	size_t want = 128;
	size_t n = hp_window_need(&r->window, want);
	const uint8_t *next = NULL;
	enum hprof_status status;

	for (;;) {
		const uint8_t *p = hp_window_bytes(&r->window);
		ret->tag = HPROF_SUB + p[0];
		status = hp_decode_body(p + 1, p + n, r->id_size, ret, tail,
					&next);
		if (status != HPROF_E_TRUNCATED) {
			*ret_head = next ? (size_t)(next - p) : 0;
			return status;
		}
		if (n < want || want == HP_WINDOW_MAX)
			return status;
		want = want * 8 < HP_WINDOW_MAX ? want * 8 : HP_WINDOW_MAX;
		n = hp_window_need(&r->window, want);
	}
}

/* Makes the tail visible, or leaves it to hprof_reader_body. */
static void set_tail(struct hprof_reader *r, const struct hprof_record *ret,
		     struct hp_tail *tail, size_t head)
{
	r->record.visible = head;
	r->record.rest = tail->size;
	r->record.tag = ret->tag;
	if (!tail->bytes)
		return;
	*tail->bytes = (struct hprof_bytes){ NULL, tail->size };
	if (tail->size > LOADED_MAX) {
		r->record.long_body = tail->bytes;
		return;
	}
	hp_window_need(&r->window, head + (size_t)tail->size);
	tail->bytes->data = hp_window_bytes(&r->window) + head;
	r->record.visible += (size_t)tail->size;
	r->record.rest = 0;
}

static enum hprof_status check_sub(struct hprof_reader *r,
				   const struct hprof_record *record)
{
	if (record->tag == HPROF_PRIM_ARRAY_DUMP &&
	    record->u.prim_array_dump.type == HPROF_TYPE_OBJECT)
		return hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_TYPE,
				     record->offset,
				     "a primitive array of references");
	return HPROF_OK;
}

/* Handles a sub-record that cannot be decoded. */
static enum hp_step undecodable(struct hprof_reader *r, enum hprof_status why)
{
	struct hp_window *w = &r->window;

	if (why != HPROF_E_TRUNCATED)
		return lost_track(r, why);
	if (stop_unit(r))
		return HP_OVER;
	if (w->at_end && w->offset + hp_window_size(w) <= r->heap.end)
		return cut_here(r, 0);
	return crosses_end(r, UINT64_MAX);
}

/* Checks that the sub-record of HEAD and TAIL bytes is within the record. */
static enum hp_step check_extent(struct hprof_reader *r,
				 const struct hprof_record *record, size_t head,
				 uint64_t tail)
{
	struct hp_window *w = &r->window;
	uint64_t end = w->offset + head + tail;

	if (end > r->heap.end || end > r->units.stop) {
		enum hp_step step = crosses_end(r, end);
		if (step != HP_HAND_OUT)
			return step;
	}
	/* A long one is found to be truncated only when it is read. */
	if (tail <= LOADED_MAX &&
	    hp_window_need(w, head + (size_t)tail) < head + tail)
		return cut_here(r, record->tag);
	return HP_HAND_OUT;
}

/* Reads a sub-record of the chosen heap record, before the record's end. */
static enum hp_step read_sub(struct hprof_reader *r, struct hprof_record *ret)
{
	struct hp_tail tail = { 0 };
	size_t head = 0;
	enum hprof_status status;
	enum hp_step step;

	r->record.offset = r->window.offset;
	ret->id_size = (uint8_t)r->id_size;
	ret->time_us = 0;
	ret->length = 0;
	ret->rest = (struct hprof_bytes){ NULL, 0 };
	ret->offset = r->record.offset;
	status = decode_head(r, ret, &tail, &head);
	if (status != HPROF_OK)
		return undecodable(r, status);
	const uint8_t *seen = hp_window_bytes(&r->window);
	step = check_extent(r, ret, head, tail.size);
	if (step != HP_HAND_OUT)
		return step;
	if (seen != hp_window_bytes(&r->window)) /* the window has moved */
		decode_head(r, ret, &tail, &head);
	set_tail(r, ret, &tail, head);
	return hp_step_after(check_sub(r, ret), HP_HAND_OUT);
}

enum hp_step hp_reader_next_sub(struct hprof_reader *r,
				struct hprof_record *ret)
{
	struct hp_window *w = &r->window;

	if (!r->heap.chosen)
		return leave_at(r, r->heap.end);
	if (w->offset == r->heap.end) {
		enum hp_step step = at_heap_end(r);
		if (step != HP_SKIPPED)
			return step;
	}
	if (w->offset >= r->units.stop)
		return HP_OVER;
	if (hp_window_need(w, 1) > 0)
		return read_sub(r, ret);
	return r->heap.to_end ? HP_OVER : cut_here(r, r->heap.tag);
}
