/* SPDX-License-Identifier: MIT */
/*
 * sink_archive.c - zstd and xz through libarchive's filters.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "io/sink.h"

struct archive_sink {
	struct hp_sink sink;
	struct hp_sink *below;
	struct archive *archive;
	bool given_up;
};

static la_ssize_t write_below(struct archive *archive, void *user,
			      const void *bytes, size_t size)
{
	struct archive_sink *a = user;

	if (a->given_up)
		return (la_ssize_t)size;
	if (a->below->ops->write(a->below, bytes, size) == HPROF_OK)
		return (la_ssize_t)size;
	archive_set_error(archive, EIO, "%s", a->below->error.text);
	return -1;
}

/* Reports the failure of the sink below, else libarchive's as STATUS. */
static enum hprof_status fail(struct archive_sink *a, enum hprof_status status)
{
	const char *why = archive_error_string(a->archive);

	if (a->below->error.status < 0) {
		a->sink.error = a->below->error;
		return a->sink.error.status;
	}
	if (archive_errno(a->archive) == ENOMEM)
		return hp_no_memory(&a->sink.error);
	return hp_fail(&a->sink.error, status, HP_NO_OFFSET,
		       "cannot compress: %s", why ? why : "no reason given");
}

static enum hprof_status sink_write(struct hp_sink *sink, const void *bytes,
				    size_t size)
{
	struct archive_sink *a = (struct archive_sink *)sink;
	const char *p = bytes;

	while (size > 0) {
		la_ssize_t n = archive_write_data(a->archive, p, size);
		if (n <= 0)
			return fail(a, HPROF_E_SYS);
		p += n;
		size -= (size_t)n;
	}
	return HPROF_OK;
}

static enum hprof_status sink_finish(struct hp_sink *sink)
{
	struct archive_sink *a = (struct archive_sink *)sink;
	enum hprof_status status;

	if (archive_write_finish_entry(a->archive) != ARCHIVE_OK ||
	    archive_write_close(a->archive) != ARCHIVE_OK)
		return fail(a, HPROF_E_SYS);
	status = a->below->ops->finish(a->below);
	if (status != HPROF_OK)
		sink->error = a->below->error;
	return status;
}

static void sink_close(struct hp_sink *sink)
{
	struct archive_sink *a = (struct archive_sink *)sink;

	/*
	 * archive_write_free completes the compressed stream, which would make
	 * an unfinished dump look whole. So output from now on is dropped.
	 * (archive_write_fail would prevent it as well, but leaks memory.)
	 */
	a->given_up = true;
	archive_write_free(a->archive);
	hp_sink_close(a->below);
	hp_free(a);
}

static const struct hp_sink_ops archive_ops = { sink_write, sink_finish,
						sink_close };

static bool set_number(struct archive *archive, const char *filter,
		       const char *option, unsigned value)
{
	char text[16];

	snprintf(text, sizeof text, "%u", value);
	return archive_write_set_filter_option(archive, filter, option, text) ==
	       ARCHIVE_OK;
}

static bool set_up(struct archive_sink *a, enum hprof_compression compression,
		   int level, unsigned threads)
{
	struct archive *w = a->archive;
	struct archive_entry *entry;
	const char *filter = compression == HPROF_ZSTD ? "zstd" : "xz";
	bool good;

	if ((compression == HPROF_ZSTD
		     ? archive_write_add_filter_zstd(w)
		     : archive_write_add_filter_xz(w)) != ARCHIVE_OK ||
	    archive_write_set_format_raw(w) != ARCHIVE_OK)
		return false;
	if (level &&
	    !set_number(w, filter, "compression-level", (unsigned)level))
		return false;
	if (threads > 1) /* ignored by libraries built without threads */
		set_number(w, filter, "threads", threads);
	archive_write_set_bytes_per_block(w, 1 << 16);
	archive_write_set_bytes_in_last_block(w, 1);
	if (archive_write_open(w, a, NULL, write_below, NULL) != ARCHIVE_OK)
		return false;
	entry = archive_entry_new();
	if (!entry)
		return false;
	archive_entry_set_pathname(entry, "dump");
	archive_entry_set_filetype(entry, AE_IFREG);
	good = archive_write_header(w, entry) == ARCHIVE_OK;
	archive_entry_free(entry);
	return good;
}

enum hprof_status hp_sink_archive(struct hp_sink *below,
				  enum hprof_compression compression, int level,
				  unsigned threads, struct hp_sink **ret,
				  struct hprof_error *error)
{
	struct archive_sink *a = hp_calloc(1, sizeof *a);

	if (!a) {
		hp_sink_close(below);
		return hp_no_memory(error);
	}
	a->sink.ops = &archive_ops;
	a->below = below;
	a->archive = archive_write_new();
	enum hprof_status status = HPROF_OK;
	if (!a->archive)
		status = hp_no_memory(&a->sink.error);
	else if (!set_up(a, compression, level, threads))
		status = fail(a, HPROF_E_UNSUPPORTED);
	if (status != HPROF_OK) {
		*error = a->sink.error;
		sink_close(&a->sink);
		return status;
	}
	*ret = &a->sink;
	return HPROF_OK;
}
