/* SPDX-License-Identifier: MIT */
/*
 * window.c - see window.h.
 */
#include "io/window.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"

enum hprof_status hp_window_init(struct hp_window *w, struct hp_source *source,
				 uint64_t offset)
{
	memset(w, 0, sizeof *w);
	w->source = source;
	w->offset = offset;
	w->read_ahead = UINT64_MAX;
	w->copy_fd = -1;
	w->room = HP_WINDOW_BLOCK + HP_WINDOW_BLOCK / 4;
	w->buffer = hp_alloc(w->room);
	return w->buffer ? HPROF_OK : hp_no_memory(&w->error);
}

void hp_window_done(struct hp_window *w)
{
	hp_free(w->buffer);
	w->buffer = NULL;
}

static void end_with(struct hp_window *w, enum hprof_status status)
{
	w->at_end = true;
	w->status = status == HPROF_END ? HPROF_OK : status;
}

static bool copy_out(struct hp_window *w, const uint8_t *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(w->copy_fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			end_with(w, hp_fail_errno(&w->error,
						  "cannot keep a copy of the "
						  "dump for a second look"));
			return false;
		}
		p += done;
		n -= (size_t)done;
	}
	return true;
}

/* Reads once into the free room; false at the end. */
static bool fill(struct hp_window *w, size_t most)
{
	struct hp_source *source = w->source;
	uint8_t *to = w->buffer + w->end;
	size_t got = 0;
	enum hprof_status status;

	if (most > w->room - w->end)
		most = w->room - w->end;
	if (source->ops->pread) {
		status = source->ops->pread(source,
					    w->offset + hp_window_size(w), to,
					    most, &got, &w->error);
	} else {
		status = source->ops->read(source, to, most, &got);
		if (status < 0)
			w->error = source->error;
	}
	if (status != HPROF_OK || got == 0) {
		end_with(w, status);
		return false;
	}
	if (w->copy_fd >= 0 && !copy_out(w, to, got))
		return false;
	w->end += got;
	return true;
}

/* Moves the unread bytes to the front, in a buffer that can hold N. */
static bool make_room(struct hp_window *w, size_t n)
{
	size_t have = hp_window_size(w);

	if (n > w->room) {
		uint8_t *larger = hp_alloc(n);
		if (!larger) {
			end_with(w, hp_fail(&w->error, HPROF_E_NOMEM, w->offset,
					    "out of memory"));
			return false;
		}
		memcpy(larger, hp_window_bytes(w), have);
		hp_free(w->buffer);
		w->buffer = larger;
		w->room = n;
	} else {
		memmove(w->buffer, hp_window_bytes(w), have);
	}
	w->start = 0;
	w->end = have;
	return true;
}

/* How much to read at once: a block, but not beyond w->read_ahead. */
static size_t read_size(const struct hp_window *w, size_t missing)
{
	uint64_t next = w->offset + hp_window_size(w);
	uint64_t ahead = w->read_ahead > next ? w->read_ahead - next : 0;
	size_t most = HP_WINDOW_BLOCK;

	if (ahead < most)
		most = (size_t)ahead;
	return most > missing ? most : missing;
}

size_t hp_window_need(struct hp_window *w, size_t n)
{
	if (hp_window_size(w) >= n)
		return hp_window_size(w);
	if (n > HP_WINDOW_MAX)
		n = HP_WINDOW_MAX;
	if (w->at_end)
		return hp_window_size(w);
	if (w->start > 0 || n > w->room) {
		if (!make_room(w, n))
			return hp_window_size(w);
	}
	while (hp_window_size(w) < n) {
		if (!fill(w, read_size(w, n - hp_window_size(w))))
			break;
	}
	return hp_window_size(w);
}

uint64_t hp_window_skip(struct hp_window *w, uint64_t n)
{
	uint64_t skipped = hp_window_size(w);

	if (skipped > n)
		skipped = n;
	hp_window_consume(w, (size_t)skipped);
	if (skipped == n)
		return n;
	if (w->source->ops->pread && w->source->size != UINT64_MAX) {
		uint64_t left = w->source->size > w->offset
					? w->source->size - w->offset
					: 0;
		uint64_t far = n - skipped < left ? n - skipped : left;
		w->offset += far;
		return skipped + far;
	}
	while (skipped < n) {
		size_t some = hp_window_need(w, 1);
		if (some == 0)
			break;
		if (some > n - skipped)
			some = (size_t)(n - skipped);
		hp_window_consume(w, some);
		skipped += some;
	}
	return skipped;
}

/* Makes up to N bytes visible, within the limits of a window. */
static size_t look(struct hp_window *w, uint64_t n)
{
	return hp_window_need(w, n < HP_WINDOW_MAX ? (size_t)n : HP_WINDOW_MAX);
}

/*
 * Reads N bytes at AT, behind the visible bytes. Reads more than that if AT is
 * close to the last peek; elsewhere that would be wasted.
 */
static int peek_outside(struct hp_window *w, uint64_t at, void *bytes, size_t n)
{
	enum { FEW = 16 };
	struct hprof_error ignored;
	uint64_t ahead = at - w->peeked_at;
	bool close = w->peeked_size > 0 && ahead < sizeof w->peeked;
	size_t want = close ? sizeof w->peeked : FEW;

	if (n > FEW)
		n = FEW;
	if (ahead > w->peeked_size || w->peeked_size - ahead < n) {
		w->peeked_size = 0;
		w->peeked_at = at;
		if (w->source->ops->pread(w->source, at, w->peeked, want,
					  &w->peeked_size,
					  &ignored) != HPROF_OK)
			w->peeked_size = 0;
		ahead = 0;
	}
	if (w->peeked_size - ahead < n)
		n = w->peeked_size - (size_t)ahead;
	memcpy(bytes, w->peeked + ahead, n);
	return (int)n;
}

int hp_window_peek(struct hp_window *w, uint64_t at, void *bytes, size_t n)
{
	uint64_t behind = at - w->offset;

	if (behind + n <= hp_window_size(w) || !w->source->ops->pread) {
		size_t have = look(w, behind + n);
		if (have < behind + n && !w->at_end)
			return -1;
		if (have <= behind)
			return 0;
		if (have - behind < n)
			n = have - (size_t)behind;
		memcpy(bytes, hp_window_bytes(w) + behind, n);
		return (int)n;
	}
	return peek_outside(w, at, bytes, n);
}

bool hp_window_ends_before(struct hp_window *w, uint64_t at)
{
	if (w->source->ops->pread && w->source->size != UINT64_MAX)
		return at > w->source->size;
	if (at <= w->offset + hp_window_size(w))
		return false;
	look(w, at - w->offset);
	return w->at_end && at > w->offset + hp_window_size(w);
}
