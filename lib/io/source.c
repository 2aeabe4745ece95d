/* SPDX-License-Identifier: MIT */
/*
 * source.c - what all sources share, and the choice of decompressors.
 *
 * The form of the input is told by its first bytes, never by a name. Layers
 * go up until the bytes are no compressor and no archive any more: whether
 * these are a dump, the reader says. The number of layers has a limit, since
 * a file of a few bytes can be made that unpacks to itself for ever.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/source.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "io/source_stream.h"

#define LAYERS 4
#define HEAD 1024 /* a tar header is 512 bytes */

/* ---- the common part ---------------------------------------------------- */

void hp_source_init(struct hp_source *source, const struct hp_source_ops *ops,
		    struct hp_source *below, const char *container)
{
	source->ops = ops;
	source->below = below;
	source->size = UINT64_MAX;
	source->warning_code = "";
	atomic_init(&source->file_used, 0);
	if (below != NULL)
		source->file_size = below->file_size;
	if (below == NULL || strcmp(below->container, "plain") == 0)
		snprintf(source->container, sizeof(source->container), "%s",
			 container);
	else
		snprintf(source->container, sizeof(source->container),
			 "%.24s in %.32s", container, below->container);
}

void hp_source_free(struct hp_source *source)
{
	hp_source_close(source->below);
	hp_free(source->member);
	hp_free(source->peeked);
	hp_free(source);
}

void hp_source_close(struct hp_source *source)
{
	if (source != NULL)
		source->ops->close(source);
}

uint64_t hp_source_used(const struct hp_source *source)
{
	while (source->below != NULL)
		source = source->below;
	return atomic_load_explicit(&source->file_used, memory_order_relaxed);
}

enum hprof_status hp_source_inherit(struct hp_source *source)
{
	const struct hp_source *below = source->below;

	if (below->warning_code[0] != '\0' && source->warning_code[0] == '\0') {
		source->warning_code = below->warning_code;
		memcpy(source->warning, below->warning,
		       sizeof(source->warning));
	}
	if (below->error.status >= 0)
		return HPROF_OK;
	source->error = below->error;
	return source->error.status;
}

void hp_source_set_hotspot(struct hp_source *source)
{
	char *text = source->container;
	char rest[sizeof(source->container)];

	if (strncmp(text, "gzip", 4) != 0 || strncmp(text, "gzip (", 6) == 0)
		return;
	memcpy(rest, text + 4, sizeof(rest) - 4);
	snprintf(text, sizeof(source->container), "gzip (HotSpot)%.48s", rest);
}

bool hp_source_thread(pthread_t *ret_thread, void *(*run)(void *),
		      void *argument)
{
	sigset_t all;
	sigset_t old;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	result = pthread_create(ret_thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return result == 0;
}

/* ---- peeked bytes ------------------------------------------------------- */

static size_t give_peeked(struct hp_source *source, void *buffer, size_t room)
{
	size_t n = source->peeked_end - source->peeked_at;

	if (n > room)
		n = room;
	memcpy(buffer, source->peeked + source->peeked_at, n);
	source->peeked_at += n;
	return n;
}

bool hp_source_early(struct hp_source *source, void *buffer, size_t room,
		     size_t *ret_n, enum hprof_status *ret_status)
{
	*ret_n = 0;
	*ret_status = HPROF_OK;
	if (room == 0)
		return true;
	if (source->peeked_at < source->peeked_end) {
		*ret_n = give_peeked(source, buffer, room);
		return true;
	}
	*ret_status = source->error.status;
	return source->error.status < 0;
}

/* Reads up to WANT bytes although read() may give them in drops. */
static enum hprof_status read_whole(struct hp_source *source, void *buffer,
				    size_t want, size_t *ret_n)
{
	enum hprof_status status = HPROF_OK;
	size_t used = 0;

	while (used < want && status == HPROF_OK) {
		size_t n;

		status = source->ops->read(source, (char *)buffer + used,
					   want - used, &n);
		used += n;
	}
	*ret_n = used;
	return status;
}

enum hprof_status hp_source_peek(struct hp_source *source, void *buffer,
				 size_t want, size_t *ret_n)
{
	enum hprof_status status;
	unsigned char *keep;

	*ret_n = 0;
	if (source->ops->pread != NULL)
		return source->ops->pread(source, 0, buffer, want, ret_n,
					  &source->error);
	if (source->peeked_end >= want) {
		memcpy(buffer, source->peeked, want);
		*ret_n = want;
		return HPROF_OK;
	}
	keep = hp_alloc(want);
	if (keep == NULL)
		return hp_no_memory(&source->error);
	status = read_whole(source, keep, want, ret_n);
	memcpy(buffer, keep, *ret_n);
	hp_free(source->peeked);
	source->peeked = keep;
	source->peeked_at = 0;
	source->peeked_end = *ret_n;
	return *ret_n > 0 ? HPROF_OK : status;
}

/* ---- what is it --------------------------------------------------------- */

bool hp_is_hprof(const void *bytes, size_t size)
{
	return size >= 12 && memcmp(bytes, "JAVA PROFILE", 12) == 0;
}

/*
 * The sum of all bytes of the header, its own field taken as blanks, is in
 * octal at 148: old tar files have nothing else to be told by.
 */
static bool is_tar(const unsigned char *bytes, size_t size)
{
	unsigned sum = 8 * ' ';
	unsigned told = 0;
	size_t i;

	if (size < 512)
		return false;
	for (i = 0; i < 512; i++)
		if (i < 148 || i >= 156)
			sum += bytes[i];
	for (i = 148; i < 156 && bytes[i] == ' '; i++)
		;
	for (; i < 156 && bytes[i] >= '0' && bytes[i] <= '7'; i++)
		told = told * 8 + (bytes[i] - '0');
	return sum == told;
}

static bool is_zip(const unsigned char *bytes, size_t size)
{
	return size >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 ||
			     memcmp(bytes, "PK\5\6", 4) == 0 ||
			     memcmp(bytes, "PK00", 4) == 0);
}

/* ---- stacking ----------------------------------------------------------- */

/* Whatever has to be read in order is read ahead. */
static enum hprof_status finish(struct hp_source *top, unsigned threads,
				struct hp_source **ret,
				struct hprof_error *error)
{
	if (threads > 1 && top->ops->pread == NULL)
		return hp_read_ahead(top, ret, error);
	*ret = top;
	return HPROF_OK;
}

/* What the first bytes call for. */
struct kind {
	const struct hp_codec_ops *codec;
	bool filter;
	bool archive;
};

static struct kind find_kind(const unsigned char *head, size_t n)
{
	struct kind kind = { .codec = NULL };

	if (hp_is_hprof(head, n))
		return kind;
	kind.codec = hp_codec_find(head, n);
	kind.filter = kind.codec == NULL && hp_source_is_filter(head, n);
	kind.archive = kind.codec == NULL && !kind.filter &&
		       (is_tar(head, n) || is_zip(head, n));
	return kind;
}

/* One layer that is no archive. */
static enum hprof_status add_layer(struct hp_source *below, struct kind kind,
				   const unsigned char *head, size_t n,
				   unsigned threads, struct hp_source **ret,
				   struct hprof_error *error)
{
	if (kind.filter)
		return hp_source_filter(below, head, n, ret, error);
	if (threads < 2 || kind.codec != &hp_codec_gzip)
		return hp_source_stream(below, kind.codec, ret, error);
	return hp_source_gzip_parallel(below, threads, ret, error);
}

/*
 * Fails, and closes SOURCE, on what makes looking further senseless. Of other
 * failures the reader learns after the data.
 */
static enum hprof_status look(struct hp_source *source, unsigned char *head,
			      size_t *ret_n, struct hprof_error *error)
{
	enum hprof_status status = hp_source_peek(source, head, HEAD, ret_n);

	if (status != HPROF_E_SYS && status != HPROF_E_NOMEM &&
	    status != HPROF_E_USAGE)
		return HPROF_OK;
	*error = source->error;
	hp_source_close(source);
	return status;
}

static enum hprof_status too_deep(struct hp_source *source,
				  struct hprof_error *error)
{
	hp_source_close(source);
	return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
		       "more than %d compressors and archives in each other",
		       LAYERS);
}

/* The end of the stack: no layer is needed any more. */
static enum hprof_status top_off(struct hp_source *top, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error)
{
	if (member == NULL)
		return finish(top, threads, ret, error);
	hp_source_close(top);
	return hp_fail(error, HPROF_E_USAGE, HP_NO_OFFSET,
		       "a member is named, but the input is no archive");
}

enum hprof_status hp_source_stack(struct hp_source *below, const char *member,
				  unsigned threads, unsigned layers,
				  struct hp_source **ret,
				  struct hprof_error *error)
{
	struct hp_source *top = below;

	for (;; layers--) {
		unsigned char head[HEAD];
		struct kind kind;
		size_t n;

		HP_TRY(look(top, head, &n, error));
		kind = find_kind(head, n);
		if (kind.codec == NULL && !kind.filter && !kind.archive)
			return top_off(top, member, threads, ret, error);
		if (layers == 0)
			return too_deep(top, error);
		if (kind.archive)
			break;
		HP_TRY(add_layer(top, kind, head, n, threads, &top, error));
	}
	HP_TRY(hp_source_archive(top, member, layers - 1, &top, error));
	return finish(top, threads, ret, error);
}

enum hprof_status hp_source_open(struct hp_source *bottom, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error)
{
	struct hprof_error unwanted;

	if (error == NULL)
		error = &unwanted;
	return hp_source_stack(bottom, member, threads, LAYERS, ret, error);
}
