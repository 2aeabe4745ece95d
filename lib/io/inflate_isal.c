/* SPDX-License-Identifier: MIT */
/*
 * inflate_isal.c - inflate.h by Intel's ISA-L.
 *
 * Its tables hold up to three symbols in an entry. If the data is cut within
 * such a group, ISA-L yields nothing of it where gzip yields the first ones;
 * and where the data is wrong it adds up to 300 bytes of rubbish. So its state
 * is copied now and then (a mark). At a cut or fault the input since the older
 * mark is gone through by single bytes until a block begins, and zlib tells
 * from there what belongs to the output. That a block begins within 128 KiB
 * holds for what compressors write, but for stored data, which needs no care.
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
#define RUBBISH 512 /* bytes at a fault that may be wrong, at most */

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

/* At the start nothing needs to be copied: place 0 says it all. */
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

/* One call of ISA-L; it takes no more than MAX_IN bytes. */
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
	if (state->avail_in > in) /* less than none, behind some faults */
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

/* Gives back whole bytes that were loaded but belong behind the data. */
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

/* ---- cut and faulty data ------------------------------------------------ */

static bool at_block(const struct inflate_state *state)
{
	return (state->block_state == ISAL_BLOCK_NEW_HDR ||
		state->block_state == ISAL_BLOCK_HDR) &&
	       state->tmp_out_processed == state->tmp_out_valid;
}

/* What was put out already is put out once more, to nobody. */
struct sink {
	unsigned char bytes[HP_CODEC_ROOM];
};

/*
 * Goes on from the older mark to a place where a block begins. IO stands
 * there then; *RET_OUT is the output up to there.
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

/* Makes zlib continue where the state of ISA-L stands. */
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

/* Up to ROOM bytes to OUT; fewer at the end of what can be inflated. */
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
 * Inflates once more what is behind OUT; what is behind KNOWN goes to IO, up
 * to MOST bytes.
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
 * Makes zlib say what the output is behind the one known so far, MOST bytes
 * of it, for all of the input of IO. False if it cannot be asked.
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
 * The data is wrong, after some output for which there was OUT_LEFT room. If
 * zlib cannot be asked, all that may be rubbish goes.
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

/* A file of C must not be empty. */
extern int hp_inflate_by_zlib;

#endif
