/* SPDX-License-Identifier: MIT */
/*
 * source_codecs.c - zstd, xz and bzip2 with their own libraries.
 *
 * libarchive supports all of them, and is used where a library was missing at
 * build time; but at the end of a truncated file it drops the last, partially
 * filled block of 64 or 128 KiB that it had decoded.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "io/source_stream.h"

/* The largest window or dictionary that a file may make us allocate. */
#define WINDOW_BITS 27

/* ---- zstd ---------------------------------------------------------------- */

#ifdef HAVE_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

#define ZSTD_FIRST 5 /* bytes of input that tell how long the header is */

struct zstd_codec {
	struct hp_codec codec;
	ZSTD_DStream *stream;
	size_t want; /* bytes of input up to the end of the next block */
	bool full;   /* output was full: a part of the block may be pending */
};

/* Accepts skippable frames, too, since pzstd starts files with one. */
static enum hp_match zstd_match(const unsigned char *bytes, size_t size)
{
	if (size > 0 && bytes[0] >= 0x50 && bytes[0] <= 0x5f)
		return hp_codec_match(bytes + 1, size - 1, "\x2a\x4d\x18", 3);
	return hp_codec_match(bytes, size, "\x28\xb5\x2f\xfd", 4);
}

static void zstd_close(struct hp_codec *codec)
{
	struct zstd_codec *zstd = (struct zstd_codec *)codec;

	ZSTD_freeDStream(zstd->stream);
	hp_free(zstd);
}

static const struct hp_codec_ops codec_zstd;

static struct hp_codec *zstd_open(void)
{
	struct zstd_codec *zstd = hp_calloc(1, sizeof(*zstd));

	if (zstd == NULL)
		return NULL;
	zstd->codec.ops = &codec_zstd;
	zstd->stream = ZSTD_createDStream();
	if (zstd->stream == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(
		    zstd->stream, ZSTD_d_windowLogMax, WINDOW_BITS))) {
		zstd_close(&zstd->codec);
		return NULL;
	}
	return &zstd->codec;
}

static enum hp_codec_result zstd_begin(struct hp_codec *codec)
{
	struct zstd_codec *zstd = (struct zstd_codec *)codec;

	ZSTD_DCtx_reset(zstd->stream, ZSTD_reset_session_only);
	zstd->want = ZSTD_FIRST;
	zstd->full = false;
	return HP_CODEC_DONE;
}

static enum hp_codec_result zstd_failure(size_t result, struct hp_codec_io *io)
{
	switch (ZSTD_getErrorCode(result)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		io->problem = "needs a window of more than 128 MiB";
		return HP_CODEC_LIMIT;
	case ZSTD_error_memory_allocation:
		return HP_CODEC_NOMEM;
	case ZSTD_error_dictionary_wrong:
		io->problem = "needs a dictionary";
		return HP_CODEC_LIMIT;
	case ZSTD_error_checksum_wrong:
		io->problem = "the checksum does not fit the data";
		return HP_CODEC_CORRUPT;
	default:
		return HP_CODEC_CORRUPT;
	}
}

/*
 * A call that fails does not report how much it has output. So each call
 * decodes one block only, and a fault does not cost the blocks before it.
 */
static size_t zstd_block(struct zstd_codec *zstd, struct hp_codec_io *io)
{
	ZSTD_inBuffer in = { io->in, io->in_left, 0 };
	ZSTD_outBuffer out = { io->out, io->out_left, 0 };
	size_t result;

	if (zstd->full)
		in.size = 0;
	else if (in.size > zstd->want)
		in.size = zstd->want;
	result = ZSTD_decompressStream(zstd->stream, &out, &in);
	if (ZSTD_isError(result))
		return result;
	hp_codec_move(io, in.pos, out.pos);
	zstd->want = result;
	zstd->full = out.pos == out.size;
	return result;
}

static enum hp_codec_result zstd_run(struct hp_codec *codec,
				     struct hp_codec_io *io)
{
	struct zstd_codec *zstd = (struct zstd_codec *)codec;
	size_t result;
	size_t before;
	bool flush;

	do {
		before = io->in_left + io->out_left;
		flush = zstd->full;
		result = zstd_block(zstd, io);
	} while (!ZSTD_isError(result) && result != 0 && io->out_left > 0 &&
		 (flush || io->in_left + io->out_left < before));
	if (ZSTD_isError(result))
		return zstd_failure(result, io);
	return result == 0 ? HP_CODEC_DONE : HP_CODEC_MORE;
}

static const struct hp_codec_ops codec_zstd = {
	.name = "zstd",
	.match = zstd_match,
	.open = zstd_open,
	.begin = zstd_begin,
	.run = zstd_run,
	.close = zstd_close,
};

#endif

/* ---- xz ------------------------------------------------------------------ */

#ifdef HAVE_LZMA

#include <lzma.h>

/* The dictionary plus 2 MiB for everything else. */
#define XZ_MEMORY (((uint64_t)1 << WINDOW_BITS) + ((uint64_t)2 << 20))

struct xz_codec {
	struct hp_codec codec;
	lzma_allocator allocator;
	lzma_stream stream;
};

static enum hp_match xz_match(const unsigned char *bytes, size_t size)
{
	return hp_codec_match(bytes, size,
			      "\xfd"
			      "7zXZ",
			      6);
}

static void *xz_allocate(void *user, size_t count, size_t size)
{
	size_t bytes;

	(void)user;
	return __builtin_mul_overflow(count, size, &bytes) ? NULL
							   : hp_alloc(bytes);
}

static void xz_release(void *user, void *memory)
{
	(void)user;
	hp_free(memory);
}

static void xz_close(struct hp_codec *codec)
{
	struct xz_codec *xz = (struct xz_codec *)codec;

	lzma_end(&xz->stream);
	hp_free(xz);
}

static const struct hp_codec_ops codec_xz;

static struct hp_codec *xz_open(void)
{
	struct xz_codec *xz = hp_calloc(1, sizeof(*xz));

	if (xz == NULL)
		return NULL;
	xz->codec.ops = &codec_xz;
	xz->allocator.alloc = xz_allocate;
	xz->allocator.free = xz_release;
	xz->stream.allocator = &xz->allocator;
	return &xz->codec;
}

static enum hp_codec_result xz_begin(struct hp_codec *codec)
{
	struct xz_codec *xz = (struct xz_codec *)codec;

	return lzma_stream_decoder(&xz->stream, XZ_MEMORY, 0) == LZMA_OK
		       ? HP_CODEC_DONE
		       : HP_CODEC_NOMEM;
}

static enum hp_codec_result xz_result(lzma_ret result, struct hp_codec_io *io)
{
	switch (result) {
	case LZMA_STREAM_END:
		return HP_CODEC_DONE;
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return HP_CODEC_MORE;
	case LZMA_MEM_ERROR:
		return HP_CODEC_NOMEM;
	case LZMA_MEMLIMIT_ERROR:
		io->problem = "needs a dictionary of more than 128 MiB";
		return HP_CODEC_LIMIT;
	default:
		return HP_CODEC_CORRUPT;
	}
}

static enum hp_codec_result xz_run(struct hp_codec *codec,
				   struct hp_codec_io *io)
{
	struct xz_codec *xz = (struct xz_codec *)codec;
	lzma_ret result;

	xz->stream.next_in = io->in;
	xz->stream.avail_in = io->in_left;
	xz->stream.next_out = io->out;
	xz->stream.avail_out = io->out_left;
	result = lzma_code(&xz->stream, LZMA_RUN);
	hp_codec_move(io, io->in_left - xz->stream.avail_in,
		      io->out_left - xz->stream.avail_out);
	return xz_result(result, io);
}

static const struct hp_codec_ops codec_xz = {
	.name = "xz",
	.match = xz_match,
	.open = xz_open,
	.begin = xz_begin,
	.run = xz_run,
	.close = xz_close,
};

#endif

/* ---- bzip2 --------------------------------------------------------------- */

#ifdef HAVE_BZIP2

#include <bzlib.h>

struct bzip2_codec {
	struct hp_codec codec;
	bz_stream stream;
	bool begun;
};

/*
 * Behind "BZh" and a digit come the first bytes of pi, or, in an empty file, of
 * its square root.
 */
static enum hp_match bzip2_match(const unsigned char *bytes, size_t size)
{
	enum hp_match match = hp_codec_match(bytes, size, "BZh", 3);

	if (match != HP_MATCH_YES)
		return match;
	if (size > 3 && (bytes[3] < '1' || bytes[3] > '9'))
		return HP_MATCH_NO;
	if (size < 6)
		return HP_MATCH_CUT;
	return memcmp(bytes + 4, "\x31\x41", 2) == 0 ||
			       memcmp(bytes + 4, "\x17\x72", 2) == 0
		       ? HP_MATCH_YES
		       : HP_MATCH_NO;
}

static void *bzip2_allocate(void *user, int count, int size)
{
	(void)user;
	return hp_calloc((size_t)count, (size_t)size);
}

static void bzip2_release(void *user, void *memory)
{
	(void)user;
	hp_free(memory);
}

static void bzip2_close(struct hp_codec *codec)
{
	struct bzip2_codec *bzip2 = (struct bzip2_codec *)codec;

	if (bzip2->begun)
		BZ2_bzDecompressEnd(&bzip2->stream);
	hp_free(bzip2);
}

static const struct hp_codec_ops codec_bzip2;

static struct hp_codec *bzip2_open(void)
{
	struct bzip2_codec *bzip2 = hp_calloc(1, sizeof(*bzip2));

	if (bzip2 == NULL)
		return NULL;
	bzip2->codec.ops = &codec_bzip2;
	bzip2->stream.bzalloc = bzip2_allocate;
	bzip2->stream.bzfree = bzip2_release;
	return &bzip2->codec;
}

static enum hp_codec_result bzip2_begin(struct hp_codec *codec)
{
	struct bzip2_codec *bzip2 = (struct bzip2_codec *)codec;

	if (bzip2->begun)
		BZ2_bzDecompressEnd(&bzip2->stream);
	bzip2->begun = BZ2_bzDecompressInit(&bzip2->stream, 0, 0) == BZ_OK;
	return bzip2->begun ? HP_CODEC_DONE : HP_CODEC_NOMEM;
}

/*
 * A call that fails does not report how much it has output, so it gets little
 * room at a time.
 */
#define BZIP2_ROOM 4096

static unsigned clip(size_t n, unsigned most)
{
	return n < most ? (unsigned)n : most;
}

static int bzip2_piece(struct bzip2_codec *bzip2, struct hp_codec_io *io)
{
	unsigned in = clip(io->in_left, INT_MAX);
	unsigned out = clip(io->out_left, BZIP2_ROOM);
	int result;

	bzip2->stream.next_in = (char *)(uintptr_t)io->in;
	bzip2->stream.avail_in = in;
	bzip2->stream.next_out = (char *)io->out;
	bzip2->stream.avail_out = out;
	result = BZ2_bzDecompress(&bzip2->stream);
	hp_codec_move(io, in - bzip2->stream.avail_in,
		      out - bzip2->stream.avail_out);
	return result;
}

static enum hp_codec_result bzip2_run(struct hp_codec *codec,
				      struct hp_codec_io *io)
{
	struct bzip2_codec *bzip2 = (struct bzip2_codec *)codec;
	size_t before;
	int result;

	do {
		before = io->in_left + io->out_left;
		result = bzip2_piece(bzip2, io);
	} while (result == BZ_OK && io->out_left > 0 &&
		 io->in_left + io->out_left < before);
	if (result == BZ_STREAM_END)
		return HP_CODEC_DONE;
	if (result == BZ_MEM_ERROR)
		return HP_CODEC_NOMEM;
	return result == BZ_OK ? HP_CODEC_MORE : HP_CODEC_CORRUPT;
}

static const struct hp_codec_ops codec_bzip2 = {
	.name = "bzip2",
	.match = bzip2_match,
	.open = bzip2_open,
	.begin = bzip2_begin,
	.run = bzip2_run,
	.close = bzip2_close,
};

#endif

/* ---- all ----------------------------------------------------------------- */

static const struct hp_codec_ops *const codecs[] = {
	&hp_codec_gzip,
#ifdef HAVE_ZSTD
	&codec_zstd,
#endif
#ifdef HAVE_LZMA
	&codec_xz,
#endif
#ifdef HAVE_BZIP2
	&codec_bzip2,
#endif
};

const struct hp_codec_ops *hp_codec_find(const unsigned char *bytes,
					 size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (codecs[i]->match(bytes, size) == HP_MATCH_YES)
			return codecs[i];
	return NULL;
}
