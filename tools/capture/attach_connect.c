/* SPDX-License-Identifier: MIT */
/*
 * attach_connect.c - a connection to a JVM, which may have to be made to
 * listen first.
 *
 * All names are looked up in a descriptor of the JVM's own /tmp, so that it
 * makes no difference whether that is ours or a container's. Between looking
 * at the process and the signal another could take its pid: the signal goes
 * to a pidfd that was opened before. A kernel without pidfds leaves a gap of
 * some microseconds, behind a last look at when the process began.
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

#define LISTEN_S 15 /* to come to listen; it takes some milliseconds */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void nap_ms(unsigned ms)
{
	struct timespec nap = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&nap, NULL);
}

/* ---- connect ------------------------------------------------------------ */

/* JDK 8 takes nobody but its own user, not even root. */
static void become(const struct jvm_process *p)
{
	if (geteuid() == 0 && (p->uid != 0 || p->gid != getegid())) {
		(void)!setegid(p->gid);
		(void)!seteuid(p->uid);
	}
}

static void restore_ids(uid_t uid, gid_t gid)
{
	int why = errno;

	(void)!seteuid(uid);
	(void)!setegid(gid);
	errno = why;
}

static void socket_address(const struct attach *a, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* Short whatever the /tmp of the JVM is called. */
	snprintf(address->sun_path, sizeof(address->sun_path),
		 "/proc/self/fd/%d/.java_pid%d", a->folder,
		 (int)a->process->inner_pid);
}

/*
 * Did the JVM itself make the socket? Anybody can make files in /tmp. The
 * kernel tells who listens. A pid it cannot express is 0.
 */
static bool is_its_own(const struct attach *a, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return false;
	return peer.pid == a->process->pid ||
	       (peer.pid == 0 && peer.uid == a->process->uid);
}

/* A connection; -1 with errno, which is EPERM if somebody else listens. */
static int try_connect(const struct attach *a)
{
	struct sockaddr_un address;
	struct timeval limit = { a->timeout_s, 0 };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int result;

	if (fd < 0)
		return -1;
	socket_address(a, &address);
	/* A full queue of a JVM that takes nothing from it. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	become(a->process);
	result = connect(fd, (struct sockaddr *)&address, sizeof(address));
	restore_ids(uid, gid);
	if (result == 0 && !is_its_own(a, fd)) {
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

/* Is the file that is there one that the JVM takes? */
static bool may_trigger(const struct attach *a, const char *name,
			struct reason *reason)
{
	struct stat info;

	if (fstatat(a->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
	    info.st_uid == a->process->uid || info.st_uid == 0)
		return true;
	return reason_set(reason,
			  "the file /tmp/%s belongs to another user: remove "
			  "that", name);
}

/*
 * The file that turns a SIGQUIT from a request for a thread dump into one to
 * listen. The JVM takes it from its own user and root only: with a file of
 * anybody else, the signal would just print its threads. *RET_MADE: by us;
 * else it was there.
 */
static bool make_trigger(const struct attach *a, const char *name,
			 bool *ret_made, struct reason *reason)
{
	const struct jvm_process *p = a->process;
	int fd = openat(a->folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	*ret_made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		return may_trigger(a, name, reason);
	if (fd < 0)
		return reason_errno(reason, "cannot make the file %s in its "
					    "/tmp, which it waits for", name);
	if (geteuid() == 0 && fchown(fd, p->uid, p->gid) != 0) {
		reason_errno(reason, "cannot give it the file %s", name);
		close(fd);
		unlinkat(a->folder, name, 0);
		return false;
	}
	close(fd);
	return true;
}

/* Looked at each time: the handler is set up late and removed early. */
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
		result = (int)syscall(SYS_pidfd_send_signal, a->pidfd,
				      SIGQUIT, NULL, 0);
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
				  "it was stopped meanwhile, and answers "
				  "nothing");
	return reason_set(reason,
			  "it answered nothing for %u seconds (--timeout)",
			  a->timeout_s);
}

static bool did_not_listen(const struct attach *a, int why, unsigned waited_s,
			   struct reason *reason)
{
	char state = jvm_process_state(a->process->pid);

	if (state == '\0' || state == 'Z')
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

/* Waits for the socket to come, in steps that grow. */
static int wait_for_socket(const struct attach *a, struct reason *reason)
{
	unsigned wait_s = a->timeout_s < LISTEN_S ? a->timeout_s : LISTEN_S;
	uint64_t end = now_ms() + wait_s * 1000;
	unsigned nap = 2;
	int fd;

	do {
		char state;
		nap_ms(nap);
		nap = nap < 100 ? nap * 2 : 200;
		fd = try_connect(a);
		if (fd >= 0)
			return fd;
		int why = errno;
		state = jvm_process_state(a->process->pid);
		errno = why;
		if (state == '\0' || state == 'Z' || stop_wanted())
			break;
	} while (now_ms() < end);
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
	if (!make_trigger(a, name, &made, reason))
		return -1;
	if (send_quit(a, reason))
		fd = wait_for_socket(a, reason);
	if (made)
		unlinkat(a->folder, name, 0);
	return fd;
}

bool attach_is_possible(const struct attach *a, struct reason *reason)
{
	struct stat info;
	char name[40];

	snprintf(name, sizeof(name), ".java_pid%d",
		 (int)a->process->inner_pid);
	if (fstatat(a->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISSOCK(info.st_mode) && info.st_uid == a->process->uid)
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
	case ECONNREFUSED: /* left by another process with that pid */
	case EPERM:	   /* made by another */
		return connect_anew(a, reason);
	case EAGAIN:
		reason_set(reason,
			   "it does not take connections: others wait, or it "
			   "is stuck");
		return -1;
	default:
		reason_errno(reason, "cannot connect to its socket "
				     "/tmp/.java_pid%d",
			     (int)a->process->inner_pid);
		return -1;
	}
}
