/* SPDX-License-Identifier: MIT */
/*
 * convert_output.c - the writer, and how records and their bodies reach it.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "codec/long_field.h"
#include "stream/writer.h"

/* ---- the writer ---------------------------------------------------------- */

static int discard(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

enum hprof_status hp_cv_open_writer(struct hp_convert *c, bool exact,
				    bool aloud)
{
	const struct hp_cv_plan *plan = c->plan;
	struct hprof_writer_options how = plan->output;
	struct hprof_writer **writer = &c->output.writer;

	c->result.objects = 0;
	if (plan->writer) {
		*writer = plan->writer;
		return HPROF_OK;
	}
	hprof_writer_free(*writer);
	*writer = NULL;
	how.size = sizeof how;
	how.exact = exact;
	if (!aloud) {
		how.compression = HPROF_PLAIN;
		how.level = 0;
		return hprof_writer_open_callback(discard, NULL, &how, writer,
						  c->error);
	}
	if (plan->out)
		return hprof_writer_create(plan->out, &how, writer, c->error);
	return hprof_writer_open_fd(plan->fd, &how, writer, c->error);
}

enum hprof_status hp_cv_writer_failed(struct hp_convert *c)
{
	*c->error = *hprof_writer_error(c->output.writer);
	return c->error->status;
}

enum hprof_status hp_cv_finish(struct hp_convert *c)
{
	/* The caller finishes one of its own. */
	if (!c->plan->writer && hprof_writer_finish(c->output.writer) < 0)
		return hp_cv_writer_failed(c);
	c->result.bytes = hprof_writer_size(c->output.writer);
	return HPROF_OK;
}

/* ---- records ------------------------------------------------------------- */

enum hprof_status hp_cv_fits(struct hp_convert *c, uint64_t id, uint64_t offset)
{
	unsigned to = c->plan->to;

	if (to == 8 || id >> 8 * to == 0)
		return HPROF_OK;
	return hp_cv_fail(c, HPROF_E_LIMIT, offset,
			  "the identifier 0x%" PRIx64 " does not fit %u bytes",
			  id, to);
}

static enum hprof_status check_ids(struct hp_convert *c,
				   const struct hprof_record *r)
{
	const struct hprof_record_info *info = hprof_record_describe(r->tag);
	uint64_t id;

	for (unsigned i = 0; info && i < info->field_count; i++) {
		if (info->fields[i].kind != HPROF_KIND_ID)
			continue;
		memcpy(&id, (const char *)r + info->fields[i].offset,
		       sizeof id);
		HP_TRY(hp_cv_fits(c, id, r->offset));
	}
	return HPROF_OK;
}

void hp_cv_lose(struct hp_convert *c, uint64_t offset, const char *why)
{
	if (c->output.counting)
		return;
	c->output.lost++;
	hp_cv_say(c, HPROF_ERROR, HP_DIAG_NOT_CONVERTED, offset, why);
}

/*
 * A record that is too large for the format, or where the writer does not take
 * one, is damage of the input.
 */
static enum hprof_status refused(struct hp_convert *c,
				 const struct hprof_record *r)
{
	const struct hprof_error *error = hprof_writer_error(c->output.writer);

	if (error->status != HPROF_E_USAGE)
		return hp_cv_writer_failed(c);
	hp_cv_lose(c, r->offset, error->text);
	return HPROF_OK;
}

static void count_record(struct hp_convert *c, const struct hprof_record *r)
{
	uint64_t size;

	if (r->tag >= HPROF_SUB &&
	    hprof_record_size(r, c->plan->to, &size) == HPROF_OK)
		c->output.heap_bytes += size;
}

enum hprof_status hp_cv_emit_head(struct hp_convert *c,
				  const struct hprof_record *r,
				  bool *ret_body_due)
{
	bool body_due = false;

	if (c->plan->to < c->plan->from)
		HP_TRY(check_ids(c, r));
	if (c->output.counting)
		count_record(c, r);
	else if (hprof_writer_put(c->output.writer, r) < 0)
		HP_TRY(refused(c, r));
	else
		body_due = true;
	c->result.objects += body_due && hp_cv_is_object(r->tag);
	*ret_body_due = body_due;
	return HPROF_OK;
}

enum hprof_status hp_cv_body(struct hp_convert *c, const void *bytes,
			     size_t size)
{
	assert(!c->output.counting);
	if (hprof_writer_body(c->output.writer, bytes, size) < 0)
		return hp_cv_writer_failed(c);
	return HPROF_OK;
}

/*
 * A reader that knows where the input ends shortens the record before its head
 * is written. Otherwise that is done here, even where the writer has zeros for
 * what is missing of the converted body: zeros of the input have been counted.
 */
enum hprof_status hp_cv_body_end(struct hp_convert *c,
				 const struct hprof_record *r)
{
	struct hprof_writer *w = c->output.writer;

	if (w->open.left == 0)
		return HPROF_OK;
	assert(!w->exact);
	if (hp_writer_shorten(w) < 0)
		return hp_cv_writer_failed(c);
	if (w->cut)
		hp_cv_lose(c, r->offset,
			   "the file ends inside of the record, whose "
			   "beginning has gone down a pipe or a compressor: "
			   "the result ends there, too");
	return HPROF_OK;
}

enum hprof_status hp_cv_emit(struct hp_convert *c, struct hprof_record *r)
{
	const struct hprof_bytes *late = hp_record_late_field(r);
	struct hprof_bytes body = late ? *late : (struct hprof_bytes){ 0 };
	bool body_due;
	size_t n;

	r->id_size = (uint8_t)c->plan->to;
	HP_TRY(hp_cv_emit_head(c, r, &body_due));
	while (body_due && body.size > 0) {
		n = hp_cv_next_bytes(c, &body, c->output.piece, HP_PIECE);
		HP_TRY(hp_cv_body(c, c->output.piece, n));
	}
	return body_due ? hp_cv_body_end(c, r) : HPROF_OK;
}
