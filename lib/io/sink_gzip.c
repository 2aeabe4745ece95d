/* SPDX-License-Identifier: MIT */
/*
 * sink_gzip.c - gzip as HotSpot writes it: members of at most 1 MiB of data, as
 * the comment of the first one says. A reader can start at any member, and
 * several threads can compress.
 *
 * There is a ring of blocks: the caller fills one after the other, threads
 * deflate full blocks, and the caller writes finished ones in order. With one
 * thread the caller deflates.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/sink.h"

enum { BLOCK = 1 << 20, DEFAULT_LEVEL = 1, MOST_THREADS = 64 };
static Bytef comment[] = "HPROF BLOCKSIZE=1048576";

enum block_state { EMPTY, FULL, BUSY, READY };

struct block {
	enum block_state state;
	bool first;
	size_t used;	    /* bytes in data */
	size_t packed_size; /* bytes in packed; 0: the compressor failed */
	uint8_t *data;
	uint8_t *packed;
};

struct gzip_sink {
	struct hp_sink sink;
	struct hp_sink *below;
	int level;
	size_t packed_room;
	struct block *blocks;
	unsigned block_count;
	uint64_t filled, taken, written; /* blocks, counted from 0 */
	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	bool closing;
	unsigned thread_count;
	pthread_t threads[MOST_THREADS];
	z_stream own; /* used by the caller if there are no threads */
};

/* ---- one member ---------------------------------------------------------- */

static bool start_deflate(z_stream *z, int level)
{
	memset(z, 0, sizeof *z);
	return deflateInit2(z, level, Z_DEFLATED, 15 + 16, 8,
			    Z_DEFAULT_STRATEGY) == Z_OK;
}

static void pack(const struct gzip_sink *g, z_stream *z, struct block *block)
{
	gz_header header = { .comment = comment };

	/* deflateReset keeps a header that was set before. */
	if (deflateReset(z) != Z_OK ||
	    deflateSetHeader(z, block->first ? &header : NULL) != Z_OK)
		return;
	z->next_in = block->data;
	z->avail_in = (uInt)block->used;
	z->next_out = block->packed;
	z->avail_out = (uInt)g->packed_room;
	if (deflate(z, Z_FINISH) == Z_STREAM_END)
		block->packed_size = g->packed_room - z->avail_out;
}

static void *deflate_blocks(void *arg)
{
	struct gzip_sink *g = arg;
	z_stream z;
	bool good = start_deflate(&z, g->level);

	pthread_mutex_lock(&g->lock);
	for (;;) {
		while (g->taken == g->filled && !g->closing)
			pthread_cond_wait(&g->work, &g->lock);
		if (g->closing) /* finished or abandoned */
			break;
		struct block *block = &g->blocks[g->taken++ % g->block_count];
		block->state = BUSY;
		pthread_mutex_unlock(&g->lock);
		if (good)
			pack(g, &z, block);
		pthread_mutex_lock(&g->lock);
		block->state = READY;
		pthread_cond_signal(&g->ready);
	}
	pthread_mutex_unlock(&g->lock);
	deflateEnd(&z);
	return NULL;
}

/* ---- the ring ------------------------------------------------------------ */

static enum hprof_status write_block(struct gzip_sink *g, struct block *block)
{
	enum hprof_status status;

	if (block->packed_size == 0)
		return hp_fail(&g->sink.error, HPROF_E_NOMEM, HP_NO_OFFSET,
			       "gzip: cannot compress");
	status = g->below->ops->write(g->below, block->packed,
				      block->packed_size);
	if (status != HPROF_OK)
		g->sink.error = g->below->error;
	block->used = 0;
	block->state = EMPTY;
	return status;
}

/* Writes the oldest block once it is ready. */
static enum hprof_status write_oldest(struct gzip_sink *g)
{
	struct block *block = &g->blocks[g->written++ % g->block_count];

	pthread_mutex_lock(&g->lock);
	while (block->state != READY)
		pthread_cond_wait(&g->ready, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return write_block(g, block);
}

/* Passes the block being filled on to the threads. */
static enum hprof_status end_block(struct gzip_sink *g)
{
	struct block *block = &g->blocks[g->filled % g->block_count];

	block->first = g->filled == 0;
	block->packed_size = 0;
	if (g->thread_count == 0) {
		g->filled++;
		pack(g, &g->own, block);
		return write_block(g, block);
	}
	pthread_mutex_lock(&g->lock);
	block->state = FULL;
	g->filled++;
	pthread_cond_signal(&g->work);
	pthread_mutex_unlock(&g->lock);
	if (g->filled - g->written == g->block_count)
		return write_oldest(g);
	return HPROF_OK;
}

/* Pieces are split over blocks only if they are larger than a block. */
static enum hprof_status gzip_write(struct hp_sink *sink, const void *bytes,
				    size_t size)
{
	struct gzip_sink *g = (struct gzip_sink *)sink;
	const uint8_t *p = bytes;

	while (size > 0) {
		struct block *block = &g->blocks[g->filled % g->block_count];
		size_t room = BLOCK - block->used;
		if (room == 0 ||
		    (block->used && size > room && size <= BLOCK)) {
			HP_TRY(end_block(g));
			continue;
		}
		size_t n = size < room ? size : room;
		memcpy(block->data + block->used, p, n);
		block->used += n;
		p += n;
		size -= n;
	}
	return HPROF_OK;
}

static enum hprof_status gzip_finish(struct hp_sink *sink)
{
	struct gzip_sink *g = (struct gzip_sink *)sink;
	enum hprof_status status;

	if (g->filled == 0 || g->blocks[g->filled % g->block_count].used)
		HP_TRY(end_block(g));
	while (g->thread_count && g->written < g->filled)
		HP_TRY(write_oldest(g));
	status = g->below->ops->finish(g->below);
	if (status != HPROF_OK)
		sink->error = g->below->error;
	return status;
}

/* ---- opening and closing ------------------------------------------------- */

static void gzip_close(struct hp_sink *sink)
{
	struct gzip_sink *g = (struct gzip_sink *)sink;

	pthread_mutex_lock(&g->lock);
	g->closing = true;
	pthread_cond_broadcast(&g->work);
	pthread_mutex_unlock(&g->lock);
	for (unsigned i = 0; i < g->thread_count; i++)
		pthread_join(g->threads[i], NULL);
	deflateEnd(&g->own);
	for (unsigned i = 0; g->blocks && i < g->block_count; i++) {
		hp_free(g->blocks[i].data);
		hp_free(g->blocks[i].packed);
	}
	hp_free(g->blocks);
	pthread_cond_destroy(&g->work);
	pthread_cond_destroy(&g->ready);
	pthread_mutex_destroy(&g->lock);
	hp_sink_close(g->below);
	hp_free(g);
}

static const struct hp_sink_ops gzip_ops = { gzip_write, gzip_finish,
					     gzip_close };

static bool make_blocks(struct gzip_sink *g, unsigned count)
{
	/* 64: the header with its comment. */
	g->packed_room = deflateBound(&g->own, BLOCK) + 64;
	g->blocks = hp_calloc(count, sizeof *g->blocks);
	if (!g->blocks)
		return false;
	g->block_count = count;
	for (unsigned i = 0; i < count; i++) {
		g->blocks[i].data = hp_alloc(BLOCK);
		g->blocks[i].packed = hp_alloc(g->packed_room);
		if (!g->blocks[i].data || !g->blocks[i].packed)
			return false;
	}
	return true;
}

enum hprof_status hp_sink_gzip(struct hp_sink *below, int level,
			       unsigned threads, struct hp_sink **ret,
			       struct hprof_error *error)
{
	struct gzip_sink *g = hp_calloc(1, sizeof *g);

	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	if (!g) {
		hp_sink_close(below);
		return hp_no_memory(error);
	}
	g->sink.ops = &gzip_ops;
	g->below = below;
	g->level = level ? level : DEFAULT_LEVEL;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->work, NULL);
	pthread_cond_init(&g->ready, NULL);
	if (!start_deflate(&g->own, g->level) ||
	    !make_blocks(g, threads > 1 ? 2 * threads + 1 : 1)) {
		gzip_close(&g->sink);
		return hp_no_memory(error);
	}
	/* If no thread can be started, the caller does the work. */
	while (threads > 1 && g->thread_count < threads &&
	       hp_thread_start(&g->threads[g->thread_count], deflate_blocks, g))
		g->thread_count++;
	*ret = &g->sink;
	return HPROF_OK;
}
