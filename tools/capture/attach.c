/* SPDX-License-Identifier: MIT */
/* attach.c - see attach.h. attach_connect.c makes the connections. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/capture/attach.h"
#include "tools/capture/interrupt.h"
#include "tools/capture/target_files.h"
#include "tools/common/clock.h"

/* ---- open --------------------------------------------------------------- */

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0);
#else
	(void)pid;
	return -1;
#endif
}

/*
 * Opens the JVM's /tmp; java.io.tmpdir has no influence on it. If the root of
 * the JVM may not be opened, the JVM may still share our /tmp.
 */
static int open_folder(const struct jvm_process *p)
{
	int fd = target_open(p->pid, &p->ids, "/tmp", O_PATH | O_DIRECTORY);

	if (fd < 0 && (errno == EACCES || errno == EPERM) &&
	    p->inner_pid == p->pid)
		fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd;
}

bool attach_open(struct attach *a, const struct jvm_process *p,
		 unsigned timeout_s, struct reason *reason)
{
	struct statvfs system;

	*a = (struct attach){
		.process = p, .folder = -1, .pidfd = -1, .timeout_s = timeout_s
	};
	if (!jvm_process_check(p, reason))
		return false;
	a->folder = open_folder(p);
	if (a->folder < 0)
		return reason_errno(reason,
				    "it runs in a container or namespace of "
				    "its own, whose /tmp cannot be opened "
				    "(run hprof-dump as root on the host)");
	if (fstatvfs(a->folder, &system) == 0 && system.f_flag & ST_RDONLY) {
		attach_close(a);
		return reason_set(reason,
				  "its /tmp is read-only: a JVM that is "
				  "attached to needs to make a socket there");
	}
	a->pidfd = open_pidfd(p->pid);
	/* The pid may have been reused since it was read. */
	if (jvm_process_start(p->pid) != p->start) {
		attach_close(a);
		return reason_set(reason, "the process has ended");
	}
	return true;
}

void attach_close(struct attach *a)
{
	if (a->folder >= 0)
		close(a->folder);
	if (a->pidfd >= 0)
		close(a->pidfd);
	a->folder = a->pidfd = -1;
}

/* ---- requests ----------------------------------------------------------- */

static bool send_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

/* Long arguments need version 2 of the protocol. */
static bool understands_v2(struct attach *a, struct reason *reason)
{
	static const char *const arguments[] = { "options" };
	struct attach_reply reply;
	char *bytes;
	unsigned version;

	if (!attach_call(a, "getversion", arguments, 1, &reply, &bytes, reason))
		return false;
	version = attach_version(&reply);
	free(bytes);
	if (version < 2)
		return reason_set(reason,
				  "a path or option is too long for its "
				  "version of the attach protocol (%d bytes)",
				  ATTACH_V1_LONGEST);
	return true;
}

static char *make_request(struct attach *a, const char *command,
			  const char *const *arguments, size_t count,
			  size_t *ret_size, struct reason *reason)
{
	enum { ROOM = ATTACH_V2_MOST + 64 };
	bool first = attach_fits_v1(arguments, count);
	char *request;

	if (!first && !understands_v2(a, reason))
		return NULL;
	request = malloc(ROOM);
	if (!request) {
		reason_set(reason, "out of memory");
		return NULL;
	}
	*ret_size = first ? attach_request_v1(command, arguments, count,
					      request, ROOM)
			  : attach_request_v2(command, arguments, count,
					      request, ROOM);
	if (*ret_size)
		return request;
	reason_set(reason, "the request is too long");
	free(request);
	return NULL;
}

int attach_send(struct attach *a, const char *command,
		const char *const *arguments, size_t count,
		struct reason *reason)
{
	size_t size;
	char *request =
		make_request(a, command, arguments, count, &size, reason);
	int fd;

	if (!request)
		return -1;
	fd = attach_connect(a, reason);
	if (fd >= 0 && !send_all(fd, request, size)) {
		reason_errno(reason, "cannot send it a request");
		close(fd);
		fd = -1;
	}
	free(request);
	return fd;
}

/* ---- replies ------------------------------------------------------------ */

bool attach_bad_reply(const struct attach *a, size_t size,
		      struct reason *reason)
{
	if (jvm_process_is_ending(a->process->pid))
		return reason_set(reason, "the process ended meanwhile");
	if (size == 0)
		return reason_set(reason,
				  "it closed the connection without a reply");
	return reason_set(reason, "its reply was cut short");
}

/* Waits until FD can be read; false at UNTIL_MS or when we are to stop. */
static bool wait_readable(int fd, uint64_t until_ms)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = stop_fd(), .events = POLLIN } };
	int result;

	do {
		uint64_t now = clock_ms();
		uint64_t left = until_ms > now ? until_ms - now : 0;
		result = poll(fds, 2, left < INT_MAX ? (int)left : INT_MAX);
	} while (result < 0 && errno == EINTR);
	return result > 0 && fds[0].revents;
}

/*
 * Reads up to the end; returns the number of bytes, or -1 with a reason. All of
 * it has to come in the timeout, not only its next byte.
 */
static ssize_t read_reply(const struct attach *a, int fd, char *out,
			  struct reason *reason)
{
	uint64_t until_ms = clock_ms() + (uint64_t)a->timeout_s * 1000;
	size_t used = 0;

	while (used < ATTACH_REPLY_MOST) {
		if (!wait_readable(fd, until_ms)) {
			attach_silent(a, reason);
			return -1;
		}
		ssize_t n = read(fd, out + used, ATTACH_REPLY_MOST - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* a connection reset counts as the end */
			break;
		used += (size_t)n;
	}
	return (ssize_t)used;
}

bool attach_call(struct attach *a, const char *command,
		 const char *const *arguments, size_t count,
		 struct attach_reply *ret_reply, char **ret_bytes,
		 struct reason *reason)
{
	int fd = attach_send(a, command, arguments, count, reason);
	char *bytes;
	ssize_t size;

	if (fd < 0)
		return false;
	bytes = malloc(ATTACH_REPLY_MOST);
	size = bytes ? read_reply(a, fd, bytes, reason) : -1;
	close(fd);
	if (!bytes)
		return reason_set(reason, "out of memory");
	if (size < 0 || !attach_parse_reply(bytes, (size_t)size, ret_reply)) {
		free(bytes);
		return size < 0 ? false
				: attach_bad_reply(a, (size_t)size, reason);
	}
	*ret_bytes = bytes;
	return true;
}
