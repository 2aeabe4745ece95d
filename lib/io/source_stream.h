/* SPDX-License-Identifier: MIT */
/*
 * source_stream.h - compressed streams: one driver, a codec for each format.
 *
 * All of them look the same from afar: members (gzip), frames (zstd) or
 * streams (xz, bzip2) one after another, perhaps zeros behind them, perhaps
 * garbage, perhaps cut. The driver knows that; a codec knows one member.
 */
#ifndef HP_SOURCE_STREAM_H
#define HP_SOURCE_STREAM_H

#include "io/source.h"

enum hp_codec_result {
	HP_CODEC_MORE, /* all input was taken, or the output is full */
	HP_CODEC_DONE, /* the member is over */
	HP_CODEC_CORRUPT,
	HP_CODEC_LIMIT, /* wants more memory than we give it */
	HP_CODEC_NOMEM
};

/* What a codec reads from and writes to; it moves all it uses. */
struct hp_codec_io {
	const unsigned char *in;
	size_t in_left;
	size_t in_behind; /* bytes before IN that are still there */
	bool last;	  /* there is no input behind IN_LEFT */
	unsigned char *out;
	size_t out_left;     /* at least HP_CODEC_ROOM when run is called */
	const char *problem; /* with CORRUPT and LIMIT: what; static */
};

/* IN bytes were used, OUT were made. */
static inline void hp_codec_move(struct hp_codec_io *io, size_t in, size_t out)
{
	io->in += in;
	io->in_left -= in;
	io->in_behind += in;
	io->out += out;
	io->out_left -= out;
}

#define HP_CODEC_ROOM ((size_t)128 << 10)
#define HP_CODEC_MAGIC 6 /* bytes that match() needs at most */

enum hp_match { HP_MATCH_NO, HP_MATCH_YES, HP_MATCH_CUT };

struct hp_codec;

struct hp_codec_ops {
	const char *name;
	size_t keep; /* bytes of input that the driver keeps before IN */
	/* _CUT: the start of a member, but too short to be sure. */
	enum hp_match (*match)(const unsigned char *bytes, size_t size);
	struct hp_codec *(*open)(void); /* NULL: no memory */
	enum hp_codec_result (*begin)(
		struct hp_codec *codec); /* DONE if well */
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

/* MAGIC, of LENGTH bytes, at the start of BYTES. */
enum hp_match hp_codec_match(const unsigned char *bytes, size_t size,
			     const void *magic, size_t length);

/* Owns BELOW, also on failure. */
enum hprof_status hp_source_stream(struct hp_source *below,
				   const struct hp_codec_ops *codec,
				   struct hp_source **ret,
				   struct hprof_error *error);

/*
 * The stream starts in the middle of a file: IN bytes and OUT uncompressed
 * ones were read by somebody else.
 */
void hp_source_stream_base(struct hp_source *source, uint64_t in, uint64_t out);

/* ---- gzip by member ------------------------------------------------------ */

/* The comment of HotSpot's members up to the size, which is for readers. */
#define HP_GZIP_COMMENT "HPROF BLOCKSIZE="

/* Memory to inflate whole members with, for one thread; NULL: none left. */
struct hp_gzip_member;
struct hp_gzip_member *hp_gzip_member_open(void);
void hp_gzip_member_close(struct hp_gzip_member *state); /* NULL is fine */

/*
 * Inflates the SIZE bytes at IN. True if they are exactly one good member of
 * at most ROOM bytes, which go to OUT. *RET_HOTSPOT: it has the comment.
 */
bool hp_gzip_member_run(struct hp_gzip_member *state, const unsigned char *in,
			size_t size, unsigned char *out, size_t room,
			size_t *ret_n, bool *ret_hotspot);

#endif
