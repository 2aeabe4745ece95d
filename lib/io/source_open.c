/* SPDX-License-Identifier: MIT */
/*
 * source_open.c - finds out which decompressors an input needs.
 *
 * The format of the input is recognized by its first bytes, never by a name.
 * Layers are added until the bytes are neither compressed nor an archive;
 * whether these are a dump is for the reader to decide. The number of layers is
 * limited, since a small file can be constructed that unpacks to itself
 * endlessly.
 */
#include <string.h>

#include "io/source.h"
#include "base/error.h"
#include "io/source_stream.h"

#define LAYERS 4
#define HEAD 1024 /* a tar header is 512 bytes */

/* ---- recognizing formats ------------------------------------------------ */

/*
 * Old tar files can be recognized only by the checksum at offset 148: the sum
 * of all bytes of the header in octal, with the checksum field itself taken as
 * blanks.
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

/* Adds read-ahead to sources that can only be read in order. */
static enum hprof_status finish(struct hp_source *top, unsigned threads,
				struct hp_source **ret,
				struct hprof_error *error)
{
	if (threads > 1 && top->ops->pread == NULL)
		return hp_read_ahead(top, ret, error);
	*ret = top;
	return HPROF_OK;
}

/* What kind of layer the first bytes require. */
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

/* Adds one layer that is not an archive. */
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
 * Peeks at the first bytes. Fails, and closes SOURCE, if going on is pointless;
 * the reader gets other failures after the data.
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

/* Completes the stack when no further layer is needed. */
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
 * Stacks on BELOW all layers that its content needs, at most LAYERS. The
 * content of an archive's member is opened in the same way, so the archive gets
 * a pointer to this function.
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
