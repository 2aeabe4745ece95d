/* SPDX-License-Identifier: MIT */
/*
 * writer_segments.c - segments of the writer's own making.
 *
 * They are collected in a buffer of 1 MiB, the first 9 bytes of which are
 * kept for the header. A sub-record that is larger gets a segment for itself,
 * whose length is known beforehand. HEAP_DUMP_INFO holds until the end of its
 * record, so it waits for a sub-record, and is repeated in a new segment.
 *
 * What belongs to one dump is what the reader takes for one (Q8): a run of
 * segments, or one HEAP_DUMP, or HEAP_DUMPs that each have an END right
 * behind, as Shark writes. Since a HEAP_DUMP may follow, END is written only
 * when something else does.
 */
#include <string.h>

#include "base/error.h"
#include "base/wire.h"
#include "codec/tags.h"
#include "stream/writer.h"

/* The HEAP_DUMP_INFO that holds, if there is one. */
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
 * A sub-record with a segment for itself: its header goes out first. Both are
 * at the start of the buffer, so that they can be corrected for a while if the
 * body turns out to be cut.
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

/* Segments are at least half full: what is larger stands alone. */
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

/* Does a heap record of TAG belong to the dump at hand? */
static bool goes_on(const struct hprof_writer *w, unsigned tag)
{
	return tag == w->heap_tag && w->end_due == (tag == HPROF_HEAP_DUMP);
}

static enum hprof_status put_own_heap(struct hprof_writer *w,
				      const struct hprof_record *r)
{
	if (!goes_on(w, r->tag))
		HP_TRY(hp_writer_end_own(w));
	if (w->info_size) { /* it held until here */
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
	/* Of no dump, or of one that was left out: the end of the file tells. */
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
