/* SPDX-License-Identifier: MIT */
/*
 * address.c - see address.h.
 */
#include "wire/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WHY_MAX 160
#define BACKLOG 16

static const char loopback[] = "127.0.0.1";

/* ---- text ---------------------------------------------------------------- */

static bool take_port(const char *text, size_t size, bool zero,
		      struct wire_address *ret)
{
	unsigned value = 0;

	if (size == 0 || size >= sizeof ret->port)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (unsigned)(text[i] - '0');
	}
	if (value > 65535 || (value == 0 && !zero))
		return false;
	memcpy(ret->port, text, size);
	ret->port[size] = '\0';
	return true;
}

static bool take_host(const char *text, size_t size, struct wire_address *ret)
{
	if (size == 0 || size >= sizeof ret->host)
		return false;
	for (size_t i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] == 0x7f || strchr("[]/", text[i]))
			return false;
	memcpy(ret->host, text, size);
	ret->host[size] = '\0';
	return true;
}

bool wire_address_parse(const char *text, size_t size, bool host_optional,
			struct wire_address *ret)
{
	const char *end = text + size, *colon = end;

	while (colon > text && colon[-1] != ':')
		colon--;
	if (!take_port(colon, (size_t)(end - colon), host_optional, ret))
		return false;
	if (colon == text) {
		memcpy(ret->host, loopback, sizeof loopback);
		return host_optional;
	}
	colon--;
	if (colon > text + 2 && *text == '[' && colon[-1] == ']')
		return take_host(text + 1, (size_t)(colon - text) - 2, ret);
	return !memchr(text, ':', (size_t)(colon - text)) &&
	       take_host(text, (size_t)(colon - text), ret);
}

char *wire_address_text(const struct wire_address *address,
			char out[WIRE_TEXT_MAX])
{
	bool brackets = strchr(address->host, ':') != NULL;

	snprintf(out, WIRE_TEXT_MAX, "%s%s%s:%s", brackets ? "[" : "",
		 address->host, brackets ? "]" : "", address->port);
	return out;
}

/* ---- sockets ------------------------------------------------------------- */

static struct addrinfo *look_up(const struct wire_address *address,
				bool passive, char why[WHY_MAX])
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0),
	};
	struct addrinfo *found = NULL;
	int error = getaddrinfo(address->host, address->port, &hints, &found);

	if (error == 0)
		return found;
	snprintf(why, WHY_MAX, "%s",
		 error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	return NULL;
}

static int open_socket(const struct addrinfo *info)
{
	return socket(info->ai_family,
		      info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      info->ai_protocol);
}

/* A peer that vanishes without a word is noticed after a while. */
static void set_options(int fd)
{
	const int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* 0, or an errno. */
static int await_connection(int fd, unsigned timeout_ms, int stop_fd)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = stop_fd, .events = POLLIN },
	};
	int error = 0, n;
	socklen_t size = sizeof error;

	do
		n = poll(fds, 2, (int)timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno;
	if (n == 0)
		return ETIMEDOUT;
	if (fds[1].revents)
		return ECANCELED;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error;
}

static int connect_one(const struct addrinfo *info, unsigned timeout_ms,
		       int stop_fd)
{
	int fd = open_socket(info), error = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, info->ai_addr, info->ai_addrlen) != 0)
		error = errno == EINPROGRESS
				? await_connection(fd, timeout_ms, stop_fd)
				: errno;
	if (error == 0) {
		set_options(fd);
		return fd;
	}
	close(fd);
	errno = error;
	return -1;
}

int wire_connect(const struct wire_address *address, unsigned timeout_ms,
		 int stop_fd, char why[WHY_MAX])
{
	struct addrinfo *found = look_up(address, false, why);
	int fd = -1;

	if (!found)
		return -1;
	for (struct addrinfo *i = found; i && fd < 0; i = i->ai_next)
		fd = connect_one(i, timeout_ms, stop_fd);
	if (fd < 0)
		snprintf(why, WHY_MAX, "%s", strerror(errno));
	freeaddrinfo(found);
	return fd;
}

static bool name_of(const struct sockaddr_storage *address, socklen_t size,
		    struct wire_address *ret)
{
	return getnameinfo((const struct sockaddr *)address, size, ret->host,
			   sizeof ret->host, ret->port, sizeof ret->port,
			   NI_NUMERICHOST | NI_NUMERICSERV) == 0;
}

static int listen_one(const struct addrinfo *info,
		      struct wire_address *ret_bound)
{
	struct sockaddr_storage bound;
	socklen_t size = sizeof bound;
	const int on = 1;
	int fd = open_socket(info);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0 &&
	    getsockname(fd, (struct sockaddr *)&bound, &size) == 0 &&
	    name_of(&bound, size, ret_bound))
		return fd;
	int error = errno;

	close(fd);
	errno = error;
	return -1;
}

int wire_listen(const struct wire_address *address,
		struct wire_address *ret_bound, char why[WHY_MAX])
{
	struct addrinfo *found = look_up(address, true, why);
	int fd = -1;

	if (!found)
		return -1;
	for (struct addrinfo *i = found; i && fd < 0; i = i->ai_next)
		fd = listen_one(i, ret_bound);
	if (fd < 0)
		snprintf(why, WHY_MAX, "%s", strerror(errno));
	freeaddrinfo(found);
	return fd;
}

int wire_accept(int listener, struct wire_address *ret_peer)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;
	int fd = accept4(listener, (struct sockaddr *)&peer, &size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -1;
	set_options(fd);
	if (!name_of(&peer, size, ret_peer))
		*ret_peer = (struct wire_address){ "?", "?" };
	return fd;
}
