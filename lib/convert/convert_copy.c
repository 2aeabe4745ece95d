/* SPDX-License-Identifier: MIT */
/*
 * convert_copy.c - one pass: what the reader hands out to the writer.
 */
#include <stdarg.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "stream/reader.h"

/* ---- faults --------------------------------------------------------------- */

/*
 * Where an exact reader finds no record it stops. That is no fault behind a
 * whole dump, unless more records come; another reader looks for these.
 */
static bool is_damaged(struct hp_convert *c)
{
	struct hprof_input input = c->input;
	struct hprof_reader *reader = NULL;
	struct hprof_record record;
	struct hprof_reader_info info = { 0 };
	enum hprof_status status;

	input.progress = NULL; /* the pass around this one tells it */
	status = hprof_reader_open(&input, NULL, &reader, NULL);
	while (status == HPROF_OK)
		status = hprof_reader_next(reader, &record);
	if (reader)
		hprof_reader_get_info(reader, &info);
	hprof_reader_close(reader);
	return status < 0 || info.errors > 0;
}

/* What is read again has the same faults again. */
static void tell(void *user, const struct hprof_diagnostic *diagnostic)
{
	struct hp_convert *c = user;

	if (c->repair && diagnostic->number == HP_DIAG_PART_FILES &&
	    hp_cv_find_part_files(c)) {
		c->joined++; /* no fault any more */
		return;
	}
	if (c->exact && !c->stray &&
	    diagnostic->number == HP_DIAG_STRAY_BYTES)
		c->stray = is_damaged(c);
	if (c->exact && c->stray)
		return; /* the next pass tells what there is */
	if (c->seen++ < c->told)
		return;
	c->told = c->seen;
	if (c->options.diagnostic)
		c->options.diagnostic(c->options.user, diagnostic);
}

void hp_cv_say(struct hp_convert *c, enum hprof_severity severity,
	       enum hp_diag_code code, uint64_t offset, const char *text)
{
	const struct hprof_diagnostic diagnostic =
		hp_diag_make(severity, code, offset, text);

	if (c->options.diagnostic)
		c->options.diagnostic(c->options.user, &diagnostic);
}

enum hprof_status hp_cv_fail(struct hp_convert *c, enum hprof_status status,
			     uint64_t offset, const char *format, ...)
{
	char text[256];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof text, format, values);
	va_end(values);
	return hp_fail(c->error, status, offset, "%s", text);
}

static enum hprof_status reader_failed(struct hp_convert *c)
{
	*c->error = *hprof_reader_error(c->reader);
	return c->error->status;
}

enum hprof_status hp_cv_writer_failed(struct hp_convert *c)
{
	*c->error = *hprof_writer_error(c->writer);
	return c->error->status;
}

/* ---- both ends ------------------------------------------------------------ */

static struct hprof_reader_options reader_options(struct hp_convert *c)
{
	return (struct hprof_reader_options){
		.size = sizeof(struct hprof_reader_options),
		.diagnostic = tell,
		.user = c,
	};
}

enum hprof_status hp_cv_open_reader(struct hp_convert *c, bool exact)
{
	struct hprof_reader_options how = reader_options(c);

	if (c->fresh && !exact)
		return HPROF_OK;
	how.exact = c->exact = exact;
	hprof_reader_close(c->reader);
	hp_cv_close_part_file(c);
	c->reader = NULL;
	c->fresh = !exact;
	c->seen = 0;
	c->count = 0;
	c->joined = 0;
	c->heap = 0;
	c->result.errors = c->result.warnings = c->result.notes = 0;
	HP_TRY(hprof_reader_open(&c->input, &how, &c->reader, c->error));
	c->reader->phase = "convert";
	return HPROF_OK;
}

static int to_nowhere(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

enum hprof_status hp_cv_open_writer(struct hp_convert *c, bool exact,
				    bool aloud)
{
	struct hprof_writer_options how = c->output;

	hprof_writer_free(c->writer);
	c->writer = NULL;
	how.size = sizeof how;
	how.exact = exact;
	if (!aloud) {
		how.compression = HPROF_PLAIN;
		how.level = 0;
		return hprof_writer_open_callback(to_nowhere, NULL, &how,
						  &c->writer, c->error);
	}
	if (c->out)
		return hprof_writer_create(c->out, &how, &c->writer, c->error);
	return hprof_writer_open_fd(c->fd, &how, &c->writer, c->error);
}

enum hprof_status hp_cv_finish(struct hp_convert *c)
{
	if (hprof_writer_finish(c->writer) < 0)
		return hp_cv_writer_failed(c);
	c->result.size = hprof_writer_size(c->writer);
	return HPROF_OK;
}

/* ---- passes --------------------------------------------------------------- */

/* The reader is at its end. */
static void count_faults(struct hp_convert *c)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(c->reader, &info);
	c->result.errors += info.errors - c->joined;
	c->result.warnings += info.warnings;
	c->result.notes += info.notes;
	c->joined = 0;
}

enum hprof_status hp_cv_copy(struct hp_convert *c)
{
	struct hprof_record record;
	enum hprof_status got;

	c->fresh = false;
	if (hprof_writer_header(c->writer, hprof_reader_header(c->reader)) < 0)
		return hp_cv_writer_failed(c);
	while ((got = hprof_reader_next(c->reader, &record)) == HPROF_OK) {
		if (hprof_copy_record(c->reader, c->writer, &record) < 0)
			return hp_cv_writer_failed(c);
	}
	count_faults(c);
	return got < 0 ? reader_failed(c) : HPROF_OK;
}

static enum hprof_status take(struct hp_convert *c, struct hprof_record *record)
{
	switch (c->pass) {
	case HP_CV_LOOK:
		if (c->repair)
			HP_TRY(hp_cv_repair_look(c, record));
		return hp_cv_learn(c, record);
	case HP_CV_MARK:
	case HP_CV_MARK_TEXT:
		return hp_cv_mark(c, record);
	default:
		return hp_cv_record(c, record);
	}
}

/* The file, or one of its parts, to its end. */
static enum hprof_status read_all(struct hp_convert *c)
{
	struct hprof_record record;
	enum hprof_status got;

	while ((got = hprof_reader_next(c->reader, &record)) == HPROF_OK) {
		HP_TRY(take(c, &record));
		c->count++;
	}
	count_faults(c);
	return got < 0 ? reader_failed(c) : HPROF_OK;
}

enum hprof_status hp_cv_pass(struct hp_convert *c, enum hp_cv_pass pass,
			     unsigned select)
{
	struct hprof_reader_options how = reader_options(c);

	HP_TRY(hp_cv_open_reader(c, false));
	c->fresh = false;
	c->pass = pass;
	c->select = select;
	HP_TRY(read_all(c));
	for (unsigned i = 0; i < c->part_count; i++) {
		HP_TRY(hp_cv_open_part_file(c, c->first_part + i, &how));
		HP_TRY(read_all(c));
	}
	/* Of an id that is not in the set it is not known whether it came. */
	if (c->repair && (c->mend.ids.no_memory || c->mend.no_memory))
		return hp_no_memory(c->error);
	return HPROF_OK;
}
