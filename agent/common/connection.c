/* SPDX-License-Identifier: MIT */
/*
 * connection.c - see connection.h.
 *
 * Each dump has a writer of its own, which begins with a file header. That is
 * sent when the connection is made, and left out here.
 */
#include "agent/common/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/common/clock.h"
#include "base/error.h"
#include "io/sink.h"
#include "text/text_writer.h"

/* A write may take so long, and a millisecond for each 64 bytes. */
#define PATIENCE_MS 10000
#define BYTES_A_MS 64

/* ---- sending ------------------------------------------------------------- */

/* False if the peer takes nothing until UNTIL, or is gone. */
static bool await_room(int fd, int64_t until)
{
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };
	int64_t left = until - ag_clock_ms();

	if (left <= 0) {
		errno = ETIMEDOUT;
		return false;
	}
	return poll(&wanted, 1, left > PATIENCE_MS ? PATIENCE_MS : (int)left) >=
		       0 ||
	       errno == EINTR;
}

static bool send_all(int fd, const uint8_t *bytes, size_t size)
{
	int64_t until =
		ag_clock_ms() + PATIENCE_MS + (int64_t)(size / BYTES_A_MS);

	while (size > 0) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (!await_room(fd, until)) {
			return false;
		}
	}
	return true;
}

/* ---- the connection ------------------------------------------------------ */

bool ag_connection_init(struct ag_connection *s, bool text, unsigned id_size)
{
	pthread_condattr_t clock;
	bool done;

	*s = (struct ag_connection){
		.fd = -1, .wake = -1, .text = text, .id_size = id_size
	};
	if (pthread_condattr_init(&clock) != 0)
		return false;
	done = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
	       pthread_mutex_init(&s->lock, NULL) == 0 &&
	       pthread_cond_init(&s->changed, &clock) == 0;
	pthread_condattr_destroy(&clock);
	return done;
}

/* Milliseconds since 1970. */
static uint64_t since_1970(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct hprof_header ag_dump_header(unsigned id_size)
{
	return (struct hprof_header){ .version = "JAVA PROFILE 1.0.2",
				      .id_size = id_size,
				      .time_ms = since_1970() };
}

static enum hprof_status send_text(void *fd, const void *bytes, size_t size)
{
	return send_all(*(int *)fd, bytes, size) ? HPROF_OK : HPROF_E_SYS;
}

static bool send_prelude(int fd)
{
	struct text_writer w = { .write = send_text, .user = &fd };
	const struct hprof_header header = ag_dump_header(8);

	text_put_prelude(&w, header.version, header.time_ms);
	return text_flush(&w) == HPROF_OK;
}

static bool send_header(struct ag_connection *s, int fd)
{
	const struct hprof_header header = ag_dump_header(s->id_size);
	uint8_t bytes[HPROF_VERSION_MAX + 12];

	return hprof_header_encode(&header, bytes, sizeof bytes,
				   &s->header_size) == HPROF_OK &&
	       send_all(fd, bytes, s->header_size);
}

bool ag_connection_attach(struct ag_connection *s, int fd, const char *name)
{
	if (!(s->text ? send_prelude(fd) : send_header(s, fd))) {
		close(fd);
		return false;
	}
	pthread_mutex_lock(&s->lock);
	s->fd = fd;
	s->over = false;
	s->last_name = 0;
	snprintf(s->name, sizeof s->name, "%s", name);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return true;
}

void ag_connection_detach(struct ag_connection *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	pthread_mutex_unlock(&s->lock);
}

/* ---- one dump ------------------------------------------------------------ */

/* Called with the lock held. */
static bool await_connection(struct ag_connection *s)
{
	struct timespec until;

	if (s->wake >= 0 && (s->fd < 0 || s->over)) {
		eventfd_write(s->wake, 1);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += AG_CONNECTION_WAIT_S;
		while ((s->fd < 0 || s->over) &&
		       pthread_cond_timedwait(&s->changed, &s->lock, &until) ==
			       0)
			;
	}
	return s->fd >= 0 && !s->over;
}

static int write_part(void *user, const void *bytes, size_t size)
{
	struct ag_connection *s = user;
	size_t skip = size < s->header_left ? size : s->header_left;

	s->header_left -= skip;
	return send_all(s->fd, (const uint8_t *)bytes + skip, size - skip) ? 0
									   : -1;
}

static enum hprof_status say_absent(struct hprof_error *error)
{
	return hp_fail(error, HPROF_E_SYS, HP_NO_OFFSET, "nobody is connected");
}

static enum hprof_status open_writer(struct ag_connection *s,
				     struct hprof_writer **ret_writer,
				     struct hprof_error *error)
{
	const struct hprof_writer_options options = { .size = sizeof options };

	if (!await_connection(s))
		return say_absent(error);
	s->header_left = s->header_size;
	return hprof_writer_open_callback(write_part, s, &options, ret_writer,
					  error);
}

enum hprof_status ag_connection_begin(struct ag_connection *s,
				      struct hprof_writer **ret_writer,
				      struct hprof_error *error)
{
	enum hprof_status status;

	pthread_mutex_lock(&s->lock);
	status = open_writer(s, ret_writer, error);
	if (status != HPROF_OK)
		pthread_mutex_unlock(&s->lock);
	return status;
}

enum hprof_status ag_connection_begin_text(struct ag_connection *s,
					   struct hp_sink **ret_sink,
					   struct hprof_error *error)
{
	enum hprof_status status;

	pthread_mutex_lock(&s->lock);
	status = await_connection(s)
			 ? hp_sink_callback(write_part, s, ret_sink, error)
			 : say_absent(error);
	if (status != HPROF_OK)
		pthread_mutex_unlock(&s->lock);
	return status;
}

bool ag_connection_send(struct ag_connection *s, const void *bytes, size_t size)
{
	bool sent = false;

	pthread_mutex_lock(&s->lock);
	if (s->fd >= 0 && !s->over) {
		sent = send_all(s->fd, bytes, size);
		if (!sent) {
			s->over = true;
			shutdown(s->fd, SHUT_RDWR);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return sent;
}

void ag_connection_end(struct ag_connection *s, struct hprof_writer *writer,
		       struct hp_sink *sink, bool finished)
{
	hprof_writer_free(writer);
	hp_sink_close(sink);
	if (!finished) {
		s->over = true;
		shutdown(s->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&s->lock);
}
