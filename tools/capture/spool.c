/* SPDX-License-Identifier: MIT */
/*
 * spool.c - see spool.h.
 *
 * Bytes go to a ring in memory. Once that is full, they go to the end of the
 * file until the consumer has emptied both; then both start again. So the ring
 * always holds older bytes than the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/capture/spool.h"

#define RING ((size_t)32 << 20)
#define PIECE ((size_t)1 << 20) /* size of one write to the file */

struct spool {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	uint8_t *ring;
	size_t begin, used; /* of the data in the ring */
	uint8_t *piece;	    /* bytes on the way to the file */
	size_t piece_size;  /* of a piece that could not be written; waits */
	bool to_piece;	    /* the room that was handed out is the piece */
	char *folder;
	int fd; /* -1: not created yet */
	bool no_file;
	uint64_t file_begin, file_end;
	uint64_t taken;
	bool ended, dropped;
};

struct spool *spool_new(const char *folder, bool in_memory)
{
	struct spool *s = calloc(1, sizeof(*s));
	const char *where = folder ? folder : getenv("TMPDIR");

	if (!s)
		return NULL;
	s->fd = -1;
	s->no_file = in_memory;
	s->ring = malloc(RING);
	s->piece = malloc(PIECE);
	s->folder = strdup(where && *where ? where : "/var/tmp");
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->filled, NULL);
	pthread_cond_init(&s->emptied, NULL);
	if (s->ring && s->piece && s->folder)
		return s;
	spool_free(s);
	return NULL;
}

void spool_free(struct spool *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->filled);
	pthread_cond_destroy(&s->emptied);
	if (s->fd >= 0)
		close(s->fd);
	free(s->ring);
	free(s->piece);
	free(s->folder);
	free(s);
}

/* ---- the file ----------------------------------------------------------- */

static int make_file(const char *folder)
{
	char name[4096];
	int fd = -1;

#ifdef O_TMPFILE
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
	if (fd >= 0 || snprintf(name, sizeof(name), "%s/hprof-dumpXXXXXX",
				folder) >= (int)sizeof(name))
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Appends the piece to the file. Called without the lock. */
static bool write_piece(struct spool *s, size_t size, uint64_t at)
{
	size_t done = 0;

	if (s->fd < 0 && !s->no_file)
		s->fd = make_file(s->folder);
	while (s->fd >= 0 && !s->no_file && done < size) {
		ssize_t n = pwrite(s->fd, s->piece + done, size - done,
				   (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done == size;
}

/* Once all is taken, the ring is used again, and the file from its start. */
static void start_anew(struct spool *s)
{
	if (s->used || s->file_begin != s->file_end || s->file_end == 0)
		return;
	s->file_begin = s->file_end = 0;
	if (s->fd >= 0)
		(void)!ftruncate(s->fd, 0);
}

static bool is_spilling(const struct spool *s)
{
	return s->file_end != 0 || s->used == RING;
}

/* ---- putting ------------------------------------------------------------ */

/*
 * Moves a piece for which the file had no room to the ring, once that is empty.
 */
static bool place_piece(struct spool *s)
{
	if (s->piece_size == 0)
		return true;
	if (s->dropped) {
		s->piece_size = 0;
		return true;
	}
	if (s->used || s->file_begin != s->file_end)
		return false;
	start_anew(s);
	s->begin = 0;
	memcpy(s->ring, s->piece, s->piece_size);
	s->used = s->piece_size;
	s->piece_size = 0;
	pthread_cond_signal(&s->filled);
	return true;
}

void *spool_room(struct spool *s, size_t *ret_size)
{
	void *room = NULL;

	pthread_mutex_lock(&s->lock);
	start_anew(s);
	s->to_piece = false;
	if (!place_piece(s)) {
		*ret_size = 0;
	} else if (s->dropped) {
		*ret_size = PIECE;
		room = s->piece;
	} else if (!is_spilling(s)) {
		size_t end = (s->begin + s->used) % RING;
		*ret_size = end >= s->begin ? RING - end : s->begin - end;
		room = s->ring + end;
	} else if (!s->no_file) {
		*ret_size = PIECE;
		room = s->piece;
	}
	s->to_piece = room == s->piece;
	pthread_mutex_unlock(&s->lock);
	return room;
}

void spool_put(struct spool *s, size_t size)
{
	pthread_mutex_lock(&s->lock);
	uint64_t at = s->file_end;
	bool to_file = s->to_piece && !s->dropped;
	pthread_mutex_unlock(&s->lock);

	bool written = to_file && write_piece(s, size, at);

	pthread_mutex_lock(&s->lock);
	if (s->dropped) {
		/* nobody will read it */
	} else if (!s->to_piece) {
		s->used += size;
	} else if (written) {
		s->file_end = at + size;
	} else {
		s->no_file = true;
		s->piece_size = size;
	}
	pthread_cond_signal(&s->filled);
	pthread_mutex_unlock(&s->lock);
}

void spool_wait_room(struct spool *s, unsigned ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&s->lock);
	pthread_cond_timedwait(&s->emptied, &s->lock, &until);
	pthread_mutex_unlock(&s->lock);
}

void spool_end(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_broadcast(&s->filled);
	pthread_mutex_unlock(&s->lock);
}

void spool_drop(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	s->dropped = true;
	pthread_cond_broadcast(&s->filled);
	pthread_cond_broadcast(&s->emptied);
	pthread_mutex_unlock(&s->lock);
}

/* ---- taking ------------------------------------------------------------- */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* No other code touches these bytes, so they are copied without the lock. */
static size_t take_from_ring(struct spool *s, void *out, size_t room)
{
	size_t size = least(least(room, s->used), RING - s->begin);

	pthread_mutex_unlock(&s->lock);
	memcpy(out, s->ring + s->begin, size);
	pthread_mutex_lock(&s->lock);
	s->begin = (s->begin + size) % RING;
	s->used -= size;
	return size;
}

static int64_t take_from_file(struct spool *s, void *out, size_t room)
{
	uint64_t waiting = s->file_end - s->file_begin, at = s->file_begin;
	size_t size = waiting < room ? (size_t)waiting : room;
	ssize_t n;

	pthread_mutex_unlock(&s->lock);
	do
		n = pread(s->fd, out, size, (off_t)at);
	while (n < 0 && errno == EINTR);
	int why = n == 0 ? EIO : errno;
	pthread_mutex_lock(&s->lock);
	if (n > 0) {
		s->file_begin += (uint64_t)n;
		return n;
	}
	errno = why;
	return -1;
}

int64_t spool_take(struct spool *s, void *out, size_t room)
{
	int64_t n = 0;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		if (s->dropped)
			break;
		if (s->used) {
			n = (int64_t)take_from_ring(s, out, room);
			break;
		}
		if (s->file_begin != s->file_end) {
			n = take_from_file(s, out, room);
			break;
		}
		pthread_cond_signal(&s->emptied);
		if (s->ended && s->piece_size == 0)
			break;
		if (s->piece_size)
			place_piece(s);
		else
			pthread_cond_wait(&s->filled, &s->lock);
	}
	if (n > 0)
		s->taken += (uint64_t)n;
	pthread_cond_signal(&s->emptied);
	pthread_mutex_unlock(&s->lock);
	return n;
}

uint64_t spool_taken(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	uint64_t taken = s->taken;
	pthread_mutex_unlock(&s->lock);
	return taken;
}
