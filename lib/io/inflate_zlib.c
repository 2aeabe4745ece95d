/* SPDX-License-Identifier: MIT */
/*
 * inflate_zlib.c - inflate.h with zlib, for systems without ISA-L.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/inflate.h"

#ifndef HAVE_ISAL

#include <limits.h>
#include <zlib.h>

#include "base/mem.h"

#define PIECE ((size_t)1 << 30)

struct hp_inflate {
	z_stream stream;
};

struct hp_inflate *hp_inflate_open(void)
{
	struct hp_inflate *inflate = hp_calloc(1, sizeof(*inflate));

	if (inflate == NULL)
		return NULL;
	inflate->stream.zalloc = hp_inflate_alloc;
	inflate->stream.zfree = hp_inflate_free;
	if (inflateInit2(&inflate->stream, -MAX_WBITS) != Z_OK) {
		hp_free(inflate);
		return NULL;
	}
	return inflate;
}

void hp_inflate_close(struct hp_inflate *inflate)
{
	if (inflate == NULL)
		return;
	inflateEnd(&inflate->stream);
	hp_free(inflate);
}

void hp_inflate_begin(struct hp_inflate *inflate)
{
	inflateReset(&inflate->stream);
}

/* One call of zlib, whose counts are of type unsigned int. */
static int inflate_piece(z_stream *z, struct hp_codec_io *io)
{
	size_t in = io->in_left < PIECE ? io->in_left : PIECE;
	size_t out = io->out_left < PIECE ? io->out_left : PIECE;
	int result;

	z->next_in = (Bytef *)(uintptr_t)io->in;
	z->avail_in = (uInt)in;
	z->next_out = io->out;
	z->avail_out = (uInt)out;
	result = inflate(z, Z_NO_FLUSH);
	hp_codec_move(io, in - z->avail_in, out - z->avail_out);
	return result;
}

enum hp_codec_result hp_inflate_run(struct hp_inflate *inflate,
				    struct hp_codec_io *io)
{
	int result = Z_OK;

	while (result == Z_OK && io->out_left > 0)
		result = inflate_piece(&inflate->stream, io);
	switch (result) {
	case Z_OK:
	case Z_BUF_ERROR:
		return HP_CODEC_MORE;
	case Z_STREAM_END:
		return HP_CODEC_DONE;
	case Z_MEM_ERROR:
		return HP_CODEC_NOMEM;
	default:
		return HP_CODEC_CORRUPT;
	}
}

enum hp_codec_result hp_inflate_whole(struct hp_inflate *inflate,
				      struct hp_codec_io *io)
{
	hp_inflate_begin(inflate);
	return hp_inflate_run(inflate, io);
}

uint32_t hp_crc32(uint32_t crc, const unsigned char *bytes, size_t size)
{
	return (uint32_t)crc32_z(crc, bytes, size);
}

#else

/* ISO C forbids an empty translation unit. */
extern int hp_inflate_by_isal;

#endif
