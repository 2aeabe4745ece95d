/* SPDX-License-Identifier: MIT */
/*
 * writer.c - writes records. Exact mode, which keeps segments, is here;
 * segments that the writer makes are in writer_segments.c, the end of a body
 * that is cut in writer_cut.c, the only place that goes back in the output.
 */
#include "stream/writer.h"

#include <string.h>

#include "codec/encode.h"
#include "codec/long_field.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"
#include "codec/tags.h"

/* ---- exact mode ---------------------------------------------------------- */

/*
 * True if the heap record is full. Its length may have wrapped at 4 GiB, or may
 * never have been filled in.
 */
static bool heap_is_full(const struct hprof_writer *w)
{
	return w->heap_left == 0 || w->heap_to_end ||
	       (w->may_wrap && (w->heap_left & UINT32_MAX) == 0);
}

static enum hprof_status put_exact_heap(struct hprof_writer *w,
					const struct hprof_record *r)
{
	uint8_t header[HPROF_RECORD_HEADER] = { (uint8_t)r->tag };
	uint64_t size = r->u.heap_dump.body.size;

	if (size > UINT32_MAX)
		return hp_writer_refuse(w, "a heap record of 4 GiB or more");
	hp_put32(header + 1, r->time_us);
	hp_put32(header + 5, (uint32_t)size);
	HP_TRY(hp_writer_bytes(w, header, sizeof header));
	w->in_heap = true;
	w->may_wrap = r->tag == HPROF_HEAP_DUMP;
	w->heap_to_end = size == 0;
	w->heap_left = size;
	return HPROF_OK;
}

static enum hprof_status put_exact_sub(struct hprof_writer *w,
				       const struct hprof_record *r,
				       uint64_t size)
{
	if (!w->in_heap)
		return hp_writer_refuse(w,
					"a sub-record outside a heap record");
	if (size > w->heap_left && !w->may_wrap && !w->heap_to_end)
		return hp_writer_refuse(
			w, "a sub-record crosses the end of its record");
	HP_TRY(hp_writer_record(w, r, size));
	w->heap_left -= size;
	return HPROF_OK;
}

static enum hprof_status put_exact(struct hprof_writer *w,
				   const struct hprof_record *r, uint64_t size)
{
	if (r->tag >= HPROF_SUB)
		return put_exact_sub(w, r, size);
	if (w->in_heap && !heap_is_full(w))
		return hp_writer_refuse(w,
					"the heap record before is not full");
	if (hp_tag_is_heap(r->tag))
		return put_exact_heap(w, r);
	w->in_heap = false;
	return hp_writer_record(w, r, size);
}

/* ---- public functions ---------------------------------------------------- */

static enum hprof_status check_state(struct hprof_writer *w)
{
	if (w->dead)
		return w->dead;
	if (w->finished)
		return hp_writer_refuse(w, "the writer is finished");
	if (w->id_size == 0)
		return hp_writer_refuse(w, "no header yet");
	if (w->open.left)
		return hp_writer_refuse(w, "the body before is not complete");
	return HPROF_OK;
}

/* Can a record follow? */
static enum hprof_status check_place(struct hprof_writer *w)
{
	HP_TRY(check_state(w));
	if (w->stray)
		return hp_writer_refuse(
			w, "a record behind bytes that are no record");
	if (w->cut)
		return hp_writer_refuse(w, "a record behind one that is cut");
	return HPROF_OK;
}

/*
 * Checks everything that can be wrong with a single record, before anything is
 * written or changed. *RET_SIZE is 0 for heap records.
 */
static enum hprof_status check_record(struct hprof_writer *w,
				      const struct hprof_record *r,
				      uint64_t *ret_size)
{
	const struct hprof_bytes *tail = hp_record_long_field(r);
	bool later = tail && tail->size && !tail->data;

	*ret_size = 0;
	if (r->tag >= 2 * HPROF_SUB ||
	    (r->tag >= HPROF_SUB && !hprof_record_describe(r->tag)))
		return hp_writer_refuse(w, "an unknown sub-record");
	if (hp_tag_is_heap(r->tag))
		return HPROF_OK;
	if (r->rest.size && (later || !r->rest.data))
		return hp_writer_refuse(
			w, "bytes behind the fields that come later");
	if (hprof_record_size(r, w->id_size, ret_size) != HPROF_OK ||
	    (r->tag == HPROF_CLASS_DUMP &&
	     !hp_class_lists_agree(&r->u.class_dump, w->id_size)))
		return hp_writer_refuse(w, "a record contradicts itself");
	return HPROF_OK;
}

enum hprof_status hprof_writer_put(struct hprof_writer *w,
				   const struct hprof_record *r)
{
	uint64_t size;

	HP_TRY(check_place(w));
	if (!r)
		return hp_writer_refuse(w, "no record");
	HP_TRY(check_record(w, r, &size));
	return w->exact ? put_exact(w, r, size) : hp_writer_put_own(w, r, size);
}

enum hprof_status hprof_writer_body(struct hprof_writer *w, const void *bytes,
				    size_t size)
{
	if (w->dead)
		return w->dead;
	if (size > w->open.left)
		return hp_writer_refuse(w, "more bytes than the body has");
	if (size && !bytes)
		return hp_writer_refuse(w, "no bytes");
	HP_TRY(hp_writer_bytes(w, bytes, size));
	w->open.left -= size;
	return HPROF_OK;
}

enum hprof_status hprof_writer_raw(struct hprof_writer *w, const void *bytes,
				   size_t size)
{
	HP_TRY(check_state(w));
	if (!w->exact)
		return hp_writer_refuse(w, "bytes that are no record");
	if (w->in_heap && !heap_is_full(w))
		return hp_writer_refuse(w,
					"the heap record before is not full");
	if (size && !bytes)
		return hp_writer_refuse(w, "no bytes");
	w->in_heap = false;
	w->stray = w->stray || size > 0;
	return hp_writer_bytes(w, bytes, size);
}

/* Encodes the header; false if a reader would refuse it. */
static bool encode_header(const struct hprof_header *header, bool exact,
			  uint8_t *bytes, size_t room, size_t *ret_used)
{
	static const char plain[] = "JAVA PROFILE 1.0.1";
	struct hprof_header own;

	if (hprof_header_encode(header, bytes, room, ret_used) != HPROF_OK ||
	    hprof_header_decode(bytes, *ret_used, &own, ret_used) != HPROF_OK)
		return false;
	if (!exact && strcmp(own.version, plain) == 0)
		bytes[sizeof plain - 2] = '2';
	return true;
}

enum hprof_status hprof_writer_header(struct hprof_writer *w,
				      const struct hprof_header *header)
{
	uint8_t bytes[HPROF_VERSION_MAX + 16];
	size_t used;

	if (w->dead)
		return w->dead;
	if (w->id_size != 0)
		return hp_writer_refuse(w, "a second header");
	if (!header)
		return hp_writer_refuse(w, "no header");
	if (header->id_size != 4 && header->id_size != 8)
		return hp_writer_refuse(w,
					"identifiers must have 4 or 8 bytes");
	if (!encode_header(header, w->exact, bytes, sizeof bytes, &used))
		return hp_writer_refuse(
			w, "a version that is not 'JAVA PROFILE ...'");
	HP_TRY(hp_writer_bytes(w, bytes, used));
	w->id_size = header->id_size;
	return HPROF_OK;
}

static enum hprof_status finish_sink(struct hprof_writer *w)
{
	if (w->sink->ops->finish(w->sink) != HPROF_OK) {
		w->error = w->sink->error;
		return w->dead = w->error.status;
	}
	w->finished = true;
	return HPROF_OK;
}

enum hprof_status hprof_writer_finish(struct hprof_writer *w)
{
	HP_TRY(check_state(w));
	if (w->in_heap && !heap_is_full(w))
		return hp_writer_refuse(w,
					"the heap record before is not full");
	if (!w->cut)
		HP_TRY(hp_writer_end_file(w));
	HP_TRY(hp_writer_flush(w));
	return finish_sink(w);
}

enum hprof_status hp_writer_finish_part(struct hprof_writer *w)
{
	hp_sink_path_give_up(w->sink);
	return hprof_writer_finish(w);
}

enum hprof_status hp_writer_name_part(struct hprof_writer *w)
{
	return finish_sink(w);
}

int hp_writer_descriptor(const struct hprof_writer *w)
{
	return hp_sink_path_descriptor(w->sink);
}

void hp_writer_skip(struct hprof_writer *w, uint64_t size)
{
	w->size += size;
}

const struct hprof_error *hprof_writer_error(const struct hprof_writer *w)
{
	return &w->error;
}

uint64_t hprof_writer_size(const struct hprof_writer *w)
{
	return w->size;
}
