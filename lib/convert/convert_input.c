/* SPDX-License-Identifier: MIT */
/*
 * convert_input.c - the input: its reader and diagnostics, passes over all
 * records, and bodies of records, which may be truncated.
 */
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "codec/long_field.h"
#include "stream/reader.h"

/* No class that can be known has instances with more data than this. */
#define DATA_MAX ((uint64_t)16 << 20)

/* ---- diagnostics --------------------------------------------------------- */

/*
 * Where an exact reader finds no record it stops. That is no fault behind a
 * whole dump, unless more records come; another reader looks for these.
 */
static bool is_damaged(struct hp_convert *c)
{
	struct hprof_input input = c->plan->input;
	struct hprof_reader *reader = NULL;
	struct hprof_record record;
	struct hprof_reader_info info = { 0 };
	enum hprof_status status;

	input.progress = NULL; /* the pass that calls this reports progress */
	status = hprof_reader_open(&input, NULL, &reader, NULL);
	while (status == HPROF_OK)
		status = hprof_reader_next(reader, &record);
	if (reader)
		hprof_reader_get_info(reader, &info);
	hprof_reader_close(reader);
	return status < 0 || info.errors > 0;
}

/* The rest of the dump, maybe all of its heap, is in other files. */
static bool is_about_parts(const struct hprof_diagnostic *diagnostic)
{
	return diagnostic->number == HP_DIAG_PART_FILES ||
	       (diagnostic->number == HP_DIAG_NO_HEAP &&
		diagnostic->severity == HPROF_ERROR);
}

/* Each pass meets the same faults again; the caller gets each once. */
static void tell(void *user, const struct hprof_diagnostic *diagnostic)
{
	struct hp_convert *c = user;
	const struct hprof_convert_options *o = &c->plan->options;
	struct hp_cv_input *in = &c->input;

	if (o->repair && is_about_parts(diagnostic) &&
	    hp_cv_find_part_files(c)) {
		in->joined++; /* repaired by joining them */
		return;
	}
	if (in->exact && !in->stray &&
	    diagnostic->number == HP_DIAG_STRAY_BYTES)
		in->stray = is_damaged(c);
	if (in->exact && in->stray)
		return; /* the next pass reports the faults */
	in->damaged = in->damaged || diagnostic->severity == HPROF_ERROR;
	if (in->seen++ < in->told)
		return;
	in->told = in->seen;
	if (o->diagnostic)
		o->diagnostic(o->user, diagnostic);
}

/* ---- the reader ---------------------------------------------------------- */

static struct hprof_reader_options reader_options(struct hp_convert *c)
{
	return (struct hprof_reader_options){
		.size = sizeof(struct hprof_reader_options),
		.strict = c->plan->options.strict,
		.diagnostic = tell,
		.user = c,
	};
}

/*
 * What is compressed does not say how long it is. Where a pass has found it
 * out for the file (0) or a part (1 ...), the reader of the next one knows
 * beforehand which record is cut, as with a plain file.
 */
static void recall_end(struct hp_convert *c, size_t which)
{
	const struct hp_cv_input *in = &c->input;

	if (which < in->end_room && in->ends[which])
		hp_reader_tell_end(in->reader, in->ends[which]);
}

/* The reader is at the end of its input. */
static enum hprof_status note_end(struct hp_convert *c, size_t which)
{
	struct hp_cv_input *in = &c->input;
	struct hprof_reader_info info;

	hprof_reader_get_info(in->reader, &info);
	if (which >= in->end_room) {
		size_t room = which + 1;
		uint64_t *ends = hp_realloc(in->ends, room, sizeof *ends);
		if (!ends)
			return hp_no_memory(c->error);
		memset(ends + in->end_room, 0,
		       (room - in->end_room) * sizeof *ends);
		in->ends = ends;
		in->end_room = room;
	}
	in->ends[which] = info.bytes_read;
	return HPROF_OK;
}

bool hp_cv_must_measure(const struct hp_convert *c)
{
	return c->plan->again && c->input.end_room == 0 &&
	       !hp_reader_knows_end(c->input.reader);
}

enum hprof_status hp_cv_open_reader(struct hp_convert *c, bool exact)
{
	struct hprof_reader_options how = reader_options(c);
	struct hp_cv_input *in = &c->input;

	if (in->fresh && !exact)
		return HPROF_OK;
	in->exact = exact;
	how.exact = exact || how.strict; /* does not look for more records */
	hprof_reader_close(in->reader);
	hp_cv_close_part_file(c);
	in->reader = NULL;
	in->fresh = !exact;
	in->seen = 0;
	in->count = 0;
	in->joined = 0;
	c->result.errors = c->result.warnings = c->result.notes = 0;
	HP_TRY(hprof_reader_open(&c->plan->input, &how, &in->reader, c->error));
	in->reader->listener.phase = "convert";
	recall_end(c, 0);
	return HPROF_OK;
}

void hp_cv_input_done(struct hp_convert *c)
{
	hprof_reader_close(c->input.reader);
	hp_cv_close_part_file(c);
	hp_free(c->input.ends);
	hp_free(c->input.body);
}

/* ---- passes -------------------------------------------------------------- */

/* The reader is at its end. */
static void count_faults(struct hp_convert *c)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(c->input.reader, &info);
	c->result.complete = c->result.complete || info.complete;
	c->result.errors += info.errors - c->input.joined;
	c->result.warnings += info.warnings;
	c->result.notes += info.notes;
	c->input.joined = 0;
}

/* WHICH: 0 for the file itself, N for its Nth part. */
static enum hprof_status read_one(struct hp_convert *c, size_t which,
				  hp_cv_visit_fn *visit, void *user)
{
	struct hprof_reader *reader = c->input.reader;
	struct hprof_record record;
	enum hprof_status got;

	c->input.fresh = false;
	while ((got = hprof_reader_next(reader, &record)) == HPROF_OK) {
		bool last = record.tag == HPROF_HEAP_DUMP_END &&
			    c->plan->options.to_heap_end;

		if (record.tag == HPROF_STRAY && c->plan->options.strict)
			return hp_cv_fail(c, HPROF_E_CORRUPT, record.offset,
					  "it does not end where its records "
					  "do");
		HP_TRY(visit(c, user, &record));
		c->input.count++;
		if (last)
			break;
	}
	count_faults(c);
	if (got < 0) {
		*c->error = *hprof_reader_error(reader);
		return got;
	}
	return note_end(c, which);
}

enum hprof_status hp_cv_read_all(struct hp_convert *c, hp_cv_visit_fn *visit,
				 void *user)
{
	return read_one(c, 0, visit, user);
}

enum hprof_status hp_cv_pass(struct hp_convert *c, hp_cv_visit_fn *visit,
			     void *user)
{
	struct hprof_reader_options how = reader_options(c);

	HP_TRY(hp_cv_open_reader(c, false));
	HP_TRY(hp_cv_read_all(c, visit, user));
	for (unsigned i = 0; i < c->input.part_count; i++) {
		HP_TRY(hp_cv_open_part_file(c, c->input.first_part + i, &how));
		recall_end(c, i + 1);
		HP_TRY(read_one(c, i + 1, visit, user));
	}
	return HPROF_OK;
}

/* ---- kinds of records ---------------------------------------------------- */

bool hp_cv_is_frame(unsigned tag)
{
	return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT ||
	       tag == HPROF_HEAP_DUMP_END;
}

bool hp_cv_is_object(unsigned tag)
{
	return tag == HPROF_INSTANCE_DUMP || tag == HPROF_OBJ_ARRAY_DUMP ||
	       tag == HPROF_PRIM_ARRAY_DUMP ||
	       tag == HPROF_PRIM_ARRAY_NODATA_DUMP;
}

/* ---- bodies -------------------------------------------------------------- */

/* Moves on by SIZE bytes of BODY, of which the reader had only GOT. */
static size_t move_on(struct hprof_bytes *body, size_t got, size_t size)
{
	if (got < size && body->size - got > HP_ZEROS_MOST) {
		body->size = 0; /* the file ends */
		return got;
	}
	body->size -= size;
	return size;
}

size_t hp_cv_next_bytes(struct hp_convert *c, struct hprof_bytes *body,
			uint8_t *out, size_t size)
{
	size_t all = 0, n;

	if (body->size < size)
		size = (size_t)body->size;
	if (body->data) {
		memcpy(out, body->data, size);
		body->data += size;
		body->size -= size;
		return size;
	}
	while (all < size &&
	       hprof_reader_body(c->input.reader, out + all, size - all, &n) ==
		       HPROF_OK &&
	       n > 0)
		all += n;
	memset(out + all, 0, size - all);
	return move_on(body, all, size);
}

size_t hp_cv_pass_bytes(struct hp_convert *c, struct hprof_bytes *body,
			size_t size)
{
	const uint8_t *p;
	size_t all = 0, n;

	if (body->size < size)
		size = (size_t)body->size;
	if (body->data || hp_reader_knows_end(c->input.reader)) {
		body->size -= size;
		return size;
	}
	while (all < size &&
	       hp_reader_body_piece(c->input.reader, size - all, &p, &n) ==
		       HPROF_OK &&
	       n > 0)
		all += n;
	return move_on(body, all, size);
}

bool hp_cv_make_room(uint8_t **buffer, size_t *room, size_t size)
{
	uint8_t *more;

	if (size <= *room)
		return true;
	more = hp_realloc(*buffer, size + size / 2, 1);
	if (!more)
		return false;
	*buffer = more;
	*room = size + size / 2;
	return true;
}

enum hprof_status hp_cv_load(struct hp_convert *c, struct hprof_bytes *body,
			     bool *ret_loaded)
{
	struct hp_cv_input *in = &c->input;
	size_t size = (size_t)body->size;

	*ret_loaded = body->data || body->size <= DATA_MAX;
	if (body->data || size == 0 || !*ret_loaded)
		return HPROF_OK;
	if (!hp_cv_make_room(&in->body, &in->body_room, size))
		return hp_no_memory(c->error);
	size = hp_cv_next_bytes(c, body, in->body, size);
	*body = (struct hprof_bytes){ in->body, size };
	return HPROF_OK;
}
