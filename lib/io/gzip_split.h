/* SPDX-License-Identifier: MIT */
/*
 * gzip_split.h - a stream of small gzip members, cut into pieces that several
 * threads inflate: how source_gzip_parallel.c reads ahead.
 */
#ifndef HP_GZIP_SPLIT_H
#define HP_GZIP_SPLIT_H

#include <pthread.h>

#include "io/source.h"
#include "io/source_stream.h"

enum {
	HP_PIECE_READ = 64 << 10, /* read at once */
	HP_PIECE_HEADER = 10,	  /* bytes of a member's header */
	HP_PIECE_THREADS = 8,	  /* more than anybody can read the output of */
	HP_PIECE_SLOTS = HP_PIECE_THREADS + 3
};

/* A piece of the input, and what has become of it. */
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

	/* Of the thread that is SLICING. */
	unsigned char carry[HP_PIECE_READ + HP_PIECE_HEADER]; /* behind the last
							       * piece */
	size_t carry_size;
	enum hprof_status status; /* of the last read */

	pthread_mutex_t mutex; /* for all below */
	pthread_cond_t changed;
	uint64_t in, out; /* pieces cut and given away, counted */
	bool slicing;
	bool sliced; /* the input is over, or cannot be cut */
	bool stop;
};

/* PIECES is all zero. False without memory; done takes half-made ones. */
bool hp_gzip_split_start(struct hp_gzip_split *pieces, struct hp_source *source,
			 unsigned threads);
/* Ends the threads: from here on everything is the caller's alone. */
void hp_gzip_split_stop(struct hp_gzip_split *pieces);
void hp_gzip_split_done(struct hp_gzip_split *pieces);

static inline struct hp_gzip_piece *
hp_gzip_piece_at(struct hp_gzip_split *pieces, uint64_t piece)
{
	return &pieces->slot[piece % pieces->slots];
}

/*
 * Waits for the piece OUT, and helps meanwhile. _REST: it is no good member,
 * nor is it one together with those behind it.
 */
enum hp_gzip_next { HP_GZIP_NEXT_PIECE, HP_GZIP_NEXT_END, HP_GZIP_NEXT_REST };
enum hp_gzip_next hp_gzip_split_next(struct hp_gzip_split *pieces);

/* The piece OUT was given away; the next becomes OUT. */
void hp_gzip_split_release(struct hp_gzip_split *pieces);

#endif
