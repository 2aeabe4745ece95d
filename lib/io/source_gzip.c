/* SPDX-License-Identifier: MIT */
/*
 * source_gzip.c - the gzip format: header, deflate data, CRC and size.
 *
 * The codec decodes one member at a time; the driver concatenates them. The
 * checksum of the header is not verified: nothing in the header matters but the
 * comment in which HotSpot states its block size.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "io/inflate.h"
#include "base/mem.h"
#include "io/source_stream.h"

#define TRAILER 8

enum {
	FLAG_CRC = 0x02,
	FLAG_EXTRA = 0x04,
	FLAG_NAME = 0x08,
	FLAG_COMMENT = 0x10,
	FLAG_UNKNOWN = 0xe0
};

/* ---- header, byte by byte ----------------------------------------------- */

enum field { FIXED, EXTRA_SIZE, EXTRA, NAME, COMMENT, CRC, HEADER_DONE };

struct header {
	enum field field;
	unsigned at; /* bytes of the field so far */
	unsigned flags;
	unsigned extra_size;
	unsigned same; /* leading bytes of the comment that match HotSpot's */
	bool bad;
};

/* Advances to the next field that is present. */
static void next_field(struct header *header)
{
	static const unsigned flag[] = { [EXTRA_SIZE] = FLAG_EXTRA,
					 [EXTRA] = FLAG_EXTRA,
					 [NAME] = FLAG_NAME,
					 [COMMENT] = FLAG_COMMENT,
					 [CRC] = FLAG_CRC };

	header->at = 0;
	do {
		header->field++;
	} while (header->field != HEADER_DONE &&
		 ((header->flags & flag[header->field]) == 0 ||
		  (header->field == EXTRA && header->extra_size == 0)));
}

static void fixed_byte(struct header *header, unsigned char byte)
{
	static const unsigned char magic[3] = { 0x1f, 0x8b, 8 };

	if (header->at < sizeof(magic))
		header->bad |= byte != magic[header->at];
	if (header->at == 3)
		header->flags = byte;
	if ((header->flags & FLAG_UNKNOWN) != 0)
		header->bad = true;
	if (++header->at == 10)
		next_field(header);
}

static void comment_byte(struct header *header, unsigned char byte)
{
	static const char hotspot[] = HP_GZIP_COMMENT;

	if (header->at == header->same && header->same < sizeof(hotspot) - 1 &&
	    byte == (unsigned char)hotspot[header->same])
		header->same++;
	if (header->at < sizeof(hotspot))
		header->at++;
	if (byte == 0)
		next_field(header);
}

static void header_byte(struct header *header, unsigned char byte)
{
	switch (header->field) {
	case FIXED:
		fixed_byte(header, byte);
		break;
	case EXTRA_SIZE:
		header->extra_size |= (unsigned)byte << (8 * header->at);
		if (++header->at == 2)
			next_field(header);
		break;
	case EXTRA:
		if (++header->at == header->extra_size)
			next_field(header);
		break;
	case NAME:
		if (byte == 0)
			next_field(header);
		break;
	case COMMENT:
		comment_byte(header, byte);
		break;
	case CRC:
		if (++header->at == 2)
			next_field(header);
		break;
	case HEADER_DONE:
		break;
	}
}

static bool is_hotspot(const struct header *header)
{
	return header->same == sizeof(HP_GZIP_COMMENT) - 1;
}

static uint32_t get_little(const unsigned char *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static bool trailer_fits(const unsigned char *bytes, uint32_t crc,
			 uint64_t size)
{
	return get_little(bytes) == crc &&
	       get_little(bytes + 4) == (uint32_t)size;
}

/* ---- codec -------------------------------------------------------------- */

struct gzip_codec {
	struct hp_codec codec;
	struct hp_inflate *inflate;
	struct header header;
	bool hotspot;
	bool data_done;
	uint32_t crc;
	uint64_t size;
	unsigned char trailer[TRAILER];
	unsigned trailer_at;
};

static enum hp_match gzip_match(const unsigned char *bytes, size_t size)
{
	static const unsigned char magic[3] = { 0x1f, 0x8b, 8 };

	return hp_codec_match(bytes, size, magic, sizeof(magic));
}

static void gzip_close(struct hp_codec *codec)
{
	struct gzip_codec *gzip = (struct gzip_codec *)codec;

	hp_inflate_close(gzip->inflate);
	hp_free(gzip);
}

static struct hp_codec *gzip_open(void)
{
	struct gzip_codec *gzip = hp_calloc(1, sizeof(*gzip));

	if (gzip == NULL)
		return NULL;
	gzip->codec.ops = &hp_codec_gzip;
	gzip->inflate = hp_inflate_open();
	if (gzip->inflate == NULL) {
		hp_free(gzip);
		return NULL;
	}
	return &gzip->codec;
}

static enum hp_codec_result gzip_begin(struct hp_codec *codec)
{
	struct gzip_codec *gzip = (struct gzip_codec *)codec;

	memset(&gzip->header, 0, sizeof(gzip->header));
	hp_inflate_begin(gzip->inflate);
	gzip->data_done = false;
	gzip->crc = 0;
	gzip->size = 0;
	gzip->trailer_at = 0;
	return HP_CODEC_DONE;
}

static unsigned char take_byte(struct hp_codec_io *io)
{
	io->in_left--;
	io->in_behind++;
	return *io->in++;
}

static enum hp_codec_result run_header(struct gzip_codec *gzip,
				       struct hp_codec_io *io)
{
	struct header *header = &gzip->header;

	while (header->field != HEADER_DONE && io->in_left > 0 && !header->bad)
		header_byte(header, take_byte(io));
	gzip->hotspot |= is_hotspot(header);
	if (header->bad) {
		io->problem = "the header has unknown flags";
		return HP_CODEC_CORRUPT;
	}
	return header->field == HEADER_DONE ? HP_CODEC_DONE : HP_CODEC_MORE;
}

static enum hp_codec_result run_data(struct gzip_codec *gzip,
				     struct hp_codec_io *io)
{
	const unsigned char *out = io->out;
	enum hp_codec_result result;

	if (gzip->data_done)
		return HP_CODEC_DONE;
	result = hp_inflate_run(gzip->inflate, io);
	gzip->crc = hp_crc32(gzip->crc, out, (size_t)(io->out - out));
	gzip->size += (uint64_t)(io->out - out);
	gzip->data_done = result == HP_CODEC_DONE;
	return result;
}

static enum hp_codec_result run_trailer(struct gzip_codec *gzip,
					struct hp_codec_io *io)
{
	while (gzip->trailer_at < TRAILER && io->in_left > 0)
		gzip->trailer[gzip->trailer_at++] = take_byte(io);
	if (gzip->trailer_at < TRAILER)
		return HP_CODEC_MORE;
	if (trailer_fits(gzip->trailer, gzip->crc, gzip->size))
		return HP_CODEC_DONE;
	io->problem = "the checksum or the size does not fit the data";
	return HP_CODEC_CORRUPT;
}

static enum hp_codec_result gzip_run(struct hp_codec *codec,
				     struct hp_codec_io *io)
{
	struct gzip_codec *gzip = (struct gzip_codec *)codec;
	enum hp_codec_result result = run_header(gzip, io);

	if (result == HP_CODEC_DONE)
		result = run_data(gzip, io);
	if (result == HP_CODEC_DONE)
		result = run_trailer(gzip, io);
	return result;
}

static bool gzip_hotspot(const struct hp_codec *codec)
{
	return ((const struct gzip_codec *)codec)->hotspot;
}

const struct hp_codec_ops hp_codec_gzip = {
	.name = "gzip",
	.keep = HP_INFLATE_KEEP,
	.match = gzip_match,
	.open = gzip_open,
	.begin = gzip_begin,
	.run = gzip_run,
	.close = gzip_close,
	.hotspot = gzip_hotspot,
};

/* ---- whole members ------------------------------------------------------ */

struct hp_gzip_member {
	struct hp_inflate *inflate;
};

struct hp_gzip_member *hp_gzip_member_open(void)
{
	struct hp_gzip_member *state = hp_calloc(1, sizeof(*state));

	if (state == NULL)
		return NULL;
	state->inflate = hp_inflate_open();
	if (state->inflate == NULL) {
		hp_free(state);
		return NULL;
	}
	return state;
}

void hp_gzip_member_close(struct hp_gzip_member *state)
{
	if (state == NULL)
		return;
	hp_inflate_close(state->inflate);
	hp_free(state);
}

bool hp_gzip_member_run(struct hp_gzip_member *state, const unsigned char *in,
			size_t size, unsigned char *out, size_t room,
			size_t *ret_n, bool *ret_hotspot)
{
	struct header header = { .field = FIXED };
	struct hp_codec_io io = { .in = in,
				  .in_left = size,
				  .last = true,
				  .out = out,
				  .out_left = room };

	while (io.in_left > 0 && header.field != HEADER_DONE && !header.bad)
		header_byte(&header, take_byte(&io));
	if (header.bad || header.field != HEADER_DONE ||
	    hp_inflate_whole(state->inflate, &io) != HP_CODEC_DONE ||
	    io.in_left != TRAILER)
		return false;
	*ret_n = room - io.out_left;
	*ret_hotspot = is_hotspot(&header);
	return trailer_fits(io.in, hp_crc32(0, out, *ret_n), *ret_n);
}
