/* SPDX-License-Identifier: MIT */
/*
 * reader.c - reads records in order: framing of top-level records, and several
 * dumps in a file. A single record is in reader_record.c, sub-records in
 * reader_heap.c, recovery in reader_recover.c, opening in reader_open.c. Quirk
 * numbers (Q1 ...) are explained in hprof(5).
 */
#include "stream/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codec/decode.h"
#include "codec/long_field.h"
#include "codec/tags.h"
#include "base/error.h"

/* ---- dumps in a file (Q8) ------------------------------------------------ */

static bool chosen(const struct hprof_reader *r)
{
	return r->options.exact || r->dumps.current == r->dumps.chosen;
}

/* Decides whether a heap record belongs to the current dump or a new one. */
static void count_heap_record(struct hprof_reader *r, unsigned tag)
{
	bool goes_on =
		tag == HPROF_HEAP_DUMP_SEGMENT
			? r->dumps.state == DUMP_SEGMENTS
			: r->dumps.state == DUMP_ENDED && r->dumps.shark_pair &&
				  r->seen.last_tag == HPROF_HEAP_DUMP_END;

	if (!goes_on) {
		hp_reader_note_whole(r);
		r->dumps.current++;
	}
	r->dumps.state = tag == HPROF_HEAP_DUMP ? DUMP_RECORD : DUMP_SEGMENTS;
}

static void count_end_record(struct hprof_reader *r)
{
	if (r->dumps.state == DUMP_ENDED &&
	    r->seen.last_tag != HPROF_HEAP_DUMP_END)
		r->dumps.shark_pair = false; /* other records were in between */
	if (r->dumps.state == DUMP_NONE || r->dumps.state == DUMP_ENDED)
		return;
	r->dumps.shark_pair = r->dumps.state == DUMP_RECORD;
	r->dumps.state = DUMP_ENDED;
	if (chosen(r))
		r->dumps.chosen_complete = true;
}

/* ---- records ------------------------------------------------------------- */

/* Bookkeeping for a known record that is returned. */
static enum hprof_status note_record(struct hprof_reader *r,
				     const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_LOAD_CLASS:
		hp_reader_note_class(r, record->u.load_class.class_id);
		break;
	case HPROF_CONTROL_SETTINGS:
	case HPROF_ALLOC_SITES:
	case HPROF_CPU_SAMPLES:
	case HPROF_HEAP_SUMMARY:
		r->seen.profile = true;
		break;
	case HPROF_HEAP_DUMP_END:
		r->seen.heap_dump_end = true;
		count_end_record(r);
		break;
	}
	r->seen.last_tag = record->tag;
	if (record->rest.size == 0)
		return HPROF_OK;
	return hp_reader_say(
		r, HPROF_WARNING, HP_DIAG_EXTRA_BYTES, r->record.offset,
		"%" PRIu64 " bytes behind the fields of a %s record",
		record->rest.size, hprof_tag_name(record->tag));
}

static void peek_header(struct hprof_reader *r, struct hprof_record *ret)
{
	const uint8_t *p = hp_window_bytes(&r->window);

	ret->tag = p[0];
	ret->id_size = (uint8_t)r->id_size;
	ret->time_us = hp_get32(p + 1);
	ret->length = hp_get32(p + 5);
	ret->offset = r->record.offset;
	ret->rest = (struct hprof_bytes){ NULL, 0 };
}

/* Returns a heap record as a unit, enters it, or skips it. */
static enum hp_step heap_record(struct hprof_reader *r,
				struct hprof_record *ret)
{
	bool counts = !r->units.is_unit || r->units.goes_on;

	if (counts)
		count_heap_record(r, ret->tag);
	r->seen.last_tag = ret->tag;
	r->heap.chosen = !counts || chosen(r);
	if (r->options.units && r->heap.chosen && hp_reader_make_unit(r, ret))
		return HP_HAND_OUT;
	return hp_step_after(hp_reader_enter_heap(r, ret),
			     r->heap.chosen ? HP_HAND_OUT : HP_SKIPPED);
}

/* Reads one top-level record. */
static enum hp_step next_top(struct hprof_reader *r, struct hprof_record *ret)
{
	enum hp_step step;
	size_t n = hp_window_need(&r->window, HPROF_RECORD_HEADER);

	r->record.offset = r->window.offset;
	if (n < HPROF_RECORD_HEADER)
		return hp_reader_short_tail(r, n, ret);
	peek_header(r, ret);
	r->seen.records++;
	if (hp_tag_is_heap(ret->tag))
		return heap_record(r, ret);
	if (r->units.is_unit && !r->units.goes_on) { /* its parent reads it */
		r->units.stopped_early = true;
		r->units.stop = 0;
		return HP_SKIPPED;
	}
	if (!hprof_record_describe(ret->tag))
		return hp_reader_unknown(r, ret);
	step = hp_reader_record(r, ret);
	if (step != HP_HAND_OUT)
		return step;
	return hp_step_after(note_record(r, ret), HP_HAND_OUT);
}

/* True for the body of stray bytes, whose size is not known. */
static bool is_endless(const struct hprof_reader *r)
{
	return r->record.rest >= UINT64_MAX / 2;
}

/* Drops the record that the last call returned. */
static void drop_record(struct hprof_reader *r)
{
	hp_window_consume(&r->window, r->record.visible);
	r->record.visible = 0;
	r->record.long_body = NULL;
	if (r->record.rest == 0)
		return;
	uint64_t skip = r->record.rest;
	bool endless = is_endless(r);
	r->record.rest = 0;
	if (hp_window_skip(&r->window, skip) < skip && !r->seen.truncation &&
	    !endless) {
		r->seen.truncation = true;
		hp_reader_say(r, HPROF_ERROR, HP_DIAG_TRUNCATED,
			      r->record.offset,
			      "the file ends inside the %s record",
			      hprof_tag_name(r->record.tag));
	}
}

static bool at_stop(const struct hprof_reader *r)
{
	return r->units.is_unit && r->window.offset >= r->units.stop;
}

/*
 * One step from the current position: a unit, a sub-record or a top-level
 * record. HP_OVER: the input, or the unit being read, has ended.
 */
static enum hp_step take_step(struct hprof_reader *r, struct hprof_record *ret)
{
	enum hp_step step;

	if (r->units.split.at && hp_reader_split_unit(r, ret))
		return HP_HAND_OUT;
	if (r->heap.inside) {
		step = hp_reader_next_sub(r, ret);
		if (step != HP_OVER)
			return step;
		r->heap.inside = false;
		return HP_SKIPPED;
	}
	if (at_stop(r) || hp_window_need(&r->window, 1) == 0)
		return HP_OVER;
	step = next_top(r, ret);
	if (step == HP_SKIPPED)
		drop_record(r);
	return step;
}

enum hprof_status hprof_reader_next(struct hprof_reader *r,
				    struct hprof_record *ret)
{
	enum hp_step step = HP_SKIPPED;

	HP_NEED(NULL, r);
	HP_NEED(&r->error, ret);
	if (r->status != HPROF_OK || !hp_reader_go_on(r))
		return r->status;
	drop_record(r);
	while (step == HP_SKIPPED && r->status == HPROF_OK)
		step = take_step(r, ret);
	if (r->status != HPROF_OK)
		return r->status;
	if (step == HP_HAND_OUT)
		return HPROF_OK;
	HP_TRY(hp_reader_source_failure(r));
	HP_TRY(hp_reader_finish(r));
	return r->status = HPROF_END;
}

/* ---- long bodies --------------------------------------------------------- */

/* The input ends inside the body. The next step finds the end of the input. */
static enum hprof_status body_cut(struct hprof_reader *r)
{
	HP_TRY(hp_reader_source_failure(r));
	return hp_fail(&r->error, HPROF_E_TRUNCATED, r->record.offset,
		       "the file ends inside the %s record",
		       hprof_tag_name(r->record.tag));
}

enum hprof_status hp_reader_body_piece(struct hprof_reader *r, size_t most,
				       const uint8_t **ret_p, size_t *ret_size)
{
	struct hp_window *w = &r->window;
	size_t n = 0;

	if (r->status < 0)
		return r->status;
	if (!r->record.long_body || r->status != HPROF_OK)
		return hp_fail(&r->error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "the record has no body to be read in pieces");
	if (!hp_reader_go_on(r))
		return r->status;
	hp_window_consume(w, r->record.visible);
	r->record.visible = 0;
	if (most > r->record.rest)
		most = (size_t)r->record.rest;
	if (most > 0) {
		n = hp_window_need(w, 1);
		if (n == 0 && !is_endless(r))
			return body_cut(r);
	}
	if (n > most)
		n = most;
	*ret_p = hp_window_bytes(w);
	*ret_size = n;
	hp_window_consume(w, n);
	r->record.rest -= n;
	return HPROF_OK;
}

enum hprof_status hprof_reader_body(struct hprof_reader *r, void *buffer,
				    size_t room, size_t *ret_read)
{
	const uint8_t *p;
	size_t n;

	HP_NEED(NULL, r);
	HP_NEED(&r->error, ret_read);
	if (room > 0)
		HP_NEED(&r->error, buffer);
	HP_TRY(hp_reader_body_piece(r, room, &p, &n));
	if (n > 0)
		memcpy(buffer, p, n);
	*ret_read = n;
	return HPROF_OK;
}

bool hp_reader_knows_end(const struct hprof_reader *r)
{
	return r->source->size != UINT64_MAX || r->told_end != 0;
}

void hp_reader_tell_end(struct hprof_reader *r, uint64_t end)
{
	r->told_end = end;
}

void hp_reader_clamp_record(struct hprof_reader *r, struct hprof_record *record)
{
	const struct hprof_bytes *late = hp_record_late_field(record);
	uint64_t size = r->told_end ? r->told_end : r->source->size,
		 at = r->window.offset + r->record.visible;

	if (!late || late->size <= HP_ZEROS_MOST || !hp_reader_knows_end(r))
		return;
	uint64_t there = size > at ? size - at : 0;
	if (there < late->size - HP_ZEROS_MOST)
		hp_record_shorten(record, there);
}

bool hp_reader_pass_body(struct hprof_reader *r)
{
	if (r->record.rest == 0)
		return true;
	drop_record(r);
	return !r->seen.truncation;
}

size_t hp_reader_heap_bytes(struct hprof_reader *r, const uint8_t **ret_p)
{
	uint64_t end =
		r->heap.end < r->units.stop ? r->heap.end : r->units.stop;

	if (r->status != HPROF_OK || !r->heap.inside || !r->heap.chosen ||
	    !hp_reader_go_on(r))
		return 0;
	drop_record(r);
	if (r->window.offset >= end)
		return 0;
	size_t n = hp_window_need(&r->window, 4096);
	*ret_p = hp_window_bytes(&r->window);
	return n < end - r->window.offset ? n
					  : (size_t)(end - r->window.offset);
}
