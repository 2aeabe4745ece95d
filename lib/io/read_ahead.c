/* SPDX-License-Identifier: MIT */
/*
 * read_ahead.c - a thread that reads from the source below ahead of the caller.
 *
 * A ring of a few blocks of 1 MiB is enough to bridge pauses of either side and
 * small enough to stay in the cache. The thread owns the source below until
 * that has ended or failed; only then does the caller access it. Closing waits
 * for a read in progress.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/thread.h"
#include "io/source.h"

#define BLOCKS 4
#define BLOCK_SIZE ((size_t)1 << 20)

struct block {
	unsigned char *bytes;
	size_t end;
};

struct ahead_source {
	struct hp_source source;
	pthread_t thread;
	bool started;
	struct block blocks[BLOCKS];
	size_t at;    /* in the block at out; used by the caller only */
	bool holding; /* the caller is reading the block at out */

	pthread_mutex_t mutex; /* protects the members below */
	pthread_cond_t changed;
	unsigned in, out;	  /* numbers of blocks filled and emptied */
	enum hprof_status status; /* of the last read; not OK at the end */
	bool stop;
	char container[sizeof(((struct hp_source *)0)->container)];
};

/* ---- the thread --------------------------------------------------------- */

/* Waits for an empty block and returns it; NULL when asked to stop. */
static struct block *wait_for_room(struct ahead_source *ahead)
{
	struct block *block = NULL;

	pthread_mutex_lock(&ahead->mutex);
	while (!ahead->stop && ahead->in - ahead->out == BLOCKS)
		pthread_cond_wait(&ahead->changed, &ahead->mutex);
	if (!ahead->stop)
		block = &ahead->blocks[ahead->in % BLOCKS];
	pthread_mutex_unlock(&ahead->mutex);
	return block;
}

static void hand_over(struct ahead_source *ahead, struct block *block, size_t n,
		      enum hprof_status status)
{
	pthread_mutex_lock(&ahead->mutex);
	block->end = n;
	if (n > 0)
		ahead->in++;
	ahead->status = status;
	memcpy(ahead->container, ahead->source.below->container,
	       sizeof(ahead->container));
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
}

static void *run_thread(void *argument)
{
	struct ahead_source *ahead = argument;
	struct hp_source *below = ahead->source.below;
	enum hprof_status status = HPROF_OK;
	struct block *block;

	while (status == HPROF_OK && (block = wait_for_room(ahead)) != NULL) {
		size_t n;

		status = below->ops->read(below, block->bytes, BLOCK_SIZE, &n);
		hand_over(ahead, block, n, status);
	}
	return NULL;
}

/* ---- the caller --------------------------------------------------------- */

/* Returns the emptied block to the ring and waits for the next one. */
static enum hprof_status next_block(struct ahead_source *ahead)
{
	enum hprof_status status = HPROF_OK;

	pthread_mutex_lock(&ahead->mutex);
	if (ahead->holding) {
		ahead->out++;
		ahead->holding = false;
		pthread_cond_broadcast(&ahead->changed);
	}
	while (ahead->in == ahead->out && ahead->status == HPROF_OK)
		pthread_cond_wait(&ahead->changed, &ahead->mutex);
	if (ahead->in == ahead->out)
		status = ahead->status;
	else
		ahead->holding = true;
	memcpy(ahead->source.container, ahead->container,
	       sizeof(ahead->container));
	pthread_mutex_unlock(&ahead->mutex);
	ahead->at = 0;
	return status;
}

static enum hprof_status ahead_read(struct hp_source *source, void *buffer,
				    size_t room, size_t *ret_n)
{
	struct ahead_source *ahead = (struct ahead_source *)source;
	struct block *block = &ahead->blocks[ahead->out % BLOCKS];
	enum hprof_status status;
	size_t n;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	if (!ahead->holding || ahead->at == block->end) {
		status = next_block(ahead);
		block = &ahead->blocks[ahead->out % BLOCKS];
	}
	if (status != HPROF_OK) {
		hp_source_inherit(source);
		return status;
	}
	n = block->end - ahead->at;
	if (n > room)
		n = room;
	memcpy(buffer, block->bytes + ahead->at, n);
	ahead->at += n;
	*ret_n = n;
	return HPROF_OK;
}

static void ahead_close(struct hp_source *source)
{
	struct ahead_source *ahead = (struct ahead_source *)source;
	size_t i;

	if (ahead->started) {
		pthread_mutex_lock(&ahead->mutex);
		ahead->stop = true;
		pthread_cond_broadcast(&ahead->changed);
		pthread_mutex_unlock(&ahead->mutex);
		pthread_join(ahead->thread, NULL);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->mutex);
	for (i = 0; i < BLOCKS; i++)
		hp_free(ahead->blocks[i].bytes);
	hp_source_free(source);
}

static const struct hp_source_ops ahead_ops = { .read = ahead_read,
						.pread = NULL,
						.close = ahead_close };

/* ---- opening ------------------------------------------------------------ */

static struct ahead_source *new_ahead(struct hp_source *below)
{
	struct ahead_source *ahead = hp_calloc(1, sizeof(*ahead));

	if (ahead == NULL) {
		hp_source_close(below);
		return NULL;
	}
	hp_source_init(&ahead->source, &ahead_ops, below, "");
	memcpy(ahead->source.container, below->container,
	       sizeof(ahead->container));
	ahead->source.size = below->size;
	ahead->source.threaded = true;
	ahead->source.member = below->member;
	below->member = NULL;
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	return ahead;
}

static bool get_blocks(struct ahead_source *ahead)
{
	size_t i;

	for (i = 0; i < BLOCKS; i++) {
		ahead->blocks[i].bytes = hp_alloc(BLOCK_SIZE);
		if (ahead->blocks[i].bytes == NULL)
			return false;
	}
	return true;
}

/* No thread can be started: uses the source below directly. */
static struct hp_source *without_thread(struct ahead_source *ahead)
{
	struct hp_source *below = ahead->source.below;

	below->member = ahead->source.member;
	ahead->source.member = NULL;
	ahead->source.below = NULL;
	ahead_close(&ahead->source);
	return below;
}

enum hprof_status hp_read_ahead(struct hp_source *below, struct hp_source **ret,
				struct hprof_error *error)
{
	struct ahead_source *ahead;

	if (below->threaded) {
		*ret = below;
		return HPROF_OK;
	}
	ahead = new_ahead(below);
	if (ahead == NULL || !get_blocks(ahead)) {
		if (ahead != NULL)
			ahead_close(&ahead->source);
		return hp_no_memory(error);
	}
	ahead->started = hp_thread_start(&ahead->thread, run_thread, ahead);
	*ret = ahead->started ? &ahead->source : without_thread(ahead);
	return HPROF_OK;
}
