/* SPDX-License-Identifier: MIT */
/*
 * gzip_split.h - cuts a stream of small gzip members into pieces that several
 * threads inflate. source_gzip_parallel.c reads ahead with it.
 */
#ifndef HP_GZIP_SPLIT_H
#define HP_GZIP_SPLIT_H

#include <pthread.h>

#include "io/source.h"
#include "io/source_stream.h"

enum {
	HP_PIECE_READ = 64 << 10, /* bytes per read */
	HP_PIECE_HEADER = 10,	  /* bytes of a member's header */
	HP_PIECE_THREADS = 8,	  /* no caller reads output faster than these */
	HP_PIECE_SLOTS = HP_PIECE_THREADS + 3
};

/* A piece of the input, and what it was inflated to. */
struct hp_gzip_piece {
	enum hp_piece_state {
		HP_PIECE_EMPTY,
		HP_PIECE_BUSY,
		HP_PIECE_GOOD,
		HP_PIECE_BAD
	} state;
	unsigned char *in;
	size_t in_room;
	size_t size;
	unsigned char *out;
	size_t out_end;
	bool hotspot;
};

struct hp_gzip_split;

struct hp_gzip_worker {
	struct hp_gzip_split *pieces;
	struct hp_gzip_member *gzip;
	pthread_t thread;
	bool started;
};

struct hp_gzip_split {
	struct hp_source *source; /* borrowed; read by one thread at a time */
	struct hp_gzip_worker workers[HP_PIECE_THREADS]; /* [0]: the caller */
	unsigned threads;
	unsigned slots;
	struct hp_gzip_piece slot[HP_PIECE_SLOTS]; /* N is in N % slots */

	/* Used only by the thread that has set slicing: input that follows. */
	unsigned char carry[HP_PIECE_READ + HP_PIECE_HEADER]; /* the last cut
							       * piece */
	size_t carry_size;
	enum hprof_status status; /* of the last read */

	pthread_mutex_t mutex; /* protects the members below */
	pthread_cond_t changed;
	uint64_t in, out; /* numbers of pieces cut and handed out */
	bool slicing;
	bool sliced; /* the input has ended, or cannot be cut further */
	bool stop;
};

/*
 * PIECES must be all zero. False if out of memory; hp_gzip_split_done frees
 * what was made in that case, too.
 */
bool hp_gzip_split_start(struct hp_gzip_split *pieces, struct hp_source *source,
			 unsigned threads);
/* Ends the threads: from then on only the caller accesses PIECES. */
void hp_gzip_split_stop(struct hp_gzip_split *pieces);
void hp_gzip_split_done(struct hp_gzip_split *pieces);

static inline struct hp_gzip_piece *
hp_gzip_piece_at(struct hp_gzip_split *pieces, uint64_t piece)
{
	return &pieces->slot[piece % pieces->slots];
}

/*
 * Waits for the piece OUT, and processes others meanwhile. HP_GZIP_NEXT_REST:
 * it is not a valid member, not even joined to the pieces that follow.
 */
enum hp_gzip_next { HP_GZIP_NEXT_PIECE, HP_GZIP_NEXT_END, HP_GZIP_NEXT_REST };
enum hp_gzip_next hp_gzip_split_next(struct hp_gzip_split *pieces);

/* Releases the piece OUT, which was consumed, and advances OUT. */
void hp_gzip_split_release(struct hp_gzip_split *pieces);

#endif
