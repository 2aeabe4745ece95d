/* SPDX-License-Identifier: MIT */
/*
 * convert_exact.c - an exact copy of a dump that is not damaged.
 */
#include "convert/convert.h"
#include "base/error.h"

static enum hprof_status put(struct hp_convert *c, void *user,
			     struct hprof_record *record)
{
	(void)user;
	if (hprof_copy_record(c->input.reader, c->output.writer, record) < 0)
		return hp_cv_writer_failed(c);
	c->result.objects += hp_cv_is_object(record->tag);
	return HPROF_OK;
}

/* All records as they are; the writer is not finished. */
static enum hprof_status copy(struct hp_convert *c)
{
	c->input.fresh = false;
	if (hprof_writer_header(c->output.writer,
				hprof_reader_header(c->input.reader)) < 0)
		return hp_cv_writer_failed(c);
	return hp_cv_read_all(c, put, NULL);
}

enum hprof_status hp_cv_copy_exact(struct hp_convert *c, bool aloud,
				   bool *ret_done)
{
	enum hprof_status status;

	*ret_done = false;
	HP_TRY(hp_cv_open_reader(c, true));
	HP_TRY(hp_cv_open_writer(c, true, aloud));
	status = copy(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK; /* the writer refuses what is damaged */
	HP_TRY(status);
	if (c->result.errors || c->input.stray)
		return HPROF_OK;
	status = hp_cv_finish(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK;
	*ret_done = status == HPROF_OK;
	c->result.exact = true;
	return status;
}
