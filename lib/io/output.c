/* SPDX-License-Identifier: MIT */
/*
 * output.c - writes bytes to a sink: small pieces are buffered, large ones are
 * passed on directly.
 */
#include <string.h>

#include "base/error.h"
#include "hprof/output.h"
#include "base/mem.h"
#include "io/sink.h"

enum { ROOM = 256 << 10 };

struct hprof_output {
	struct hp_sink *sink;
	uint8_t *buffer; /* ROOM bytes */
	size_t used;
	uint64_t size;
	bool finished;
	enum hprof_status dead;
	struct hprof_error error;
};

static bool take_options(const struct hprof_writer_options *given,
			 struct hprof_writer_options *ret)
{
	return hp_writer_options_take(given, ret) && !ret->exact &&
	       !ret->keep_part;
}

/* Owns SINK. */
static enum hprof_status make_output(struct hp_sink *sink,
				     const struct hprof_writer_options *o,
				     struct hprof_output **ret,
				     struct hprof_error *error)
{
	struct hprof_output *out;

	HP_TRY(hp_sink_compress(&sink, o, error));
	out = hp_calloc(1, sizeof *out);
	if (out)
		out->buffer = hp_alloc(ROOM);
	if (!out || !out->buffer) {
		hp_free(out);
		hp_sink_close(sink);
		return hp_no_memory(error);
	}
	out->sink = sink;
	*ret = out;
	return HPROF_OK;
}

enum hprof_status
hprof_output_create(const char *path,
		    const struct hprof_writer_options *options,
		    struct hprof_output **ret, struct hprof_error *ret_error)
{
	struct hprof_writer_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_sink *sink;

	HP_NEED(error, path);
	if (!take_options(options, &o))
		return hp_bad_argument(error, "options",
				       "its size or a member is not possible");
	HP_TRY(hp_sink_path(path, &o, &sink, error));
	return make_output(sink, &o, ret, error);
}

enum hprof_status
hprof_output_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_output **ret, struct hprof_error *ret_error)
{
	struct hprof_writer_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_sink *sink;

	if (fd < 0)
		return hp_bad_argument(error, "fd", "is negative");
	if (!take_options(options, &o))
		return hp_bad_argument(error, "options",
				       "its size or a member is not possible");
	HP_TRY(hp_sink_fd(fd, &sink, error));
	return make_output(sink, &o, ret, error);
}

/* Passes BYTES on to the sink; a failure is final. */
static enum hprof_status pass_on(struct hprof_output *out, const void *bytes,
				 size_t size)
{
	enum hprof_status status =
		size ? out->sink->ops->write(out->sink, bytes, size) : HPROF_OK;

	if (status < 0) {
		out->dead = status;
		out->error = out->sink->error;
	}
	return status;
}

static enum hprof_status flush(struct hprof_output *out)
{
	size_t used = out->used;

	out->used = 0;
	return pass_on(out, out->buffer, used);
}

static enum hprof_status may_go_on(struct hprof_output *out)
{
	if (out->dead)
		return out->dead;
	if (!out->finished)
		return HPROF_OK;
	return hp_fail(&out->error, HPROF_E_USAGE, HP_NO_OFFSET,
		       "the output is finished");
}

enum hprof_status hprof_output_write(struct hprof_output *out,
				     const void *bytes, size_t size)
{
	if (!out || (!bytes && size))
		return HPROF_E_USAGE;
	HP_TRY(may_go_on(out));
	out->size += size;
	if (size > ROOM - out->used) {
		HP_TRY(flush(out));
		if (size >= ROOM)
			return pass_on(out, bytes, size);
	}
	if (size)
		memcpy(out->buffer + out->used, bytes, size);
	out->used += size;
	return HPROF_OK;
}

enum hprof_status hprof_output_finish(struct hprof_output *out)
{
	enum hprof_status status;

	if (!out)
		return HPROF_E_USAGE;
	HP_TRY(may_go_on(out));
	HP_TRY(flush(out));
	status = out->sink->ops->finish(out->sink);
	if (status < 0) {
		out->dead = status;
		out->error = out->sink->error;
		return status;
	}
	out->finished = true;
	return HPROF_OK;
}

void hprof_output_free(struct hprof_output *out)
{
	if (!out)
		return;
	hp_sink_close(out->sink);
	hp_free(out->buffer);
	hp_free(out);
}

const struct hprof_error *hprof_output_error(const struct hprof_output *out)
{
	return &out->error;
}

uint64_t hprof_output_size(const struct hprof_output *out)
{
	return out->size;
}
