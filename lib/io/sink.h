/* SPDX-License-Identifier: MIT */
/*
 * sink.h - where bytes are written to: file, descriptor, callback, and the
 * compressors stacked on them. The counterpart of source.h.
 */
#ifndef HP_SINK_H
#define HP_SINK_H

#include "hprof/error.h"
#include "hprof/writer.h"

struct hp_sink;

struct hp_sink_ops {
	/* Writes all of BYTES. A failure fills sink->error and is final. */
	enum hprof_status (*write)(struct hp_sink *sink, const void *bytes,
				   size_t size);
	/* Called when everything is written: flushes, closes, renames. */
	enum hprof_status (*finish)(struct hp_sink *sink);
	/* Frees the sink and those below. An unfinished file is removed. */
	void (*close)(struct hp_sink *sink);
};

/* The first member of each kind of sink. */
struct hp_sink {
	const struct hp_sink_ops *ops;
	struct hprof_error error;
};

/*
 * Copies GIVEN (NULL: all defaults) into RET; false if its size is impossible
 * or a member has an invalid value.
 */
bool hp_writer_options_take(const struct hprof_writer_options *given,
			    struct hprof_writer_options *ret);

/* Of OPTIONS it uses mode, new_only and keep_part. */
enum hprof_status hp_sink_path(const char *path,
			       const struct hprof_writer_options *options,
			       struct hp_sink **ret, struct hprof_error *error);
/*
 * From now on, finish completes the part file but does not rename it. False if
 * there is no part file; any sink will do.
 */
bool hp_sink_path_give_up(struct hp_sink *sink);
/* Its descriptor, which it still owns. */
int hp_sink_path_descriptor(const struct hp_sink *sink);
/* The path of the part file; NULL if there is none. */
const char *hp_sink_path_part(const struct hp_sink *sink);
/*
 * The file NAME in DIRECTORY, which must be on the same file system, becomes
 * the part file, with the mode of the one before; SINK must not have written.
 */
enum hprof_status hp_sink_path_adopt(struct hp_sink *sink, int directory,
				     const char *name);
/*
 * Replaces SIZE bytes at AT, which were written before, of the part file, which
 * there must be.
 */
enum hprof_status hp_sink_path_amend(struct hp_sink *sink, uint64_t at,
				     const void *bytes, size_t size);
/* Drops what was written behind END of it; writing goes on there. */
enum hprof_status hp_sink_path_cut(struct hp_sink *sink, uint64_t end);
enum hprof_status hp_sink_fd(int fd, struct hp_sink **ret,
			     struct hprof_error *error);
enum hprof_status hp_sink_callback(hprof_write_fn *write, void *user,
				   struct hp_sink **ret,
				   struct hprof_error *error);

/* Stacks the compressor of OPTIONS, if any, on *SINK, which it then owns. */
enum hprof_status hp_sink_compress(struct hp_sink **sink,
				   const struct hprof_writer_options *options,
				   struct hprof_error *error);

/* Compressors. They take ownership of BELOW, even on failure. */
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
