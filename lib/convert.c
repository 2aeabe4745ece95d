/*
 * convert.c - reads a dump and writes it, in as many passes as that takes.
 *
 * An exact copy is tried first, where a file can be read again should it turn
 * out to be damaged: the writer never goes back, so a record that is cut
 * after its length was written can only be mended by beginning anew.
 */
#include "convert.h"

#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "mem.h"
#include "options.h"
#include "sink.h"

/* ---- a pass -------------------------------------------------------------- */

/* What is read again has the same faults again. */
static void tell(void *user, const struct hprof_diagnostic *diagnostic)
{
	struct hp_convert *c = user;

	if (c->seen++ < c->told)
		return;
	c->told = c->seen;
	if (c->options.diagnostic)
		c->options.diagnostic(c->options.user, diagnostic);
}

static enum hprof_status open_reader(struct hp_convert *c, bool exact)
{
	struct hprof_reader_options how = {
		.size = sizeof how,
		.dump = c->options.dump,
		.member = c->options.member,
		.threads = c->options.threads,
		.diagnostic = tell,
		.user = c,
		.exact = exact,
	};

	hprof_reader_close(c->reader);
	c->reader = NULL;
	c->seen = 0;
	c->count = 0;
	return hprof_reader_open(c->path, &how, &c->reader, c->error);
}

static int to_nowhere(void *user, const void *bytes, size_t size)
{
	(void)user;
	(void)bytes;
	(void)size;
	return 0;
}

/* ALOUD: it is written; else only tried. */
static enum hprof_status open_writer(struct hp_convert *c, bool exact,
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

static void look_at_clock(struct hp_convert *c)
{
	enum { LOOK = 0xfff }; /* once in so many records */
	struct hprof_reader_info info;

	if ((c->count++ & LOOK) || !c->options.progress)
		return;
	hprof_reader_get_info(c->reader, &info);
	c->options.progress(c->options.progress_user, info.file_read,
			    info.file_size);
}

/* ---- copies -------------------------------------------------------------- */

static enum hprof_status put(struct hp_convert *c,
			     const struct hprof_record *record)
{
	enum hprof_status status = HPROF_OK;
	size_t size;

	if (record->tag != HPROF_STRAY)
		status = hprof_writer_put(c->writer, record);
	if (record->tag == HPROF_HEAP_DUMP ||
	    record->tag == HPROF_HEAP_DUMP_SEGMENT)
		return status;
	while (status == HPROF_OK &&
	       hprof_reader_body(c->reader, c->piece, HP_PIECE, &size) ==
		       HPROF_OK &&
	       size > 0)
		status = record->tag == HPROF_STRAY ?
				 hprof_writer_raw(c->writer, c->piece, size) :
				 hprof_writer_body(c->writer, c->piece, size);
	return status;
}

static enum hprof_status reader_failed(struct hp_convert *c)
{
	if (c->error)
		*c->error = *hprof_reader_error(c->reader);
	return hprof_reader_error(c->reader)->status;
}

static enum hprof_status writer_failed(struct hp_convert *c)
{
	if (c->error)
		*c->error = *hprof_writer_error(c->writer);
	return hprof_writer_error(c->writer)->status;
}

/* All records; the writer is not finished. */
static enum hprof_status copy(struct hp_convert *c)
{
	struct hprof_record record;
	enum hprof_status got;

	if (hprof_writer_header(c->writer, hprof_reader_header(c->reader)) < 0)
		return writer_failed(c);
	while ((got = hprof_reader_next(c->reader, &record)) == HPROF_OK) {
		if (put(c, &record) < 0)
			return writer_failed(c);
		look_at_clock(c);
	}
	return got < 0 ? reader_failed(c) : HPROF_OK;
}

static enum hprof_status finish(struct hp_convert *c)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(c->reader, &info);
	c->result.errors = info.errors;
	c->result.warnings = info.warnings;
	c->result.notes = info.notes;
	if (hprof_writer_finish(c->writer) < 0)
		return writer_failed(c);
	c->result.size = hprof_writer_size(c->writer);
	return HPROF_OK;
}

/*
 * The same bytes. *RET_DONE is false if the dump is too damaged for that;
 * nothing has been written then.
 */
static enum hprof_status try_exact(struct hp_convert *c, bool aloud,
				   bool *ret_done)
{
	struct hprof_reader_info info;
	enum hprof_status status;

	*ret_done = false;
	HP_TRY(open_reader(c, true));
	HP_TRY(open_writer(c, true, aloud));
	status = copy(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK; /* the writer refuses what is damaged */
	HP_TRY(status);
	hprof_reader_get_info(c->reader, &info);
	if (info.errors)
		return HPROF_OK;
	status = finish(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK;
	*ret_done = status == HPROF_OK;
	c->result.exact = true;
	return status;
}

/* Segments of the writer's own making, of one dump. */
static enum hprof_status rewrite(struct hp_convert *c)
{
	HP_TRY(open_reader(c, false));
	HP_TRY(open_writer(c, false, true));
	HP_TRY(copy(c));
	return finish(c);
}

/* ---- which way ----------------------------------------------------------- */

static bool can_read_again(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static enum hprof_status convert(struct hp_convert *c)
{
	bool exact = can_read_again(c->path) && !c->options.dump;
	bool done = false;

	/* What went down a pipe cannot be taken back: see first. */
	if (exact && !c->out) {
		HP_TRY(try_exact(c, false, &done));
		exact = done;
	}
	if (exact) {
		HP_TRY(try_exact(c, true, &done));
		if (done)
			return HPROF_OK;
	}
	c->result.exact = false;
	return rewrite(c);
}

enum hprof_status hprof_convert(const char *path, const char *out, int fd,
				const struct hprof_writer_options *output,
				const struct hprof_convert_options *options,
				struct hprof_convert_result *ret,
				struct hprof_error *ret_error)
{
	struct hprof_error local;
	struct hp_convert c = { .path = path, .out = out, .fd = fd,
				.error = ret_error ? ret_error : &local };
	enum hprof_status status;

	if (!path || (!out && fd < 0) ||
	    !hp_writer_options_take(output, &c.output) ||
	    !hp_options_take(options, &c.options, sizeof c.options))
		return hp_wrong_arguments(c.error);
	c.piece = hp_alloc(HP_PIECE);
	if (!c.piece)
		return hp_no_memory(c.error);
	status = convert(&c);
	hprof_writer_free(c.writer);
	hprof_reader_close(c.reader);
	hp_free(c.piece);
	if (status == HPROF_OK && ret)
		*ret = c.result;
	return status;
}
