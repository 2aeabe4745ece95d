/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where bytes go: file, descriptor, callback, and the compressors
 * stacked on them. The mirror of source.h.
 */
#ifndef HP_SINK_H
#define HP_SINK_H

#include "hprof/error.h"
#include "hprof/writer.h"

struct hp_sink;

struct hp_sink_ops {
	/* All of BYTES. A failure fills sink->error and is final. */
	enum hprof_status (*write)(struct hp_sink *sink, const void *bytes,
				   size_t size);
	/* Everything is written: flush, close, rename. */
	enum hprof_status (*finish)(struct hp_sink *sink);
	/* Frees the sink and those below. Unfinished: leaves no file. */
	void (*close)(struct hp_sink *sink);
};

/* Embedded as the first member of each kind of sink. */
struct hp_sink {
	const struct hp_sink_ops *ops;
	struct hprof_error error;
};

/*
 * Copies GIVEN (NULL: all defaults) into RET; false if its size is impossible
 * or a member has a value that does not exist.
 */
bool hp_writer_options_take(const struct hprof_writer_options *given,
			    struct hprof_writer_options *ret);

/* Of OPTIONS: mode, new_only, keep_part. */
enum hprof_status hp_sink_path(const char *path,
			       const struct hprof_writer_options *options,
			       struct hp_sink **ret, struct hprof_error *error);
/*
 * From now on finish ends the part file, but gives it no final name. False if
 * there is none.
 */
bool hp_sink_path_give_up(struct hp_sink *sink);
enum hprof_status hp_sink_fd(int fd, struct hp_sink **ret,
			     struct hprof_error *error);
enum hprof_status hp_sink_callback(hprof_write_fn *write, void *user,
				   struct hp_sink **ret,
				   struct hprof_error *error);

/* Stacks the compressor of OPTIONS, if any, on *SINK, which it owns. */
enum hprof_status hp_sink_compress(struct hp_sink **sink,
				   const struct hprof_writer_options *options,
				   struct hprof_error *error);

/* Compressors; all own BELOW from here on, also on failure. */
enum hprof_status hp_sink_gzip(struct hp_sink *below, int level,
			       unsigned threads, struct hp_sink **ret,
			       struct hprof_error *error);
enum hprof_status hp_sink_archive(struct hp_sink *below,
				  enum hprof_compression compression, int level,
				  unsigned threads, struct hp_sink **ret,
				  struct hprof_error *error);

static inline void hp_sink_close(struct hp_sink *sink)
{
	if (sink)
		sink->ops->close(sink);
}

#endif
