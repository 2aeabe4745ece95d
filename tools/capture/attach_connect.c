/* SPDX-License-Identifier: MIT */
/*
 * attach_connect.c - connects to a JVM, which may have to be made to listen
 * first.
 *
 * All names are looked up relative to a descriptor of the JVM's own /tmp, so it
 * does not matter whether that is ours or a container's, and with the JVM's
 * ids, so that nothing is made where the JVM could not make it itself. As the pid could be
 * reused between the check of the process and the signal, the signal is sent
 * through a pidfd that was opened before the check. Without pidfds there is a
 * gap of some microseconds after the last check of the process's start time.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tools/capture/attach.h"
#include "tools/capture/interrupt.h"
#include "tools/common/clock.h"

#define LISTEN_S 15 /* for the socket, which takes milliseconds */

static void nap_ms(unsigned ms)
{
	struct timespec nap = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&nap, NULL);
}

/* ---- connect ------------------------------------------------------------ */

static void socket_address(const struct attach *a, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* This keeps the name short, however long the path of /tmp is. */
	snprintf(address->sun_path, sizeof(address->sun_path),
		 "/proc/self/fd/%d/.java_pid%d", a->folder,
		 (int)a->process->inner_pid);
}

/*
 * Whether the JVM itself listens on the socket: anybody can make files in /tmp.
 * The kernel reports the listener's pid, which is 0 if the process is not
 * visible in our namespace.
 */
static bool is_listener(const struct attach *a, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	return peer.pid == a->process->pid ||
	       (peer.pid == 0 && peer.uid == a->process->ids.uid);
}

/* Connects; -1 with errno, which is EPERM if another process listens. */
static int try_connect(const struct attach *a)
{
	struct sockaddr_un address;
	struct timeval limit = { a->timeout_s, 0 };
	struct own_ids own;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int result = -1;

	if (fd < 0)
		return -1;
	socket_address(a, &address);
	/* The queue may be full if the JVM accepts no connections. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	/* JDK 8 accepts its own user only, not even root. */
	if (target_ids_assume(&a->process->ids, &own)) {
		result = connect(fd, (struct sockaddr *)&address,
				 sizeof(address));
		target_ids_restore(&own);
	}
	if (result == 0 && !is_listener(a, fd)) {
		errno = EPERM;
		result = -1;
	}
	if (result != 0) {
		int why = errno;
		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

/* ---- make it listen ----------------------------------------------------- */

/* Whether the JVM accepts the existing file. */
static bool may_trigger(const struct attach *a, const char *name,
			struct reason *reason)
{
	struct stat info;

	if (fstatat(a->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
	    info.st_uid == a->process->ids.uid || info.st_uid == 0)
		return true;
	return reason_set(reason,
			  "the file /tmp/%s belongs to another user: remove "
			  "that",
			  name);
}

/*
 * Makes the file that turns SIGQUIT from a request for a thread dump into a
 * request to listen. The JVM accepts the file only from its own user and from
 * root: with another user's file, the signal would only print the threads.
 * *RET_MADE is false if the file existed already. Called with the JVM's ids.
 */
static bool make_trigger(const struct attach *a, const char *name,
			 bool *ret_made, struct reason *reason)
{
	int fd = openat(a->folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	*ret_made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		return may_trigger(a, name, reason);
	if (fd < 0)
		return reason_errno(reason,
				    "cannot make the file %s in its "
				    "/tmp, which it waits for",
				    name);
	close(fd);
	return true;
}

static bool make_trigger_as_target(const struct attach *a, const char *name,
				   bool *ret_made, struct reason *reason)
{
	struct own_ids own;
	bool good;

	if (!target_ids_assume(&a->process->ids, &own))
		return reason_errno(reason, "cannot take the ids of its user");
	good = make_trigger(a, name, ret_made, reason);
	target_ids_restore(&own);
	return good;
}

static void remove_trigger(const struct attach *a, const char *name)
{
	struct own_ids own;

	if (!target_ids_assume(&a->process->ids, &own))
		return;
	unlinkat(a->folder, name, 0);
	target_ids_restore(&own);
}

/* Checked each time: a JVM installs the handler late and removes it early. */
static bool has_quit_handler(const struct attach *a, struct reason *reason)
{
	if (jvm_process_catches_quit(a->process->pid))
		return true;
	if (jvm_process_state(a->process->pid) == '\0')
		return reason_set(reason, "the process has ended");
	return reason_set(reason,
			  "it has no handler for SIGQUIT, which would end it, "
			  "so none is sent: it runs with -Xrs, or has only "
			  "just begun, or is about to end");
}

static bool send_quit(const struct attach *a, struct reason *reason)
{
	pid_t pid = a->process->pid;
	int result;

	if (!has_quit_handler(a, reason))
		return false;
	if (jvm_process_start(pid) != a->process->start)
		return reason_set(reason, "the process has ended");
#ifdef SYS_pidfd_send_signal
	if (a->pidfd >= 0)
		result = (int)syscall(SYS_pidfd_send_signal, a->pidfd, SIGQUIT,
				      NULL, 0);
	else
#endif
		result = kill(pid, SIGQUIT);
	if (result != 0)
		return reason_errno(reason, "cannot send it SIGQUIT");
	return true;
}

bool attach_silent(const struct attach *a, struct reason *reason)
{
	char state = jvm_process_state(a->process->pid);

	if (stop_wanted())
		return reason_set(reason, "%s", stop_reason());
	if (state == 'T' || state == 't')
		return reason_set(reason,
				  "it was stopped meanwhile, and does not "
				  "answer");
	return reason_set(reason,
			  "it did not answer for %u seconds (--timeout)",
			  a->timeout_s);
}

static bool did_not_listen(const struct attach *a, int why, unsigned waited_s,
			   struct reason *reason)
{
	char state = jvm_process_state(a->process->pid);

	if (jvm_process_is_ending(a->process->pid))
		return reason_set(reason, "the process has ended");
	if (stop_wanted())
		return reason_set(reason, "%s", stop_reason());
	if (state == 'T' || state == 't')
		return attach_silent(a, reason);
	if (why == ECONNREFUSED)
		return reason_set(reason,
				  "its socket /tmp/.java_pid%d is stale, and "
				  "in %u seconds it made no new one",
				  (int)a->process->inner_pid, waited_s);
	if (why == EPERM)
		return reason_set(reason,
				  "its socket /tmp/.java_pid%d belongs to "
				  "another process: remove that",
				  (int)a->process->inner_pid);
	return reason_set(reason,
			  "it did not begin to listen in %u seconds: it may "
			  "run with -XX:+DisableAttachMechanism, or be too "
			  "busy or stuck",
			  waited_s);
}

/* Polls for the socket, at growing intervals. */
static int wait_for_socket(const struct attach *a, struct reason *reason)
{
	unsigned wait_s = a->timeout_s < LISTEN_S ? a->timeout_s : LISTEN_S;
	uint64_t end = clock_ms() + wait_s * 1000;
	unsigned nap = 2;
	int fd;

	do {
		bool ends;
		nap_ms(nap);
		nap = nap < 100 ? nap * 2 : 200;
		fd = try_connect(a);
		if (fd >= 0)
			return fd;
		int why = errno;
		ends = jvm_process_is_ending(a->process->pid);
		errno = why;
		if (ends || stop_wanted())
			break;
	} while (clock_ms() < end);
	did_not_listen(a, errno, wait_s, reason);
	return -1;
}

static int connect_anew(const struct attach *a, struct reason *reason)
{
	char name[40];
	bool made;
	int fd = -1;

	snprintf(name, sizeof(name), ".attach_pid%d",
		 (int)a->process->inner_pid);
	if (!make_trigger_as_target(a, name, &made, reason))
		return -1;
	if (send_quit(a, reason))
		fd = wait_for_socket(a, reason);
	if (made)
		remove_trigger(a, name);
	return fd;
}

bool attach_is_possible(const struct attach *a, struct reason *reason)
{
	struct stat info;
	char name[40];

	snprintf(name, sizeof(name), ".java_pid%d", (int)a->process->inner_pid);
	if (fstatat(a->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISSOCK(info.st_mode) && info.st_uid == a->process->ids.uid)
		return true;
	return has_quit_handler(a, reason);
}

int attach_connect(const struct attach *a, struct reason *reason)
{
	int fd = try_connect(a);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:	   /* it does not listen yet */
	case ECONNREFUSED: /* left behind by an earlier process with that pid */
	case EPERM:	   /* another process listens */
		return connect_anew(a, reason);
	case EAGAIN:
		reason_set(reason, "it does not accept connections: others are "
				   "waiting, or it is stuck");
		return -1;
	case EACCES:
		reason_set(reason,
			   "its socket /tmp/.java_pid%d is another user's: if "
			   "an earlier process left it behind, remove it",
			   (int)a->process->inner_pid);
		return -1;
	default:
		reason_errno(reason,
			     "cannot connect to its socket "
			     "/tmp/.java_pid%d",
			     (int)a->process->inner_pid);
		return -1;
	}
}
