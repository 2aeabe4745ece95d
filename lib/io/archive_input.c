/* SPDX-License-Identifier: MIT */
/*
 * archive_input.c - see archive_input.h.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/archive_input.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

#define PIECE ((size_t)256 << 10)

/* ---- callbacks of libarchive --------------------------------------------- */

static la_ssize_t input_read(struct archive *archive, void *user,
			     const void **ret_bytes)
{
	struct hp_archive_input *input = user;
	struct hp_source *below = input->below;
	enum hprof_status status;
	size_t n;

	if (below->ops->pread == NULL) {
		status = below->ops->read(below, input->buffer, PIECE, &n);
		if (status < 0)
			input->failure = below->error;
	} else {
		status = below->ops->pread(below, input->place, input->buffer,
					   PIECE, &n, &input->failure);
		input->place += n;
		atomic_store_explicit(&below->file_used, input->place,
				      memory_order_relaxed);
	}
	*ret_bytes = input->buffer;
	if (n > 0)
		return (la_ssize_t)n;
	input->at_end = true;
	if (status >= 0)
		return 0;
	archive_set_error(archive, EIO, "cannot read");
	return -1;
}

static la_int64_t input_skip(struct archive *archive, void *user,
			     la_int64_t request)
{
	struct hp_archive_input *input = user;
	uint64_t left = input->place < input->below->size
				? input->below->size - input->place
				: 0;

	(void)archive;
	if (request < 0)
		return 0;
	if ((uint64_t)request > left)
		request = (la_int64_t)left;
	input->place += (uint64_t)request;
	return request;
}

static la_int64_t input_seek(struct archive *archive, void *user,
			     la_int64_t offset, int whence)
{
	struct hp_archive_input *input = user;
	uint64_t size = input->below->size;
	la_int64_t from = 0;

	(void)archive;
	if (whence == SEEK_CUR)
		from = (la_int64_t)input->place;
	else if (whence == SEEK_END)
		from = (la_int64_t)size;
	if (__builtin_add_overflow(from, offset, &from) || from < 0 ||
	    (uint64_t)from > size)
		return ARCHIVE_FATAL;
	input->place = (uint64_t)from;
	return from;
}

bool hp_archive_can_seek(const struct hp_source *below)
{
	return below->ops->pread != NULL && below->size < INT64_MAX;
}

void hp_archive_input_free(struct hp_archive_input *input)
{
	if (input == NULL)
		return;
	archive_read_free(input->archive);
	hp_free(input->buffer);
	hp_free(input);
}

struct hp_archive_input *hp_archive_input_new(struct hp_source *below)
{
	struct hp_archive_input *input = hp_calloc(1, sizeof(*input));

	if (input == NULL)
		return NULL;
	input->below = below;
	input->buffer = hp_alloc(PIECE);
	if (input->buffer == NULL) {
		hp_archive_input_free(input);
		return NULL;
	}
	return input;
}

static bool says(const struct hp_archive_input *input, const char *part)
{
	const char *text = archive_error_string(input->archive);

	return text != NULL && strstr(text, part) != NULL;
}

static enum hprof_status failure_status(const struct hp_archive_input *input)
{
	if (archive_errno(input->archive) == ENOMEM)
		return HPROF_E_NOMEM;
	if (says(input, "nsupported") || says(input, "not supported") ||
	    says(input, "ncrypt"))
		return HPROF_E_UNSUPPORTED;
	if (input->at_end || says(input, "runcated"))
		return HPROF_E_TRUNCATED;
	return HPROF_E_CORRUPT;
}

enum hprof_status hp_archive_input_failure(const struct hp_archive_input *input,
					   const char *container,
					   struct hprof_error *error)
{
	const char *text = archive_error_string(input->archive);
	char safe[256];

	if (input->failure.status < 0) {
		*error = input->failure;
		return error->status;
	}
	if (text == NULL)
		text = "cannot be read";
	hp_text_escape(text, strlen(text), safe, sizeof(safe));
	return hp_fail(error, failure_status(input), HP_NO_OFFSET, "%s: %s",
		       container, safe);
}

/* ---- opening ------------------------------------------------------------ */

static const struct hp_archive_filter filters[] = {
	{ "lz4", "\x04\x22\x4d\x18", 4, archive_read_support_filter_lz4 },
	{ "lzip", "LZIP", 4, archive_read_support_filter_lzip },
#ifndef HAVE_ZSTD
	{ "zstd", "\x28\xb5\x2f\xfd", 4, archive_read_support_filter_zstd },
#endif
#ifndef HAVE_LZMA
	{ "xz",
	  "\xfd"
	  "7zXZ",
	  6, archive_read_support_filter_xz },
#endif
#ifndef HAVE_BZIP2
	{ "bzip2", "BZh", 3, archive_read_support_filter_bzip2 },
#endif
};

const struct hp_archive_filter *hp_archive_find_filter(const void *head,
						       size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (size >= filters[i].magic_size &&
		    memcmp(head, filters[i].magic, filters[i].magic_size) == 0)
			return &filters[i];
	return NULL;
}

bool hp_source_is_filter(const void *head, size_t size)
{
	return hp_archive_find_filter(head, size) != NULL;
}

bool hp_archive_input_open(struct hp_archive_input *input,
			   const struct hp_archive_filter *filter)
{
	struct archive *a;

	archive_read_free(input->archive);
	input->place = 0;
	input->at_end = false;
	a = input->archive = archive_read_new();
	if (a == NULL)
		return false;
	if (filter != NULL) {
		/* ARCHIVE_WARN: libarchive would start an external program. */
		if (filter->support(a) != ARCHIVE_OK)
			return false;
		archive_read_support_format_raw(a);
	} else {
		archive_read_support_format_zip(a);
		archive_read_support_format_tar(a);
	}
	if (hp_archive_can_seek(input->below)) {
		archive_read_set_skip_callback(a, input_skip);
		archive_read_set_seek_callback(a, input_seek);
	}
	archive_read_set_read_callback(a, input_read);
	archive_read_set_callback_data(a, input);
	return archive_read_open1(a) == ARCHIVE_OK;
}

const char *hp_archive_input_container(const struct hp_archive_input *input)
{
	int format = archive_format(input->archive);

	return (format & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP
		       ? "zip"
		       : "tar";
}
