/* SPDX-License-Identifier: MIT */
/*
 * inflate.h - inflates raw deflate data, with ISA-L if available, otherwise
 * with zlib.
 *
 * ISA-L is twice as fast. At the end of truncated data it stops a few symbols
 * early, since it decodes several at once; inflate_isal.c makes up for that.
 */
#ifndef HP_INFLATE_H
#define HP_INFLATE_H

#include "base/mem.h"
#include "io/source_stream.h"

/* How much input before io->in hp_inflate_run needs to be still there. */
#define HP_INFLATE_KEEP (((size_t)512 << 10) + 64)

struct hp_inflate;

struct hp_inflate *hp_inflate_open(void); /* NULL: out of memory */
void hp_inflate_close(struct hp_inflate *inflate);
void hp_inflate_begin(struct hp_inflate *inflate);

/* Like run() of a codec; after DONE, io->in points right behind the data. */
enum hp_codec_result hp_inflate_run(struct hp_inflate *inflate,
				    struct hp_codec_io *io);

/*
 * Inflates everything in one call. Any result but DONE is a failure; moves IO
 * like hp_inflate_run.
 */
enum hp_codec_result hp_inflate_whole(struct hp_inflate *inflate,
				      struct hp_codec_io *io);

/* The allocator for a z_stream. */
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
