/* SPDX-License-Identifier: MIT */
/*
 * inflate.h - bare deflate data, by ISA-L where it exists, else by zlib.
 *
 * ISA-L is twice as fast. Where the data is cut it stops up to a few symbols
 * early, since it decodes several at once; inflate_isal.c makes up for that.
 */
#ifndef HP_INFLATE_H
#define HP_INFLATE_H

#include "base/mem.h"
#include "io/source_stream.h"

/* Input before the place that hp_inflate_run wants to be still there. */
#define HP_INFLATE_KEEP (((size_t)512 << 10) + 64)

struct hp_inflate;

struct hp_inflate *hp_inflate_open(void); /* NULL: no memory */
void hp_inflate_close(struct hp_inflate *inflate);
void hp_inflate_begin(struct hp_inflate *inflate);

/* As run() of a codec; after DONE io->in is right behind the data. */
enum hp_codec_result hp_inflate_run(struct hp_inflate *inflate,
				    struct hp_codec_io *io);

/* Everything in one call: DONE, or anything else; moves IO likewise. */
enum hp_codec_result hp_inflate_whole(struct hp_inflate *inflate,
				      struct hp_codec_io *io);

/* For a z_stream. */
static inline void *hp_inflate_alloc(void *user, unsigned count, unsigned size)
{
	(void)user;
	return hp_calloc(count, size);
}

static inline void hp_inflate_free(void *user, void *memory)
{
	(void)user;
	hp_free(memory);
}

uint32_t hp_crc32(uint32_t crc, const unsigned char *bytes, size_t size);

#endif
