/* SPDX-License-Identifier: MIT */
/*
 * window.h - a sliding window over a source: look at the next bytes, consume
 * them, skip far ahead.
 *
 * Reads small blocks that stay in the second-level cache (measured: as fast as
 * mmap, without resident memory, and the same for pipes). A source with pread
 * is read at the window's own offset, so that many windows can share it.
 */
#ifndef HP_WINDOW_H
#define HP_WINDOW_H

#include "io/source.h"

enum {
	HP_WINDOW_BLOCK = 256 << 10, /* bytes per read */
	HP_WINDOW_MAX = 4 << 20	     /* the most bytes that can be visible */
};

struct hp_window {
	struct hp_source *source; /* borrowed */
	uint8_t *buffer;
	size_t room;
	size_t start, end;	  /* unread bytes in buffer */
	uint64_t offset;	  /* in the source, of buffer[start] */
	uint64_t read_ahead;	  /* do not read beyond this without need */
	int copy_fd;		  /* receives all bytes; < 0: none */
	bool at_end;		  /* the source has no more */
	enum hprof_status status; /* why the source ended */
	struct hprof_error error;
	/*
	 * The last bytes peeked at outside of the window: headers are examined
	 * twice, and those of small segments are close together.
	 */
	uint64_t peeked_at;
	size_t peeked_size; /* 0: no such bytes */
	uint8_t peeked[8192];
};

enum hprof_status hp_window_init(struct hp_window *w, struct hp_source *source,
				 uint64_t offset);
void hp_window_done(struct hp_window *w);

/*
 * Makes at least N (up to HP_WINDOW_MAX) bytes visible, fewer at the end of
 * the source. Returns their number; they are at hp_window_bytes.
 */
size_t hp_window_need(struct hp_window *w, size_t n);

static inline const uint8_t *hp_window_bytes(const struct hp_window *w)
{
	return w->buffer + w->start;
}

static inline size_t hp_window_size(const struct hp_window *w)
{
	return w->end - w->start;
}

/* True if the source failed; damaged data does not count as a failure. */
static inline bool hp_window_failed(const struct hp_window *w)
{
	return w->status < 0 && w->status != HPROF_E_TRUNCATED &&
	       w->status != HPROF_E_CORRUPT;
}

/* Drops N visible bytes. */
static inline void hp_window_consume(struct hp_window *w, size_t n)
{
	w->start += n;
	w->offset += n;
}

/* Drops N bytes, visible or not. Returns how many existed. */
uint64_t hp_window_skip(struct hp_window *w, uint64_t n);

/*
 * Copies up to N bytes at offset AT, behind the window's start, without moving
 * the window. Returns their number, or -1 if the source cannot provide them.
 */
int hp_window_peek(struct hp_window *w, uint64_t at, void *bytes, size_t n);

/* True if the source is known to end before AT. */
bool hp_window_ends_before(struct hp_window *w, uint64_t at);

#endif
