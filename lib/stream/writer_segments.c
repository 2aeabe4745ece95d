/* SPDX-License-Identifier: MIT */
/*
 * writer_segments.c - segments that the writer makes.
 *
 * They are collected in a buffer of 1 MiB, whose first 9 bytes are reserved for
 * the header. A larger sub-record gets a segment for itself, whose length is
 * known beforehand. HEAP_DUMP_INFO is in effect until the end of its record, so
 * it is delayed until a sub-record follows, and repeated in a new segment.
 *
 * What belongs to one dump is defined as in the reader (Q8): a run of segments,
 * or one HEAP_DUMP, or several HEAP_DUMPs that are each followed by an END, as
 * Shark writes. Since another HEAP_DUMP may follow, END is not written until
 * something else follows.
 */
#include <string.h>

#include "base/error.h"
#include "base/wire.h"
#include "codec/tags.h"
#include "stream/writer.h"

/* Writes the HEAP_DUMP_INFO in effect, if any. */
static enum hprof_status write_info(struct hprof_writer *w)
{
	w->info_due = false;
	return w->info_size ? hp_writer_small(w, &w->info, w->info_size, 0)
			    : HPROF_OK;
}

static enum hprof_status begin_segment(struct hprof_writer *w)
{
	static const uint8_t later[HPROF_RECORD_HEADER];

	HP_TRY(hp_writer_flush(w));
	w->in_segment = true;
	memcpy(w->buffer, later, sizeof later);
	w->used = sizeof later;
	w->size += sizeof later;
	return write_info(w);
}

static enum hprof_status end_segment(struct hprof_writer *w)
{
	return w->in_segment ? hp_writer_flush(w) : HPROF_OK;
}

/*
 * Puts a sub-record into a segment of its own, whose header is written first.
 * Both are at the start of the buffer, so that they can be corrected for a
 * while if the body turns out to be truncated.
 */
static enum hprof_status put_alone(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size)
{
	uint8_t header[HPROF_RECORD_HEADER] = { HPROF_HEAP_DUMP_SEGMENT };

	if (size + w->info_size > UINT32_MAX)
		return hp_writer_refuse(w, "a sub-record of 4 GiB or more");
	HP_TRY(hp_writer_flush(w));
	hp_put32(header + 1, w->segment_time_us);
	hp_put32(header + 5, (uint32_t)(size + w->info_size));
	HP_TRY(hp_writer_bytes(w, header, sizeof header));
	HP_TRY(write_info(w));
	HP_TRY(hp_writer_record(w, r, size));
	w->open.own_segment = w->open.left > 0;
	return HPROF_OK;
}

/* Larger ones than half a segment stand alone, so segments are half full. */
static enum hprof_status put_in_segment(struct hprof_writer *w,
					const struct hprof_record *r,
					uint64_t size)
{
	if (size > HP_SEGMENT / 2)
		return put_alone(w, r, size);
	if (!w->in_segment || w->used + w->info_size + size > HP_SEGMENT) {
		HP_TRY(end_segment(w));
		HP_TRY(begin_segment(w));
	} else if (w->info_due) {
		HP_TRY(write_info(w));
	}
	return hp_writer_record(w, r, size);
}

static enum hprof_status
put_own_sub(struct hprof_writer *w, const struct hprof_record *r, uint64_t size)
{
	if (w->end_due || (!w->heap_tag && w->heap_ended))
		return hp_writer_refuse(w, "a sub-record behind HEAP_DUMP_END");
	if (r->tag == HPROF_HEAP_DUMP_INFO) {
		w->info = *r;
		w->info_size = size;
		w->info_due = true;
	} else {
		HP_TRY(put_in_segment(w, r, size));
	}
	if (!w->heap_tag)
		w->heap_tag = HPROF_HEAP_DUMP_SEGMENT;
	return HPROF_OK;
}

static enum hprof_status put_end(struct hprof_writer *w, uint32_t time_us)
{
	uint8_t end[HPROF_RECORD_HEADER] = { HPROF_HEAP_DUMP_END };

	hp_put32(end + 1, time_us);
	return hp_writer_bytes(w, end, sizeof end);
}

enum hprof_status hp_writer_end_own(struct hprof_writer *w)
{
	if (!w->heap_tag)
		return HPROF_OK;
	HP_TRY(end_segment(w));
	HP_TRY(put_end(w, w->end_due ? w->end_time_us : w->segment_time_us));
	w->heap_tag = 0;
	w->end_due = false;
	w->heap_ended = true;
	w->info_size = 0;
	return HPROF_OK;
}

enum hprof_status hp_writer_end_file(struct hprof_writer *w)
{
	if (w->end_alone && !w->heap_tag && !w->heap_ended)
		return put_end(w, w->end_time_us);
	return hp_writer_end_own(w);
}

/* True if a heap record of TAG belongs to the current dump. */
static bool goes_on(const struct hprof_writer *w, unsigned tag)
{
	return tag == w->heap_tag && w->end_due == (tag == HPROF_HEAP_DUMP);
}

static enum hprof_status put_own_heap(struct hprof_writer *w,
				      const struct hprof_record *r)
{
	if (!goes_on(w, r->tag))
		HP_TRY(hp_writer_end_own(w));
	if (w->info_size) { /* it was in effect until here */
		HP_TRY(end_segment(w));
		w->info_size = 0;
	}
	w->segment_time_us = r->time_us;
	w->heap_tag = r->tag;
	w->end_due = false;
	return HPROF_OK;
}

static enum hprof_status put_own_end(struct hprof_writer *w,
				     const struct hprof_record *r)
{
	/* Without a dump before it, it is written at the end of the file. */
	if (!w->heap_tag)
		w->end_alone = true;
	else
		w->end_due = true;
	w->end_time_us = r->time_us;
	return HPROF_OK;
}

enum hprof_status hp_writer_put_own(struct hprof_writer *w,
				    const struct hprof_record *r, uint64_t size)
{
	if (hp_tag_is_heap(r->tag))
		return put_own_heap(w, r);
	if (r->tag == HPROF_HEAP_DUMP_END)
		return put_own_end(w, r);
	if (r->tag >= HPROF_SUB)
		return put_own_sub(w, r, size);
	if (w->end_due)
		HP_TRY(hp_writer_end_own(w));
	HP_TRY(end_segment(w));
	return hp_writer_record(w, r, size);
}
