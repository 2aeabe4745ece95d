/* SPDX-License-Identifier: MIT */
/*
 * gzip_split.c - see gzip_split.h.
 *
 * HotSpot writes members of at most 1 MiB. Where a member ends is known only
 * after inflating it, but headers can be recognized: the input is cut into
 * pieces wherever a header seems to begin, and threads inflate the pieces. A
 * piece is accepted if it is exactly one valid member. If it is not, what
 * looked like a header was compressed data, and the piece is tried again joined
 * to the next one.
 */
#include "io/gzip_split.h"

#include <string.h>

#include "base/mem.h"
#include "base/thread.h"

#define MEMBER_MAX ((size_t)1 << 20) /* inflated, as HotSpot writes it */
/* Incompressible data is stored with 5 more bytes for each 16 KiB. */
#define PIECE_MAX (MEMBER_MAX + (64 << 10))

/* ---- cutting ------------------------------------------------------------ */

/* True if BYTES look like a header that HotSpot, MAT or this library writes. */
static bool is_header(const unsigned char *bytes)
{
	return bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8 &&
	       (bytes[3] == 0 || bytes[3] == 0x10) && bytes[4] == 0 &&
	       bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 &&
	       (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) &&
	       (bytes[9] <= 13 || bytes[9] == 255);
}

/* The index of the first header in BYTES from FROM on, or SIZE. */
static size_t find_header(const unsigned char *bytes, size_t from, size_t size)
{
	const unsigned char *found;

	while (from + HP_PIECE_HEADER <= size) {
		found = memchr(bytes + from, 0x1f,
			       size - from - HP_PIECE_HEADER + 1);
		if (found == NULL)
			return size;
		from = (size_t)(found - bytes);
		if (is_header(found))
			return from;
		from++;
	}
	return size;
}

static bool make_room(struct hp_gzip_piece *slot, size_t room)
{
	unsigned char *in;

	if (room <= slot->in_room)
		return true;
	room += room / 4;
	in = hp_realloc(slot->in, room, 1);
	if (in == NULL)
		return false;
	slot->in = in;
	slot->in_room = room;
	return true;
}

/* Appends more input to SLOT. */
static void read_more(struct hp_gzip_split *pieces, struct hp_gzip_piece *slot)
{
	struct hp_source *below = pieces->source;
	size_t n;

	if (!make_room(slot, slot->size + HP_PIECE_READ)) {
		pieces->status = HPROF_E_NOMEM;
		return;
	}
	pieces->status = below->ops->read(below, slot->in + slot->size,
					  HP_PIECE_READ, &n);
	slot->size += n;
}

static bool take_carry(struct hp_gzip_split *pieces, struct hp_gzip_piece *slot)
{
	slot->size = 0;
	if (!make_room(slot, sizeof(pieces->carry))) {
		pieces->status = HPROF_E_NOMEM;
		return false;
	}
	memcpy(slot->in, pieces->carry, pieces->carry_size);
	slot->size = pieces->carry_size;
	pieces->carry_size = 0;
	return true;
}

/*
 * Fills SLOT with the input up to the next header. False if it is the last
 * piece: the input has ended, or no header was found for too long.
 */
static bool cut_piece(struct hp_gzip_split *pieces, struct hp_gzip_piece *slot)
{
	size_t from = HP_PIECE_HEADER;
	size_t end;

	if (!take_carry(pieces, slot))
		return false;
	while ((end = find_header(slot->in, from, slot->size)) == slot->size) {
		if (pieces->status != HPROF_OK || slot->size > PIECE_MAX)
			return false;
		if (slot->size >= 2 * HP_PIECE_HEADER)
			from = slot->size - HP_PIECE_HEADER + 1;
		read_more(pieces, slot);
	}
	pieces->carry_size = slot->size - end;
	memcpy(pieces->carry, slot->in + end, pieces->carry_size);
	slot->size = end;
	return true;
}

/* ---- inflating ---------------------------------------------------------- */

static enum hp_piece_state inflate_slot(struct hp_gzip_worker *worker,
					struct hp_gzip_piece *slot)
{
	slot->out_end = 0;
	if (slot->out == NULL)
		slot->out = hp_alloc(MEMBER_MAX);
	if (slot->out == NULL || slot->size > PIECE_MAX)
		return HP_PIECE_BAD;
	return hp_gzip_member_run(worker->gzip, slot->in, slot->size, slot->out,
				  MEMBER_MAX, &slot->out_end, &slot->hotspot)
		       ? HP_PIECE_GOOD
		       : HP_PIECE_BAD;
}

/* Called with the mutex held, as is do_piece. */
static bool can_cut(const struct hp_gzip_split *pieces)
{
	return !pieces->slicing && !pieces->sliced &&
	       pieces->in - pieces->out < pieces->slots;
}

/* Cuts the next piece and inflates it, with the mutex released meanwhile. */
static void do_piece(struct hp_gzip_worker *worker)
{
	struct hp_gzip_split *pieces = worker->pieces;
	struct hp_gzip_piece *slot = hp_gzip_piece_at(pieces, pieces->in);
	enum hp_piece_state state;
	bool more;

	pieces->slicing = true;
	pthread_mutex_unlock(&pieces->mutex);
	more = cut_piece(pieces, slot);
	pthread_mutex_lock(&pieces->mutex);
	pieces->slicing = false;
	pieces->sliced = !more;
	slot->state = HP_PIECE_BUSY;
	if (slot->size > 0)
		pieces->in++;
	pthread_cond_broadcast(&pieces->changed);
	if (slot->size == 0)
		return;
	pthread_mutex_unlock(&pieces->mutex);
	state = inflate_slot(worker, slot);
	pthread_mutex_lock(&pieces->mutex);
	slot->state = state;
	pthread_cond_broadcast(&pieces->changed);
}

/* ---- threads ------------------------------------------------------------ */

static void *run_worker(void *argument)
{
	struct hp_gzip_worker *worker = argument;
	struct hp_gzip_split *pieces = worker->pieces;

	pthread_mutex_lock(&pieces->mutex);
	while (!pieces->stop && !pieces->sliced) {
		if (can_cut(pieces))
			do_piece(worker);
		else
			pthread_cond_wait(&pieces->changed, &pieces->mutex);
	}
	pthread_mutex_unlock(&pieces->mutex);
	return NULL;
}

void hp_gzip_split_stop(struct hp_gzip_split *pieces)
{
	unsigned i;

	pthread_mutex_lock(&pieces->mutex);
	pieces->stop = true;
	pthread_cond_broadcast(&pieces->changed);
	pthread_mutex_unlock(&pieces->mutex);
	for (i = 1; i < pieces->threads; i++) {
		if (pieces->workers[i].started)
			pthread_join(pieces->workers[i].thread, NULL);
		pieces->workers[i].started = false;
	}
}

/* ---- the caller's side --------------------------------------------------- */

/* Processes a piece if possible, otherwise waits for a change. */
static void help(struct hp_gzip_split *pieces)
{
	if (can_cut(pieces))
		do_piece(&pieces->workers[0]);
	else
		pthread_cond_wait(&pieces->changed, &pieces->mutex);
}

static bool is_over(const struct hp_gzip_split *pieces, uint64_t piece)
{
	return pieces->sliced && !pieces->slicing && piece == pieces->in;
}

/* Waits for PIECE to be inflated; false if the input ends before it. */
static bool wait_for(struct hp_gzip_split *pieces, uint64_t piece)
{
	while (!is_over(pieces, piece)) {
		if (piece < pieces->in &&
		    hp_gzip_piece_at(pieces, piece)->state != HP_PIECE_BUSY)
			return true;
		help(pieces);
	}
	return false;
}

static void release(struct hp_gzip_split *pieces)
{
	hp_gzip_piece_at(pieces, pieces->out)->state = HP_PIECE_EMPTY;
	pieces->out++;
	pthread_cond_broadcast(&pieces->changed);
}

/* Puts the bytes of the first piece before those of the second. */
static bool join_pieces(struct hp_gzip_piece *first,
			struct hp_gzip_piece *second)
{
	struct hp_gzip_piece joined;

	if (first->size + second->size > PIECE_MAX ||
	    !make_room(first, first->size + second->size))
		return false;
	memcpy(first->in + first->size, second->in, second->size);
	joined = *first;
	first->in = second->in;
	first->in_room = second->in_room;
	second->size += first->size;
	second->in = joined.in;
	second->in_room = joined.in_room;
	return true;
}

/*
 * The piece at OUT is not a valid member. Joins pieces that follow until it is
 * one, and returns true with the result at OUT; false if that does not succeed.
 */
static bool mend(struct hp_gzip_split *pieces)
{
	while (wait_for(pieces, pieces->out + 1)) {
		struct hp_gzip_piece *second =
			hp_gzip_piece_at(pieces, pieces->out + 1);

		if (!join_pieces(hp_gzip_piece_at(pieces, pieces->out), second))
			return false;
		release(pieces);
		second->state = HP_PIECE_BUSY;
		pthread_mutex_unlock(&pieces->mutex);
		second->state = inflate_slot(&pieces->workers[0], second);
		pthread_mutex_lock(&pieces->mutex);
		if (second->state == HP_PIECE_GOOD)
			return true;
	}
	return false;
}

enum hp_gzip_next hp_gzip_split_next(struct hp_gzip_split *pieces)
{
	enum hp_gzip_next next = HP_GZIP_NEXT_PIECE;

	pthread_mutex_lock(&pieces->mutex);
	if (!wait_for(pieces, pieces->out))
		next = HP_GZIP_NEXT_END;
	else if (hp_gzip_piece_at(pieces, pieces->out)->state == HP_PIECE_BAD &&
		 !mend(pieces))
		next = HP_GZIP_NEXT_REST;
	pthread_mutex_unlock(&pieces->mutex);
	return next;
}

void hp_gzip_split_release(struct hp_gzip_split *pieces)
{
	pthread_mutex_lock(&pieces->mutex);
	release(pieces);
	pthread_mutex_unlock(&pieces->mutex);
}

/* ---- beginning and end --------------------------------------------------- */

bool hp_gzip_split_start(struct hp_gzip_split *pieces, struct hp_source *source,
			 unsigned threads)
{
	pieces->source = source;
	pthread_mutex_init(&pieces->mutex, NULL);
	pthread_cond_init(&pieces->changed, NULL);
	pieces->threads =
		threads < HP_PIECE_THREADS ? threads : HP_PIECE_THREADS;
	pieces->slots = pieces->threads + 3;
	for (unsigned i = 0; i < pieces->threads; i++) {
		struct hp_gzip_worker *worker = &pieces->workers[i];

		worker->pieces = pieces;
		worker->gzip = hp_gzip_member_open();
		if (worker->gzip == NULL)
			return false;
	}
	for (unsigned i = 1; i < pieces->threads; i++)
		pieces->workers[i].started =
			hp_thread_start(&pieces->workers[i].thread, run_worker,
					&pieces->workers[i]);
	return true;
}

void hp_gzip_split_done(struct hp_gzip_split *pieces)
{
	for (unsigned i = 0; i < pieces->threads; i++)
		hp_gzip_member_close(pieces->workers[i].gzip);
	for (unsigned i = 0; i < pieces->slots; i++) {
		hp_free(pieces->slot[i].in);
		hp_free(pieces->slot[i].out);
	}
	pthread_cond_destroy(&pieces->changed);
	pthread_mutex_destroy(&pieces->mutex);
}
