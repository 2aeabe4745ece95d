/* SPDX-License-Identifier: MIT */
/*
 * source_stream.h - compressed streams: one driver, a codec for each format.
 *
 * All formats have the same outer structure: members (gzip), frames (zstd) or
 * streams (xz, bzip2) one after another, possibly followed by zeros or garbage,
 * possibly truncated. The driver handles that; a codec handles one member.
 */
#ifndef HP_SOURCE_STREAM_H
#define HP_SOURCE_STREAM_H

#include "io/source.h"

enum hp_codec_result {
	HP_CODEC_MORE, /* all input was used, or the output is full */
	HP_CODEC_DONE, /* the member has ended */
	HP_CODEC_CORRUPT,
	HP_CODEC_LIMIT, /* needs more memory than we allow */
	HP_CODEC_NOMEM
};

/* Input and output of a codec, which advances them by what it uses. */
struct hp_codec_io {
	const unsigned char *in;
	size_t in_left;
	size_t in_behind; /* bytes before IN that are still there */
	bool last;	  /* no more input follows IN_LEFT */
	unsigned char *out;
	size_t out_left;     /* at least HP_CODEC_ROOM when run is called */
	const char *problem; /* the reason for CORRUPT and LIMIT; static */
};

/* Advances IO by IN bytes of input and OUT bytes of output. */
static inline void hp_codec_move(struct hp_codec_io *io, size_t in, size_t out)
{
	io->in += in;
	io->in_left -= in;
	io->in_behind += in;
	io->out += out;
	io->out_left -= out;
}

#define HP_CODEC_ROOM ((size_t)128 << 10)
#define HP_CODEC_MAGIC 6 /* the most bytes that match() needs */

enum hp_match { HP_MATCH_NO, HP_MATCH_YES, HP_MATCH_CUT };

struct hp_codec;

struct hp_codec_ops {
	const char *name;
	size_t keep; /* bytes of input that the driver keeps before IN */
	/* HP_MATCH_CUT: maybe a member, but there are too few bytes to tell. */
	enum hp_match (*match)(const unsigned char *bytes, size_t size);
	struct hp_codec *(*open)(void); /* NULL: out of memory */
	enum hp_codec_result (*begin)(
		struct hp_codec *codec); /* DONE on success */
	enum hp_codec_result (*run)(struct hp_codec *codec,
				    struct hp_codec_io *io);
	void (*close)(struct hp_codec *codec);
	/* True if it is HotSpot's gzip; may be NULL. */
	bool (*hotspot)(const struct hp_codec *codec);
};

struct hp_codec {
	const struct hp_codec_ops *ops;
};

extern const struct hp_codec_ops hp_codec_gzip;

/* The codec whose magic number BYTES start with, or NULL. */
const struct hp_codec_ops *hp_codec_find(const unsigned char *bytes,
					 size_t size);

/* Whether BYTES start with MAGIC of LENGTH bytes. */
enum hp_match hp_codec_match(const unsigned char *bytes, size_t size,
			     const void *magic, size_t length);

/* Takes ownership of BELOW, even on failure. */
enum hprof_status hp_source_stream(struct hp_source *below,
				   const struct hp_codec_ops *codec,
				   struct hp_source **ret,
				   struct hprof_error *error);

/*
 * For a stream that starts in the middle of a file: another source has read IN
 * bytes before it, which gave OUT uncompressed ones.
 */
void hp_source_stream_base(struct hp_source *source, uint64_t in, uint64_t out);

/* ---- gzip by member ------------------------------------------------------ */

/* The comment of HotSpot's members, without the block size that follows. */
#define HP_GZIP_COMMENT "HPROF BLOCKSIZE="

/* State to inflate whole members, for one thread; NULL: out of memory. */
struct hp_gzip_member;
struct hp_gzip_member *hp_gzip_member_open(void);
void hp_gzip_member_close(struct hp_gzip_member *state); /* NULL is fine */

/*
 * Inflates the SIZE bytes at IN to OUT. True if they are exactly one valid
 * member of at most ROOM bytes. *RET_HOTSPOT: it has HotSpot's comment.
 */
bool hp_gzip_member_run(struct hp_gzip_member *state, const unsigned char *in,
			size_t size, unsigned char *out, size_t room,
			size_t *ret_n, bool *ret_hotspot);

#endif
