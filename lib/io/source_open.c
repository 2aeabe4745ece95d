/* SPDX-License-Identifier: MIT */
/*
 * source_open.c - which decompressors an input needs.
 *
 * The form of the input is told by its first bytes, never by a name. Layers
 * go up until the bytes are no compressor and no archive any more: whether
 * these are a dump, the reader says. The number of layers has a limit, since
 * a file of a few bytes can be made that unpacks to itself for ever.
 */
#include <string.h>

#include "io/source.h"
#include "base/error.h"
#include "io/source_stream.h"

#define LAYERS 4
#define HEAD 1024 /* a tar header is 512 bytes */

/* ---- what is it --------------------------------------------------------- */

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

/*
 * Puts on BELOW all that its content needs, in at most LAYERS layers. What is
 * in an archive is stacked in the same way, by the archive, which therefore is
 * handed this function.
 */
static enum hprof_status stack(struct hp_source *below, const char *member,
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
	HP_TRY(hp_source_archive(top, member,
				 (struct hp_layers){ layers - 1, stack }, &top,
				 error));
	return finish(top, threads, ret, error);
}

enum hprof_status hp_source_open(struct hp_source *bottom, const char *member,
				 unsigned threads, struct hp_source **ret,
				 struct hprof_error *error)
{
	struct hprof_error unwanted;

	if (error == NULL)
		error = &unwanted;
	return stack(bottom, member, threads, LAYERS, ret, error);
}
