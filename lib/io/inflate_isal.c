/* SPDX-License-Identifier: MIT */
/*
 * inflate_isal.c - inflate.h with Intel's ISA-L.
 *
 * An entry of its tables holds up to three symbols. If the data is cut within
 * such a group, ISA-L outputs none of the symbols, where gzip outputs the first
 * ones; and at corrupt data it outputs up to 300 bytes of garbage. So its state
 * is copied now and then (a mark). At the end of truncated or corrupt data, the
 * input from the older mark on is decoded again byte by byte until a block
 * begins, and from there zlib determines the right output. Compressors begin a
 * block at least every 128 KiB, except for stored data, which does not have
 * this problem.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/inflate.h"

#ifdef HAVE_ISAL

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define MARK ((size_t)128 << 10) /* bytes of input between marks */
#define PIECE ((size_t)1 << 30)
#define WINDOW 32768
#define RUBBISH 512 /* maximum of wrong bytes before a fault is reported */

struct mark {
	uint64_t in, out; /* of the member, when the copy was made */
	struct inflate_state state;
};

struct hp_inflate {
	struct inflate_state state;
	uint64_t in, out; /* of the member so far */
	struct mark *older, *newer;
	bool tail_done;
};

struct hp_inflate *hp_inflate_open(void)
{
	struct hp_inflate *inflate = hp_calloc(1, sizeof(*inflate));

	if (inflate == NULL)
		return NULL;
	inflate->older = hp_alloc(sizeof(*inflate->older));
	inflate->newer = hp_alloc(sizeof(*inflate->newer));
	if (inflate->older == NULL || inflate->newer == NULL) {
		hp_inflate_close(inflate);
		return NULL;
	}
	isal_inflate_init(&inflate->state);
	return inflate;
}

void hp_inflate_close(struct hp_inflate *inflate)
{
	if (inflate == NULL)
		return;
	hp_free(inflate->older);
	hp_free(inflate->newer);
	hp_free(inflate);
}

/* ---- marks -------------------------------------------------------------- */

static void copy_state(struct mark *mark, const struct hp_inflate *inflate)
{
	mark->in = inflate->in;
	mark->out = inflate->out;
	memcpy(&mark->state, &inflate->state, sizeof(mark->state));
}

static void set_mark(struct hp_inflate *inflate)
{
	struct mark *mark = inflate->older;

	if (inflate->in - inflate->newer->in < MARK)
		return;
	copy_state(mark, inflate);
	inflate->older = inflate->newer;
	inflate->newer = mark;
}

/* A mark at position 0 needs no copy of the state. */
void hp_inflate_begin(struct hp_inflate *inflate)
{
	isal_inflate_reset(&inflate->state);
	inflate->state.crc_flag = ISAL_DEFLATE;
	inflate->in = inflate->out = 0;
	inflate->older->in = inflate->older->out = 0;
	inflate->newer->in = inflate->newer->out = 0;
	inflate->tail_done = false;
}

/* ---- the common case ---------------------------------------------------- */

/* One call of ISA-L, with at most MAX_IN bytes of input. */
static int inflate_piece(struct inflate_state *state, struct hp_codec_io *io,
			 size_t max_in)
{
	size_t in = io->in_left < max_in ? io->in_left : max_in;
	size_t out = io->out_left < PIECE ? io->out_left : PIECE;
	int result;

	state->next_in = (uint8_t *)(uintptr_t)io->in;
	state->avail_in = (uint32_t)in;
	state->next_out = io->out;
	state->avail_out = (uint32_t)out;
	result = isal_inflate(state);
	if (state->avail_in > in) /* wraps below 0 after some faults */
		state->avail_in = 0;
	hp_codec_move(io, in - state->avail_in, out - state->avail_out);
	return result;
}

/* ISA-L compares distances with total_out, which must not wrap at 4 GiB. */
static void tame_total(struct inflate_state *state)
{
	if (state->total_out > PIECE)
		state->total_out -= (uint32_t)PIECE / 2;
}

/* Returns to the input whole bytes that were loaded from behind the data. */
static void give_back(struct inflate_state *state, struct hp_codec_io *io)
{
	size_t n = (size_t)state->read_in_length / 8;

	if (n > io->in_behind)
		n = io->in_behind;
	io->in -= n;
	io->in_left += n;
	io->in_behind -= n;
	state->read_in_length = 0;
}

/* ---- truncated and corrupt data ----------------------------------------- */

static bool at_block(const struct inflate_state *state)
{
	return (state->block_state == ISAL_BLOCK_NEW_HDR ||
		state->block_state == ISAL_BLOCK_HDR) &&
	       state->tmp_out_processed == state->tmp_out_valid;
}

/* Receives output that has been returned already and is discarded now. */
struct sink {
	unsigned char bytes[HP_CODEC_ROOM];
};

/*
 * Continues from the older mark to the next beginning of a block and leaves IO
 * there. *RET_OUT is the size of the output up to there.
 */
static bool find_block(struct hp_inflate *inflate, struct hp_codec_io *io,
		       struct sink *sink, uint64_t *ret_out)
{
	struct inflate_state *state = &inflate->state;
	int result = ISAL_DECOMP_OK;

	*ret_out = inflate->older->out;
	if (inflate->older->in == 0) {
		isal_inflate_reset(state);
		return true;
	}
	memcpy(state, &inflate->older->state, sizeof(*state));
	while (!at_block(state) && io->in_left > 0 &&
	       result == ISAL_DECOMP_OK) {
		io->out = sink->bytes;
		io->out_left = sizeof(sink->bytes);
		result = inflate_piece(state, io, 1);
		*ret_out += sizeof(sink->bytes) - io->out_left;
	}
	if (!at_block(state) || result != ISAL_DECOMP_OK)
		return false;
	if (state->block_state == ISAL_BLOCK_HDR) {
		io->in -= state->tmp_in_size;
		io->in_left += (size_t)state->tmp_in_size;
	}
	return true;
}

/* Makes zlib continue from the state of ISA-L. */
static int prime(z_stream *z, const struct inflate_state *state,
		 struct hp_codec_io *io)
{
	int size =
		state->tmp_out_valid < WINDOW ? state->tmp_out_valid : WINDOW;
	int bits = state->read_in_length % 8;
	size_t whole = (size_t)state->read_in_length / 8;
	int result = Z_OK;

	io->in -= whole;
	io->in_left += whole;
	if (size > 0)
		result = inflateSetDictionary(
			z, state->tmp_out_buffer + state->tmp_out_valid - size,
			(uInt)size);
	if (result == Z_OK && bits > 0)
		result = inflatePrime(z, bits, io->in[-1] >> (8 - bits));
	z->next_in = (Bytef *)(uintptr_t)io->in;
	z->avail_in = (uInt)io->in_left;
	return result;
}

/* Inflates ROOM bytes to OUT, fewer at the end of what can be inflated. */
static size_t inflate_up_to(z_stream *z, unsigned char *out, size_t room)
{
	int result = Z_OK;

	z->next_out = out;
	z->avail_out = (uInt)room;
	while (result == Z_OK && z->avail_out > 0)
		result = inflate(z, Z_NO_FLUSH);
	return room - z->avail_out;
}

/*
 * Inflates again from position OUT of the output on. Discards what precedes
 * position KNOWN, and writes at most MOST bytes from there on to IO.
 */
static void inflate_rest(z_stream *z, struct hp_codec_io *io, struct sink *sink,
			 uint64_t out, uint64_t known, size_t most)
{
	size_t n;

	while (out < known) {
		n = known - out < sizeof(sink->bytes) ? (size_t)(known - out)
						      : sizeof(sink->bytes);
		if (inflate_up_to(z, sink->bytes, n) < n)
			return;
		out += n;
	}
	n = io->out_left < most ? io->out_left : most;
	n = inflate_up_to(z, io->out, n < PIECE ? n : PIECE);
	io->out += n;
	io->out_left -= n;
}

static bool ask_zlib_with(struct hp_inflate *inflate, struct hp_codec_io *io,
			  size_t most, struct sink *sink, z_stream *z)
{
	struct hp_codec_io back = *io;
	uint64_t age = inflate->in - inflate->older->in;
	uint64_t out;

	if (age > io->in_behind)
		return false;
	back.in -= age;
	back.in_left += (size_t)age;
	if (!find_block(inflate, &back, sink, &out) ||
	    prime(z, &inflate->state, &back) != Z_OK)
		return false;
	inflate_rest(z, io, sink, out, inflate->out, most);
	return true;
}

/*
 * Has zlib inflate all input of IO, and writes up to MOST bytes of output that
 * follow the output so far. False if zlib cannot do it.
 */
static bool ask_zlib(struct hp_inflate *inflate, struct hp_codec_io *io,
		     size_t most)
{
	z_stream z = { .zalloc = hp_inflate_alloc, .zfree = hp_inflate_free };
	struct sink *sink = hp_alloc(sizeof(*sink));
	bool answered;

	if (sink == NULL || inflateInit2(&z, -MAX_WBITS) != Z_OK) {
		hp_free(sink);
		return false;
	}
	answered = ask_zlib_with(inflate, io, most, sink, &z);
	inflateEnd(&z);
	hp_free(sink);
	return answered;
}

/*
 * Called when the data is found to be corrupt, after some output for which
 * there was room of OUT_LEFT. Without zlib's help, all output that may be
 * garbage is dropped.
 */
static void correct_output(struct hp_inflate *inflate, struct hp_codec_io *io,
			   size_t out_left)
{
	size_t n = out_left - io->out_left;

	io->out -= n;
	io->out_left = out_left;
	if (n == 0 || ask_zlib(inflate, io, n) || n <= RUBBISH)
		return;
	io->out += n - RUBBISH;
	io->out_left -= n - RUBBISH;
}

/* ---- interface ---------------------------------------------------------- */

static enum hp_codec_result inflate_some(struct hp_inflate *inflate,
					 struct hp_codec_io *io)
{
	size_t in_left = io->in_left;
	size_t out_left = io->out_left;
	int result;

	set_mark(inflate);
	result = inflate_piece(&inflate->state, io, MARK);
	tame_total(&inflate->state);
	inflate->in += in_left - io->in_left;
	if (result != ISAL_DECOMP_OK) {
		correct_output(inflate, io, out_left);
		return HP_CODEC_CORRUPT;
	}
	inflate->out += out_left - io->out_left;
	if (inflate->state.block_state != ISAL_BLOCK_FINISH)
		return HP_CODEC_MORE;
	give_back(&inflate->state, io);
	return HP_CODEC_DONE;
}

enum hp_codec_result hp_inflate_run(struct hp_inflate *inflate,
				    struct hp_codec_io *io)
{
	enum hp_codec_result result;
	size_t out_left;

	do {
		out_left = io->out_left;
		result = inflate_some(inflate, io);
	} while (result == HP_CODEC_MORE && io->in_left > 0 &&
		 io->out_left >= HP_CODEC_ROOM);
	if (result == HP_CODEC_MORE && io->last && io->in_left == 0 &&
	    out_left == io->out_left && !inflate->tail_done) {
		inflate->tail_done = true;
		ask_zlib(inflate, io, SIZE_MAX);
	}
	return result;
}

enum hp_codec_result hp_inflate_whole(struct hp_inflate *inflate,
				      struct hp_codec_io *io)
{
	struct inflate_state *state = &inflate->state;
	size_t in = io->in_left < PIECE ? io->in_left : PIECE;
	size_t out = io->out_left < PIECE ? io->out_left : PIECE;
	int result;

	isal_inflate_reset(state);
	state->crc_flag = ISAL_DEFLATE;
	state->next_in = (uint8_t *)(uintptr_t)io->in;
	state->avail_in = (uint32_t)in;
	state->next_out = io->out;
	state->avail_out = (uint32_t)out;
	result = isal_inflate_stateless(state);
	if (state->avail_in > in)
		state->avail_in = 0;
	in -= state->avail_in;
	out -= state->avail_out;
	io->in += in;
	io->in_left -= in;
	io->out += out;
	io->out_left -= out;
	return result == ISAL_DECOMP_OK ? HP_CODEC_DONE : HP_CODEC_CORRUPT;
}

uint32_t hp_crc32(uint32_t crc, const unsigned char *bytes, size_t size)
{
	return crc32_gzip_refl(crc, bytes, size);
}

#else

/* ISO C forbids an empty translation unit. */
extern int hp_inflate_by_zlib;

#endif
