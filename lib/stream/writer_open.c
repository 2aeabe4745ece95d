/* SPDX-License-Identifier: MIT */
/*
 * writer_open.c - opens writers to files, descriptors and callbacks.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "stream/writer.h"

/* Takes ownership of SINK. */
static enum hprof_status make_writer(struct hp_sink *sink,
				     const struct hprof_writer_options *o,
				     struct hprof_writer **ret,
				     struct hprof_error *error)
{
	struct hprof_writer *w;

	HP_TRY(hp_sink_compress(&sink, o, error));
	w = hp_calloc(1, sizeof *w);
	if (w)
		w->buffer = hp_alloc(HP_SEGMENT);
	if (!w || !w->buffer) {
		hp_free(w);
		hp_sink_close(sink);
		return hp_no_memory(error);
	}
	w->sink = sink;
	w->exact = o->exact;
	*ret = w;
	return HPROF_OK;
}

enum hprof_status
hprof_writer_create(const char *path,
		    const struct hprof_writer_options *options,
		    struct hprof_writer **ret, struct hprof_error *ret_error)
{
	struct hprof_writer_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_sink *sink;

	HP_NEED(error, path);
	if (!hp_writer_options_take(options, &o))
		return hp_bad_argument(error, "options",
				       "its size or a member is not possible");
	HP_TRY(hp_sink_path(path, &o, &sink, error));
	HP_TRY(make_writer(sink, &o, ret, error));
	if (o.keep_part)
		(*ret)->kept = sink;
	if ((*ret)->sink == sink && hp_sink_path_part(sink))
		(*ret)->file = sink;
	return HPROF_OK;
}

enum hprof_status
hprof_writer_open_fd(int fd, const struct hprof_writer_options *options,
		     struct hprof_writer **ret, struct hprof_error *ret_error)
{
	struct hprof_writer_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_sink *sink;

	if (fd < 0)
		return hp_bad_argument(error, "fd", "is negative");
	if (!hp_writer_options_take(options, &o))
		return hp_bad_argument(error, "options",
				       "its size or a member is not possible");
	HP_TRY(hp_sink_fd(fd, &sink, error));
	return make_writer(sink, &o, ret, error);
}

enum hprof_status
hprof_writer_open_callback(hprof_write_fn *write, void *write_user,
			   const struct hprof_writer_options *options,
			   struct hprof_writer **ret,
			   struct hprof_error *ret_error)
{
	struct hprof_writer_options o;
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_sink *sink;

	HP_NEED(error, write);
	if (!hp_writer_options_take(options, &o))
		return hp_bad_argument(error, "options",
				       "its size or a member is not possible");
	HP_TRY(hp_sink_callback(write, write_user, &sink, error));
	return make_writer(sink, &o, ret, error);
}

/*
 * Writes buffered data to the part file, too, as far as possible. Without
 * HEAP_DUMP_END the dump cannot be mistaken for a complete one.
 */
static void save_part(struct hprof_writer *w)
{
	if (w->size > 0 && hp_sink_path_give_up(w->kept) &&
	    hp_writer_flush(w) == HPROF_OK)
		w->sink->ops->finish(w->sink);
}

void hprof_writer_free(struct hprof_writer *w)
{
	if (!w)
		return;
	if (w->kept && !w->dead && !w->finished)
		save_part(w);
	hp_sink_close(w->sink);
	hp_free(w->buffer);
	hp_free(w);
}
