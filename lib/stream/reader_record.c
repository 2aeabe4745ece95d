/* SPDX-License-Identifier: MIT */
/*
 * reader_record.c - reads one known top-level record: in memory as a whole, or,
 * if it is larger than the window, its fixed fields, followed by a long body.
 */
#include "stream/reader.h"

#include <inttypes.h>

#include "codec/decode.h"

static enum hp_step truncated_record(struct hprof_reader *r,
				     const struct hprof_record *record)
{
	r->seen.truncation = true;
	hp_window_skip(&r->window, UINT64_MAX);
	return hp_step_after(hp_reader_say(r, HPROF_ERROR, HP_DIAG_TRUNCATED,
					   r->record.offset,
					   "the file ends inside the %s record",
					   hprof_tag_name(record->tag)),
			     HP_SKIPPED);
}

static enum hp_step impossible_length(struct hprof_reader *r,
				      const struct hprof_record *record)
{
	hp_window_skip(&r->window,
		       HPROF_RECORD_HEADER + (uint64_t)record->length);
	return hp_step_after(
		hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_LENGTH,
			      r->record.offset,
			      "a %s record of impossible length %" PRIu32,
			      hprof_tag_name(record->tag), record->length),
		HP_SKIPPED);
}

/* Starts the long body of a record that is larger than the window. */
static enum hp_step enter_long_record(struct hprof_reader *r,
				      struct hprof_record *ret)
{
	struct hp_tail tail;
	enum { FIELDS = 64 }; /* more than any record has before its tail */
	const uint8_t *next = NULL;
	size_t n = hp_window_need(&r->window, HPROF_RECORD_HEADER + FIELDS);
	const uint8_t *p = hp_window_bytes(&r->window) + HPROF_RECORD_HEADER;
	const uint8_t *end = hp_window_bytes(&r->window) + n;
	enum hprof_status status =
		hp_decode_body(p, end, r->id_size, ret, &tail, &next);

	if (status == HPROF_E_TRUNCATED)
		return truncated_record(r, ret);
	if (status == HPROF_E_UNSUPPORTED) { /* an unknown record */
		tail.bytes = &ret->u.unknown.body;
		tail.rest = true;
		next = p;
	}
	if (!tail.bytes ||
	    (!tail.rest && hp_room(p, next) + tail.size != ret->length))
		return impossible_length(r, ret);
	r->record.visible = HPROF_RECORD_HEADER + hp_room(p, next);
	r->record.rest = ret->length - hp_room(p, next);
	r->record.tag = ret->tag;
	*tail.bytes = (struct hprof_bytes){ NULL, r->record.rest };
	r->record.long_body = tail.bytes;
	return HP_HAND_OUT;
}

enum hp_step hp_reader_record(struct hprof_reader *r, struct hprof_record *ret)
{
	uint64_t size = HPROF_RECORD_HEADER + (uint64_t)ret->length;
	size_t used;

	if (size > HP_WINDOW_MAX)
		return enter_long_record(r, ret);
	if (hp_window_need(&r->window, (size_t)size) < size)
		return truncated_record(r, ret);
	r->record.visible = (size_t)size;
	if (hprof_record_decode(hp_window_bytes(&r->window), (size_t)size,
				r->id_size, ret, &used) == HPROF_OK)
		return HP_HAND_OUT;
	return hp_step_after(hp_reader_say(r, HPROF_ERROR, HP_DIAG_BAD_LENGTH,
					   r->record.offset,
					   "a %s record of %" PRIu32
					   " bytes cannot hold its fields",
					   hprof_tag_name(ret->tag),
					   ret->length),
			     HP_SKIPPED);
}
